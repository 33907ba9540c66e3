// `completion`: the description of a command line, and the quoting in the scripts. The shells
// themselves are tested end to end.
#include "gateway/commands/completion.h"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

namespace completion_test {

using namespace sallyport::commands;

namespace {

// A command line with every kind of word.
class CommandLine {
public:
    CommandLine() {
        app.name("sallyport");
        auto* const first = app.add_subcommand("first", "Do it. Then more.");
        first->add_option("-f,--file", text, "A file")->type_name("FILE");
        first->add_option("--folder", text, "A folder")->type_name("FOLDER");
        first->add_option("--name", text, "It's [a] name: `$HOME`");
        first->add_option("--kind", text, "A kind")->option_text("one|two");
        first->add_option("--set", text, "A set")->check(CLI::IsMember({"three", "four"}));
        first->add_flag("--loud", is_loud, "Speak up");
        auto* const group = first->add_option_group("a group");
        group->add_option("--grouped", text, "In a group");
        first->add_option("OPERAND", text, "Files")->type_name("FILE");
        auto* const second = app.add_subcommand("second", "Nest");
        second->add_option("--value", text, "A value, which may look like a command");
        second->add_subcommand("below", "Nested");
    }

    CLI::App app{"A program"};
    std::string text;
    bool is_loud = false;
};

OptionWords const& option_called(CommandWords const& command, std::string const& name) {
    for (auto const& option : command.options) {
        if (option.names.back() == name) return option;
    }
    FAIL("no option " << name);
    throw;
}

} // namespace

TEST_CASE("a group of options has no help of its own, and its options belong to the command") {
    CommandLine const line;
    auto const words = describe_command(line.app);
    auto const& first = words.commands.at(0);
    std::size_t helps = 0;
    for (auto const& option : first.options)
        helps += option.names.back() == "--help" ? 1U : 0U;
    CHECK(helps == 1);
    CHECK(option_called(first, "--grouped").value.kind == ValueKind::text);
    CHECK(words.commands.size() == 2);
}

TEST_CASE("the value of an option is described by its type, its text or its set") {
    CommandLine const line;
    auto const words = describe_command(line.app);
    auto const& first = words.commands.at(0);
    CHECK(option_called(first, "--help").value.kind == ValueKind::none);
    CHECK(option_called(first, "--loud").value.kind == ValueKind::none);
    CHECK(option_called(first, "--name").value.kind == ValueKind::text);
    CHECK(option_called(first, "--file").value.kind == ValueKind::file);
    CHECK(option_called(first, "--file").names == std::vector<std::string>{"-f", "--file"});
    CHECK(option_called(first, "--folder").value.kind == ValueKind::folder);
    CHECK(option_called(first, "--kind").value.kind == ValueKind::choice);
    CHECK(option_called(first, "--kind").value.choices == std::vector<std::string>{"one", "two"});
    CHECK(option_called(first, "--set").value.choices == std::vector<std::string>{"three", "four"});
    CHECK(first.operand.kind == ValueKind::file);
    CHECK(words.commands.at(1).operand.kind == ValueKind::none);
}

TEST_CASE("a command has its path, its name and the first sentence of its description") {
    CommandLine const line;
    auto const words = describe_command(line.app);
    CHECK(words.commands.at(0).description == "Do it");
    auto const all = all_commands(words);
    REQUIRE(all.size() == 4);
    CHECK(all[0]->path == "sallyport");
    CHECK(all[3]->path == "sallyport second below");
    CHECK(all[3]->name() == "below");
}

TEST_CASE("descriptions are quoted for each shell") {
    CommandLine const line;
    auto const words = describe_command(line.app);
    CHECK(zsh_completion(words).find(R"('*--name=[It'\''s \[a\] name\: `$HOME`]:value:')")
          != std::string::npos);
    CHECK(fish_completion(words).find(R"(-l name -x -d 'It\'s [a] name: `$HOME`')")
          != std::string::npos);
    CHECK(bash_completion(words).find("$HOME") == std::string::npos);
    CHECK(in_single_quotes("it's") == R"('it'\''s')");
}

TEST_CASE("a value that looks like a command is not one") {
    CommandLine const line;
    auto const words = describe_command(line.app);
    auto const fish = fish_completion(words);
    auto const option = fish.find("'sallyport second --value'");
    REQUIRE(option != std::string::npos);
    auto const next_line = fish.find('\n', option) + 1;
    CHECK(fish.find_first_not_of(' ', next_line) == fish.find("set is_value yes"));
    CHECK(bash_completion(words).find("'sallyport second --value') value='text' ;;")
          != std::string::npos);
}

} // namespace completion_test
