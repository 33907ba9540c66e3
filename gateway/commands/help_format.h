// The layout of --help: for the files of the command line only.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace sallyport::commands {

/// The parser's own, but: an option that may be written without its name is listed once, and words
/// of the parser (types, what an option needs or excludes, groups) are in words of the user.
class HelpFormat : public CLI::Formatter {
public:
    HelpFormat();

    [[nodiscard]] std::string make_positionals(CLI::App const* app) const override;
    [[nodiscard]] std::string make_description(CLI::App const* app) const override;
    [[nodiscard]] std::string make_expanded(CLI::App const* group) const override;
    [[nodiscard]] std::string make_option_opts(CLI::Option const* option) const override;
    [[nodiscard]] std::string make_option_desc(CLI::Option const* option) const override;
    [[nodiscard]] std::string make_option_usage(CLI::Option const* option) const override;
};

} // namespace sallyport::commands
