// Runs the examples of every page, and loads every configuration that is shown.
#include "tests/documentation/project.h"
#include "tests/documentation/stage.h"
#include "tests/documentation/transcript.h"
#include "tests/support/json.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <regex>
#include <set>

namespace examples_test {

using namespace sallyport::documentation;
using namespace sallyport;
namespace fs = std::filesystem;

namespace {

struct NotRun {
    std::string page;
    std::string start; // of the command
    std::string why;
};

// Every command that this test leaves to others.
std::vector<NotRun> const not_run{
    {"README.md", "git clone", "the project is there already"},
    {"README.md", "deploy/quickstart", "builds everything; .ci/run runs it"},
    {"README.md", "deploy/package/build", "tests/packaging/packages runs it"},
    {"README.md", "apt install", "tests/packaging/packages does that in a system of its own"},
    {"README.md", "docker build",
     "there may be no engine; tests/packaging/image builds and runs it"},
    {"README.md", "tests/run", "this test is part of it"},
    {"deploy/README.md", "deploy/install-dependencies", "installs packages; .ci/run runs it"},
    {"deploy/README.md", "cmake --", "builds and installs"},
    {"deploy/README.md", "deploy/package/build", "tests/packaging/packages runs it"},
    {"deploy/README.md", "apt install",
     "tests/packaging/packages does that in a system of its own"},
    {"deploy/README.md", "systemctl enable",
     "there may be no systemd; tests/packaging/packages runs the unit's commands"},
    {"deploy/docker/README.md", "docker ",
     "there may be no engine; tests/packaging/image builds and runs it"},
    {"deploy/docker/README.md", "    --stop-timeout", "the rest of it"},
    {"deploy/sandbox/README.md", "sallyport-sandbox [", "a synopsis"},
    {"tests/README.md", "tests/run", "this test is part of it"},
    {"tests/README.md", "tests/coverage", "builds all unit tests once more"},
    {"tests/bench/README.md", "tests/bench/instructions", "tests/run --all runs it"},
    {"tests/bench/README.md", "tests/bench/growth", "runs for half an hour"},
    {"tests/bench/identity.md", "cmake --build", "builds programs by name"},
    {"tests/bench/identity.md", "build/release/bench_identity", "a benchmark"},
    {"tests/bench/identity.md", "tests/bench/guesses", "a measurement"},
    {"tests/contract/documents.md", "tests/contract/public_documents",
     "needs the documents, which are not here; a test of its own runs it where they are"},
    {"tests/contract/schemathesis.md", "tests/contract/schemathesis",
     "needs the documents and schemathesis, which are not here; runs for an hour"},
    {"tests/fuzz/README.md", "build/fuzz/", "runs for minutes; tests/run --all runs all targets"},
    {"tests/soak/README.md", "build/release/soak",
     "runs for minutes; tests/run --all does for one"},
    {"tests/mutation/README.md", "tests/mutation/run",
     "changes the code and builds it, again and again"},
};

std::set<std::string> const languages{"", "yaml", "console", "sh", "json", "cpp", "text"};

// In a block without a language: a line that a user would type.
bool is_typed(std::string const& line) {
    for (auto const* start : {"$ ", "sallyport ", "sallyport-sandbox ", "git ", "cmake ", "curl ",
                              "kill ", "systemctl ", "tests/", "deploy/", "build/"}) {
        if (line.rfind(start, 0) == 0) return true;
    }
    return false;
}

class Player {
public:
    explicit Player(Document const& document, Props props = Props::all)
        : document_{document}, props_{props} {}

    void play(Block const& block) {
        INFO(place(document_, block.line));
        REQUIRE(languages.count(block.language) == 1);
        if (block.language == "yaml") {
            write(block);
        } else if (block.language == "json") {
            CHECK_NOTHROW(test::Json::parse(block.text));
        } else if (block.language == "console") {
            for (auto const& step : read_transcript(block.text))
                run(step, block.argument == "exit=1" ? 1 : 0);
        } else if (block.language == "sh" || block.language.empty()) {
            for (auto const& line : lines_of(block.text)) {
                bool const is_comment = line.empty() || line[0] == '#';
                if (!is_comment && (block.language == "sh" || is_typed(line))) run({line, {}}, 0);
            }
        }
    }

