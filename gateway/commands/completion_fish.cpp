// Completions for fish: a line for each command, option and operand, each with the condition that
// its command is being typed.
#include "gateway/commands/completion.h"

namespace sallyport::commands {

namespace {

// fish has two escapes in single quotes: \' and \\.
std::string in_quotes(std::string const& text) {
    std::string out = "'";
    for (char const c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + '\'';
}

std::string value_part(ValueWords const& value) {
    switch (value.kind) {
    case ValueKind::none: return {};
    case ValueKind::text: return " -x";
    case ValueKind::file: return " -r -F";
    case ValueKind::folder: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::choice: break;
    }
    std::string words;
    for (auto const& choice : value.choices)
        words += (words.empty() ? "" : " ") + choice;
    return " -x -a " + in_quotes(words);
}

// The beginning of each line: only if this command is being typed.
std::string line_of(CommandWords const& command) {
    return "complete -c sallyport -n " + in_quotes("__sallyport_is " + command.path);
}

std::string lines_of(CommandWords const& command) {
    std::string out;
    for (auto const& below : command.commands) {
        out += line_of(command) + " -a " + below.name() + " -d " + in_quotes(below.description) + '\n';
    }
    for (auto const& option : command.options) {
        out += line_of(command);
        for (auto const& name : option.names) {
            bool const is_long = name.rfind("--", 0) == 0;
            out += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
        }
        out += value_part(option.value) + " -d " + in_quotes(option.description) + '\n';
    }
    switch (command.operand.kind) {
    case ValueKind::none:
    case ValueKind::text: break;
    case ValueKind::file: out += line_of(command) + " -F\n"; break;
    case ValueKind::folder:
    case ValueKind::choice: out += line_of(command) + value_part(command.operand) + '\n'; break;
    }
    return out;
}

// Patterns of `case`: words that are commands, or that are followed by a value.
std::string command_patterns(CommandWords const& root) {
    std::string out;
    for (auto const* const command : all_commands(root)) {
        if (command != &root) out += ' ' + in_quotes(command->path);
    }
    return out;
}

std::string option_patterns(CommandWords const& root) {
    std::string out;
    for (auto const* const command : all_commands(root)) {
        for (auto const& option : command->options) {
            if (option.value.kind == ValueKind::none) continue;
            for (auto const& name : option.names)
                out += ' ' + in_quotes(command->path + ' ' + name);
        }
    }
    return out;
}

} // namespace

std::string fish_completion(CommandWords const& root) {
    std::string out =
        "# Completions of sallyport for fish, made by `sallyport completion fish`.\n\n"
        "# The command that the words before the cursor lead to.\n"
        "function __sallyport_path\n"
        "    set -l path sallyport\n"
        "    set -l is_value no\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        if test $is_value = yes\n"
        "            set is_value no\n"
        "            continue\n"
        "        end\n"
        "        switch \"$path $word\"\n"
        "            case"
        + command_patterns(root) + "\n                set path \"$path $word\"\n            case"
        + option_patterns(root)
        + "\n                set is_value yes\n"
          "        end\n"
          "    end\n"
          "    echo $path\n"
          "end\n\n"
          "function __sallyport_is\n"
          "    test (__sallyport_path) = \"$argv\"\n"
          "end\n\n"
          "complete -c sallyport -f\n";
    for (auto const* const command : all_commands(root))
        out += lines_of(*command);
    return out;
}

} // namespace sallyport::commands
