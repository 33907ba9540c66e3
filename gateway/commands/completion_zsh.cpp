// Completions for zsh: one function per command, each a call of zsh's `_arguments`.
#include "gateway/commands/completion.h"

#include <algorithm>

namespace sallyport::commands {

namespace {

// `[` and `]` enclose a description, and `:` ends a part of a specification.
std::string escaped(std::string const& text) {
    std::string out;
    for (char const c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

// The part of a specification for the value: ":config:_files".
std::string value_part(ValueWords const& value, std::string const& message) {
    std::string const head = ":" + escaped(message) + ":";
    switch (value.kind) {
    case ValueKind::none: return {};
    case ValueKind::text: return head;
    case ValueKind::file: return head + "_files";
    case ValueKind::folder: return head + "_files -/";
    case ValueKind::choice: break;
    }
    std::string words;
    for (auto const& choice : value.choices)
        words += (words.empty() ? "" : " ") + choice;
    return head + "(" + words + ")";
}

// "-c+" and "--config=": the value may be in the same word or the next.
std::string with_value_mark(std::string const& name, ValueWords const& value) {
    if (value.kind == ValueKind::none) return name;
    return name + (name.rfind("--", 0) == 0 ? "=" : "+");
}

// '(-c --config)'{-c+,--config=}'[The configuration file]:value:_files'
std::string option_part(OptionWords const& option) {
    std::string names;
    std::string alternatives;
    for (auto const& name : option.names) {
        names += (names.empty() ? "" : " ") + name;
        alternatives += (alternatives.empty() ? "" : ",") + with_value_mark(name, option.value);
    }
    std::string const what =
        "[" + escaped(option.description) + "]" + value_part(option.value, "value");
    if (option.names.size() == 1) return in_single_quotes("*" + alternatives + what);
    return in_single_quotes("(" + names + ")") + "{" + alternatives + "}" + in_single_quotes(what);
}

std::string function_name(CommandWords const& command) {
    std::string out = "_" + command.path;
    std::replace(out.begin(), out.end(), ' ', '_');
    return out;
}

std::string function_of(CommandWords const& command) {
    bool const has_commands = !command.commands.empty();
    std::string out = function_name(command) + "() {\n    local line state\n    local -a commands\n"
                      + "    _arguments -C";
    for (auto const& option : command.options)
        out += " \\\n        " + option_part(option);
    if (has_commands) {
        out += " \\\n        '1: :->command' '*:: :->words'";
    } else if (command.operand.kind != ValueKind::none) {
        out += " \\\n        " + in_single_quotes("*" + value_part(command.operand, "operand"));
    }
    out += '\n';
    if (!has_commands) return out + "}\n\n";
    std::string list;
    std::string cases;
    for (auto const& below : command.commands) {
        list += "            " + in_single_quotes(below.name() + ":" + escaped(below.description))
                + "\n";
        cases += "        " + below.name() + ") " + function_name(below) + " ;;\n";
    }
    return out + "    case $state in\n    command)\n        commands=(\n" + list
           + "        )\n        _describe command commands\n        ;;\n"
             "    words)\n        case $line[1] in\n"
           + cases + "        esac\n        ;;\n    esac\n}\n\n";
}

} // namespace

std::string zsh_completion(CommandWords const& root) {
    std::string out = "#compdef sallyport\n"
                      "# Completions of sallyport for zsh, made by `sallyport completion zsh`.\n\n";
    for (auto const* const command : all_commands(root))
        out += function_of(*command);
    // As a file of `fpath` it is the body of the function; otherwise it was sourced.
    return out
           + "if [ \"$funcstack[1]\" = _sallyport ]; then\n    _sallyport \"$@\"\nelse\n"
             "    compdef _sallyport sallyport\nfi\n";
}

} // namespace sallyport::commands
