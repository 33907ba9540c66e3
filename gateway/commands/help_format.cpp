// The layout of --help: see help_format.h.
#include "gateway/commands/help_format.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace sallyport::commands {

namespace {

// `-c FILE`, or the file alone.
bool has_optional_name(CLI::Option const* option) {
    return option->get_positional() && option->nonpositional();
}

std::string names_of(std::set<CLI::Option*> const& options) {
    std::vector<std::string> names;
    std::transform(options.begin(), options.end(), std::back_inserter(names),
                   [](CLI::Option const* one) { return one->get_name(); });
    std::sort(names.begin(), names.end());
    return CLI::detail::join(names, " or ");
}

} // namespace

HelpFormat::HelpFormat() {
    label("Positionals", "Arguments");
}

std::string HelpFormat::make_positionals(CLI::App const* app) const {
    auto const arguments = app->get_options([](CLI::Option const* option) {
        return !option->get_group().empty() && option->get_positional()
               && !option->nonpositional();
    });
    return arguments.empty() ? std::string{} : make_group(get_label("Positionals"), true, arguments);
}

std::string HelpFormat::make_description(CLI::App const* app) const {
    return app->get_description() + '\n';
}

// A group of options: its name says how many of them.
std::string HelpFormat::make_expanded(CLI::App const* group) const {
    auto const options = group->get_options([group](CLI::Option const* option) {
        return option->nonpositional() && option != group->get_help_ptr();
    });
    return make_group(group->get_group(), false, options);
}

std::string HelpFormat::make_option_opts(CLI::Option const* option) const {
    if (!option->get_option_text().empty()) return ' ' + option->get_option_text();
    if (option->get_type_size() == 0) return {};
    auto out = ' ' + option->get_type_name();
    if (!option->get_default_str().empty()) out += '=' + option->get_default_str();
    bool const is_list = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    return is_list ? out + " ..." : out;
}

std::string HelpFormat::make_option_desc(CLI::Option const* option) const {
    auto out = option->get_description();
    if (has_optional_name(option)) out += "; the file may stand alone, without -c";
    if (option->get_required()) out += " (required)";
    if (auto const needed = names_of(option->get_needs()); !needed.empty())
        out += " (with " + needed + ")";
    if (auto const excluded = names_of(option->get_excludes()); !excluded.empty())
        out += " (not with " + excluded + ")";
    return out;
}

std::string HelpFormat::make_option_usage(CLI::Option const* option) const {
    if (!has_optional_name(option)) return CLI::Formatter::make_option_usage(option);
    std::string const words = "[-c] " + option->get_type_name();
    return option->get_required() ? words : '[' + words + ']';
}

} // namespace sallyport::commands
