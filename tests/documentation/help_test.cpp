// `--help` of every command has an example, and the example works.
#include "tests/documentation/markdown.h"
#include "tests/documentation/project.h"
#include "tests/documentation/stage.h"

#include <catch2/catch.hpp>

#include <regex>
#include <set>

namespace help_test {

using namespace sallyport::documentation;
using namespace sallyport;

namespace {

test::Finished help_of(Stage& stage, std::string const& command) {
    return stage.run(command + " --help");
}

// The names in the list `Subcommands:`.
std::vector<std::string> subcommands_in(std::string const& help) {
    std::vector<std::string> names;
    bool in_list = false;
    for (auto const& line : lines_of(help)) {
        if (line == "Subcommands:") {
            in_list = true;
        } else if (line.empty()) {
            in_list = false;
        } else if (in_list && line.rfind("  ", 0) == 0 && line[2] != ' ') {
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
    }
    return names;
}

// The indented lines below `Example:` or `Examples:`; one that ends in a backslash goes on.
std::vector<std::string> examples_in(std::string const& help) {
    std::vector<std::string> examples;
    bool in_examples = false;
    bool continues = false;
    for (auto const& line : lines_of(help)) {
        if (line == "Example:" || line == "Examples:") {
            in_examples = true;
            continue;
        }
        if (line.rfind("  ", 0) != 0) in_examples = false;
        if (!in_examples) continue;
        auto const text = line.substr(line.find_first_not_of(' '));
        if (continues) {
            examples.back() += "\n" + text;
        } else {
            examples.push_back(text);
        }
        continues = text.back() == '\\';
    }
    return examples;
}

void check_help(std::string const& command, std::set<std::string>& seen) {
    Stage stage;
    auto const help = help_of(stage, command);
    INFO(help.output << help.error);
    REQUIRE(help.exit_code == 0);
    CHECK(help.error.empty());
    // Words of the parser, and one option that is listed as two.
    static std::regex const internal{
        R"(\b(TEXT|U?INT|FLOAT|BOOLEAN|ENUM|DIR|REQUIRED|Needs|Excludes|Option Group)\b|\[Exactly)"};
    bool const is_sandbox = command == "sallyport-sandbox"; // a program for trying things out
    CHECK((is_sandbox || !std::regex_search(help.output, internal)));
    auto const of_file = help.output.find("The configuration file");
    CHECK(help.output.find("The configuration file", of_file + 1) == std::string::npos);
    if (command == "sallyport status" || command == "sallyport reload"
        || command == "sallyport credential list") {
        stage.write_sections("admin: { address: 127.0.0.1:9901 }\n");
        stage.run("sallyport run -c sallyport.yaml");
    }
    auto const examples = examples_in(help.output);
    CHECK_FALSE(examples.empty());
    for (auto const& example : examples) {
        auto const finished = stage.run(example);
        INFO("$ " << example << "\n" << finished.output << finished.error);
        CHECK(finished.exit_code == 0);
    }
    for (int const exit_code : stage.end())
        CHECK(exit_code == 0);
    seen.insert(command);
    // The sandbox passes its words on, --help too.
    for (auto const& name : subcommands_in(help.output))
        check_help(command + " " + name, seen);
}

} // namespace

TEST_CASE("the help of every command has an example that works") {
    std::set<std::string> seen;
    check_help("sallyport", seen);
    check_help("sallyport-sandbox", seen);
    for (auto const* command :
         {"sallyport run", "sallyport check", "sallyport config", "sallyport config schema",
          "sallyport validate", "sallyport credential create", "sallyport credential hash",
          "sallyport credential list", "sallyport status", "sallyport sandbox",
          "sallyport completion", "sallyport version"}) {
        INFO(command);
        CHECK(seen.count(command) == 1);
    }
}

TEST_CASE("the manual page has every command") {
    Stage stage;
    auto const manual = test::read_file(project_folder() / "deploy/package/sallyport.1.in");
    auto const commands = subcommands_in(help_of(stage, "sallyport").output);
    CHECK(commands.size() > 5);
    for (auto const& command : commands) {
        INFO(command);
        // At the beginning of a line of commands: ".B status", ".BI "run ...".
        CHECK(std::regex_search(manual, std::regex{"\n\\.BI? \"?" + command + "\\b"}));
    }
}

} // namespace help_test
