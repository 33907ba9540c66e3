// Options of several commands, and the commands with a file of their own: for the files of the
// command line only.
#pragma once

#include "gateway/commands/output.h"
#include "gateway/contract/unchecked.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace sallyport::config {
class Tables;
}

namespace sallyport::commands {

/// `-c FILE`, or only the file; required, where nothing else is done with the result.
inline CLI::Option* add_config_option(CLI::App& command, std::string& path) {
    return command.add_option("-c,--config,CONFIG", path, "The configuration file")
        ->required()
        ->type_name("FILE");
}

/// An overlay of contracts; may be repeated.
inline CLI::Option* add_overlay_option(CLI::App& command, std::vector<std::string>& overlays) {
    return command
        .add_option("--overlay", overlays,
                    "An OpenAPI Overlay document that is applied first; may be repeated, and they "
                    "are applied in this order")
        ->allow_extra_args(false)
        ->type_name("FILE");
}

inline void add_format_option(CLI::App& command, Format& format) {
    auto const set = [&format](std::string const& name) {
        format = name == "json" ? Format::json : Format::text;
    };
    command
        .add_option_function<std::string>("--format", set,
                                          "How to print: text (the default) or json")
        ->option_text("text|json")
        ->check(CLI::IsMember(std::vector<std::string>{"text", "json"}));
}

/// For commands that find problems of files.
inline void add_report_format_option(CLI::App& command, Format& format) {
    auto const set = [&format](std::string const& name) {
        format = name == "json" ? Format::json : name == "github" ? Format::github : Format::text;
    };
    command
        .add_option_function<std::string>(
            "--format", set,
            "How to print: text (the default), json, or github: annotations of a workflow")
        ->option_text("text|json|github")
        ->check(CLI::IsMember(std::vector<std::string>{"text", "json", "github"}));
}

/// For commands that load contracts.
inline void add_unsupported_option(CLI::App& command, contract::Unsupported& unsupported) {
    auto const set = [&unsupported](std::string const& word) {
        unsupported =
            word == "unchecked" ? contract::Unsupported::unchecked : contract::Unsupported::refuse;
    };
    command
        .add_option_function<std::string>(
            "--unsupported", set,
            "Valid places that the gateway cannot enforce: refuse (the default) or unchecked, as "
            "`unsupported` of an API")
        ->option_text("refuse|unchecked")
        ->check(CLI::IsMember(std::vector<std::string>{"refuse", "unchecked"}));
}

/// `sallyport contract` with its subcommands.
void add_contract(CLI::App& app, int& exit_code);

/// `sallyport access`.
void add_access(CLI::App& app, config::Tables const& tables, int& exit_code);

/// `sallyport credential` with its subcommands.
void add_credential(CLI::App& app, config::Tables const& tables, int& exit_code);

} // namespace sallyport::commands