    void end() {
        if (!stage_) return;
        INFO(document_.path);
        auto const checked = stage_->check("sallyport.yaml");
        INFO(checked.output << checked.error);
        CHECK(checked.exit_code == 0);
        for (int const exit_code : stage_->end())
            CHECK(exit_code == 0);
    }

    [[nodiscard]] std::set<std::string> const& left_out() const { return left_out_; }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    Stage& stage() {
        if (!stage_) stage_ = std::make_unique<Stage>(props_);
        return *stage_;
    }

    void write(Block const& block) {
        ++count_;
        bool const is_whole = !block.argument.empty();
        if (is_whole) {
            stage().write(block.argument, block.text);
        } else {
            stage().write_sections(block.text);
        }
        // Tried by the commands of the page.
        bool const is_openapi =
            block.text.starts_with("openapi:") || block.text.starts_with("swagger:");
        if (is_openapi || block.argument.ends_with(".overlay.yaml")) return;
        if (block.argument == "compose.yaml") { // there may be no engine to try it with
            auto const read = stage().run("sallyport validate --schema schema.json compose.yaml");
            CHECK(read.exit_code == 0);
            return;
        }
        auto const described = stage().check_schema(is_whole ? block.argument : "sallyport.yaml");
        INFO(described.output << described.error);
        CHECK(described.exit_code == 0);
        if (is_whole) return;
        auto const checked = stage().check("sallyport.yaml");
        INFO(checked.output << checked.error);
        CHECK(checked.exit_code == 0);
    }

    [[nodiscard]] bool is_left_out(std::string const& command) {
        for (auto const& row : not_run) {
            if (row.page != document_.path || command.rfind(row.start, 0) != 0) continue;
            left_out_.insert(row.page + " " + row.start);
            return true;
        }
        return false;
    }

    void run(Step const& step, int exit_code) {
        if (is_left_out(step.command)) return;
        ++count_;
        INFO("$ " << step.command);
        auto const finished = stage().run(step.command);
        INFO("exit code " << finished.exit_code << "\n" << finished.output << finished.error);
        CHECK(finished.exit_code == exit_code);
        if (step.expected.empty()) return;
        INFO("expected:\n" << step.expected);
        CHECK(is_expected(finished.output + finished.error, step.expected));
    }

