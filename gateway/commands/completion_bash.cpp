// Completions for bash: tables of the commands, and a function that searches them. It does not need
// the package bash-completion.
#include "gateway/commands/completion.h"

namespace sallyport::commands {

namespace {

// Sets `value` to the kind of the option's value or of the operand: `file`, `folder`, `text`, or
// `choice` followed by the words.
std::string value_text(ValueWords const& value) {
    switch (value.kind) {
    case ValueKind::none: return {};
    case ValueKind::text: return "text";
    case ValueKind::file: return "file";
    case ValueKind::folder: return "folder";
    case ValueKind::choice: break;
    }
    std::string out = "choice";
    for (auto const& choice : value.choices)
        out += ' ' + choice;
    return out;
}

std::string value_rows(CommandWords const& root) {
    std::string out;
    for (auto const* const command : all_commands(root)) {
        for (auto const& option : command->options) {
            if (option.value.kind == ValueKind::none) continue;
            std::string patterns;
            for (auto const& name : option.names) {
                patterns +=
                    (patterns.empty() ? "" : " | ") + in_single_quotes(command->path + ' ' + name);
            }
            out += "    " + patterns + ") value=" + in_single_quotes(value_text(option.value))
                   + " ;;\n";
        }
    }
    return out;
}

std::string command_rows(CommandWords const& root) {
    std::string out;
    for (auto const* const command : all_commands(root)) {
        std::string options;
        for (auto const& option : command->options) {
            for (auto const& name : option.names)
                options += (options.empty() ? "" : " ") + name;
        }
        std::string commands;
        for (auto const& below : command->commands)
            commands += (commands.empty() ? "" : " ") + below.name();
        out += "    " + in_single_quotes(command->path) + ")\n        options="
               + in_single_quotes(options) + " commands=" + in_single_quotes(commands)
               + " operand=" + in_single_quotes(value_text(command->operand)) + "\n        ;;\n";
    }
    return out;
}

constexpr char const* walk = R"(
# What may stand at the cursor, of the kind that `value` names.
_sallyport_offer() {
    local kind=${1%% *} current=$2
    case $kind in
    choice) mapfile -t COMPREPLY < <(compgen -W "${1#choice}" -- "$current") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    esac
}

_sallyport() {
    local path=sallyport pending='' value='' options='' commands='' operand=''
    local current=${COMP_WORDS[COMP_CWORD]} index word
    COMPREPLY=()
    # Words before the cursor: commands, options, and their values. The shell takes `--format=json`
    # for three words.
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [ "$word" = = ]; then continue; fi
        if [ -n "$pending" ]; then pending=''; continue; fi
        _sallyport_words "$path"
        case $word in
        -*) _sallyport_value "$path $word"; pending=$value ;;
        *) case " $commands " in *" $word "*) path="$path $word" ;; esac ;;
        esac
    done
    if [ "$current" = = ]; then current=''; fi
    _sallyport_words "$path"
    if [ -n "$pending" ]; then
        _sallyport_offer "$pending" "$current"
    elif [[ $current == -* ]]; then
        _sallyport_offer "choice $options" "$current"
    elif [ -n "$commands" ]; then
        _sallyport_offer "choice $commands" "$current"
    else
        _sallyport_offer "$operand" "$current"
    fi
}

complete -F _sallyport sallyport
)";

} // namespace

std::string bash_completion(CommandWords const& root) {
    return "# Completions of sallyport for bash, made by `sallyport completion bash`.\n\n"
           "# What follows an option of a command.\n"
           "_sallyport_value() {\n    value=''\n    case $1 in\n"
           + value_rows(root)
           + "    esac\n}\n\n"
             "# What a command takes.\n"
             "_sallyport_words() {\n    options='' commands='' operand=''\n    case $1 in\n"
           + command_rows(root) + "    esac\n}\n" + walk;
}

} // namespace sallyport::commands
