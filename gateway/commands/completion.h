// `sallyport completion`: scripts that complete its command line, made from the parser's own
// description, so that both always agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sallyport::commands {

enum class ValueKind : std::uint8_t { none, text, file, folder, choice };

/// The value of an option, or an operand.
struct ValueWords {
    ValueKind kind = ValueKind::none;
    std::vector<std::string> choices; // for `choice`
};

struct OptionWords {
    std::vector<std::string> names; // "-c", "--config"
    std::string description;        // one line
    ValueWords value;
};

struct CommandWords {
    std::string path;        // "sallyport credential create"
    std::string description; // its first sentence, on one line
    std::vector<OptionWords> options;
    ValueWords operand;
    std::vector<CommandWords> commands;

    [[nodiscard]] std::string name() const;
};

/// The words of a command and of all commands below it. A value is a choice if its description
/// contains `a|b`, and a file or a folder if its type is FILE or FOLDER.
[[nodiscard]] CommandWords describe_command(CLI::App const& app);

/// The command first, then all below it, depth first.
[[nodiscard]] std::vector<CommandWords const*> all_commands(CommandWords const& root);

/// The completion script of each shell.
[[nodiscard]] std::string bash_completion(CommandWords const& root);
[[nodiscard]] std::string zsh_completion(CommandWords const& root);
[[nodiscard]] std::string fish_completion(CommandWords const& root);

/// `text` in single quotes for bash and zsh: 'it'\''s'.
[[nodiscard]] std::string in_single_quotes(std::string const& text);

} // namespace sallyport::commands