    Document const& document_;
    Props props_;
    std::unique_ptr<Stage> stage_;
    std::set<std::string> left_out_;
    std::size_t count_ = 0;
};

} // namespace

TEST_CASE("every example of every page works, and prints what the page says") {
    std::set<std::string> left_out;
    std::size_t count = 0;
    for (auto const& page : documents()) {
        Player player{page};
        for (auto const& block : page.page.blocks)
            player.play(block);
        player.end();
        left_out.insert(player.left_out().begin(), player.left_out().end());
        count += player.count();
    }
    CHECK(count > 15);
    // An exception that nothing needs any more would hide the next one.
    for (auto const& row : not_run) {
        INFO(row.page << " " << row.start);
        CHECK(left_out.count(row.page + " " + row.start) == 1);
    }
}

TEST_CASE("the deployment of the README starts when it is pasted into an empty folder") {
    auto const& readme = document("README.md");
    auto const section = readme.text.find("\n## In front of a real API\n");
    REQUIRE(section != std::string::npos);
    auto const line_of = [&](std::size_t at) {
        return std::count(readme.text.begin(), readme.text.begin() + static_cast<std::ptrdiff_t>(at),
                          '\n');
    };
    auto const first = line_of(section);
    auto const last = line_of(readme.text.find("\n## ", section + 1));
    Player player{readme, Props::none};
    for (auto const& block : readme.page.blocks) {
        auto const line = static_cast<std::ptrdiff_t>(block.line);
        if (line > first && line < last) player.play(block);
    }
    player.end();
    CHECK(player.count() >= 8); // two files, four commands that make the others, check, run, curl
}

TEST_CASE("every example of a configuration is valid, with the files that it names") {
    auto const folder = project_folder() / "config" / "examples";
    std::size_t seen = 0;
    for (auto const& entry : fs::directory_iterator{folder}) {
        // A folder has a test of its own, the commands of a page are run with those of all pages.
        if (!entry.is_regular_file() || entry.path().extension() != ".yaml") continue;
        auto const text = test::read_file(entry.path());
        if (sections_of(text).count("apis") == 0) continue; // a file of credentials
        ++seen;
        auto const name = entry.path().filename().string();
        Stage stage;
        for (auto const& other : fs::directory_iterator{folder}) {
            if (other.path().extension() == ".yaml" && other.is_regular_file())
                stage.write(other.path().filename().string(), test::read_file(other.path()));
        }
        auto const checked = stage.check(name);
        INFO(name << "\n" << checked.output << checked.error);
        CHECK(checked.exit_code == 0);
        CHECK(checked.output.rfind(name + ": OK (", 0) == 0); // without a warning
        CHECK(stage.check_schema(name).output == name + ": valid\n");
        CHECK(document("config/examples/README.md").text.find("`" + name + "`")
              != std::string::npos);
    }
    CHECK(seen >= 5);
}

TEST_CASE("the example of Terraform is valid with the document that its operator downloads") {
    auto const folder = project_folder() / "config" / "examples" / "terraform";
    Stage stage;
    stage.write("sallyport.yaml", test::read_file(folder / "sallyport.yaml"));
    stage.write("credentials.yaml", test::read_file(folder / "credentials.yaml"));
    CHECK(stage.check_schema("sallyport.yaml").output == "sallyport.yaml: valid\n");
    char const* const published = std::getenv("SALLYPORT_OPENAPI_FOLDER");
    if (published == nullptr) {
        WARN("not checked: SALLYPORT_OPENAPI_FOLDER does not name the folder of the documents");
        return;
    }
    stage.write("clickhouse-cloud.json",
                test::read_file(fs::path{published} / "clickhouse-cloud.json"));
    auto const checked = stage.check("sallyport.yaml");
    INFO(checked.output << checked.error);
    CHECK(checked.exit_code == 0);
}

TEST_CASE("an installation needs a certificate, a document, a caller, an upstream, nothing else") {
    auto const package = project_folder() / "deploy" / "package";
    for (auto const& installed :
         {package / "sallyport.yaml", project_folder() / "deploy" / "docker" / "sallyport.yaml"}) {
        INFO(installed);
        auto const text = test::read_file(installed);
        CHECK(text.find("https://api.example.com") != std::string::npos);
        // Nothing that is right for one API and not for another.
        CHECK(text.find("pass_issued") == std::string::npos);
        // `sallyport status` and `sallyport reload` ask there.
        CHECK(text.find("\nadmin: { address: 127.0.0.1:9901 }\n") != std::string::npos);
        Stage stage;
        stage.write("sallyport.yaml", text); // with a certificate
        stage.write("credentials.yaml", test::read_file(package / "credentials.yaml"));
        auto const refused = stage.check("sallyport.yaml");
        INFO(refused.output << refused.error);
        CHECK(refused.exit_code == 1);
        CHECK(lines_of(refused.output).size() == 2);
        CHECK(refused.output.find("is empty; write at least one") != std::string::npos);
        CHECK(refused.output.find("\"openapi.yaml\" cannot be read: No such file")
              != std::string::npos);
        stage.write("credentials.yaml",
                    test::read_file(project_folder() / "config/examples/minimal-credentials.yaml"));
        stage.write("openapi.yaml",
                    test::read_file(project_folder() / "config/contracts/management.yaml"));
        auto const taken = stage.check("sallyport.yaml");
        INFO(taken.output << taken.error);
        CHECK(taken.exit_code == 0);
    }
}

} // namespace examples_test
