// `sallyport completion`: see completion.h. The shells have a file each.
#include "gateway/commands/completion.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace sallyport::commands {

namespace {

// The first sentence, without its full stop.
std::string first_sentence(std::string text) {
    for (char const* const end : {". ", "\n", "; "})
        text = text.substr(0, text.find(end));
    if (!text.empty() && text.back() == '.') text.pop_back();
    return text;
}

// "a|b|c", or "{a,b,c}" in the form of CLI::IsMember.
std::vector<std::string> choices_in(std::string text) {
    bool const is_set = text.size() > 2 && text.front() == '{' && text.back() == '}';
    if (is_set) text = text.substr(1, text.size() - 2);
    char const separator = is_set ? ',' : '|';
    if (!is_set && text.find(separator) == std::string::npos) return {};
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin <= text.size();) {
        auto const end = std::min(text.find(separator, begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

ValueWords value_of(CLI::Option const& option) {
    if (option.get_items_expected_max() == 0) return {};
    // "TEXT", or "TEXT:annotate|assert"; an option's own text replaces it in the help.
    std::string const type = option.get_type_name();
    auto const colon = type.find(':');
    auto choices = choices_in(colon == std::string::npos ? type : type.substr(colon + 1));
    if (choices.empty()) choices = choices_in(option.get_option_text());
    if (!choices.empty()) return {ValueKind::choice, std::move(choices)};
    std::string const name = type.substr(0, colon);
    if (name == "FILE") return {ValueKind::file, {}};
    return {name == "FOLDER" ? ValueKind::folder : ValueKind::text, {}};
}

void add_option_words(CLI::App const& app, CommandWords& out) {
    for (CLI::Option const* const option : app.get_options()) {
        // A group of options brings a --help of its own, which cannot be used.
        if (app.get_name().empty() && option == app.get_help_ptr()) continue;
        if (option->get_positional()) {
            out.operand = value_of(*option);
            if (option->get_lnames().empty()) continue;
        }
        OptionWords words{{}, first_sentence(option->get_description()), value_of(*option)};
        for (auto const& name : option->get_snames())
            words.names.push_back("-" + name);
        for (auto const& name : option->get_lnames())
            words.names.push_back("--" + name);
        out.options.push_back(std::move(words));
    }
}

CommandWords describe(CLI::App const& app, std::string path) {
    CommandWords out{std::move(path), first_sentence(app.get_description()), {}, {}, {}};
    add_option_words(app, out);
    for (CLI::App const* const below : app.get_subcommands({})) {
        if (below->get_name().empty()) {
            add_option_words(*below, out); // a group of options
        } else {
            out.commands.push_back(describe(*below, out.path + ' ' + below->get_name()));
        }
    }
    return out;
}

} // namespace

std::string CommandWords::name() const {
    return path.substr(path.rfind(' ') + 1);
}

CommandWords describe_command(CLI::App const& app) {
    return describe(app, app.get_name());
}

std::vector<CommandWords const*> all_commands(CommandWords const& root) {
    std::vector<CommandWords const*> out{&root};
    for (auto const& below : root.commands) {
        auto const more = all_commands(below);
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

std::string in_single_quotes(std::string const& text) {
    std::string out = "'";
    for (char const c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + '\'';
}

} // namespace sallyport::commands
