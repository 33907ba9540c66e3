// The JSON Schema of the configuration: it accepts what is valid, and refuses what is refused as
// far as a schema can.
#include "cases.h"
#include "config/json_value.h"
#include "config/tables.h"
#include "schema_beyond.h"
#include "schema_judge.h"
#include "support.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

namespace schema_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

World const world{{{"SECRET", "a b"}, {"TOKEN", "abc"}}, {}};

yaml::Node const* find(yaml::Node const& schema, std::initializer_list<std::string_view> path) {
    yaml::Node const* node = &schema;
    for (std::string_view const step : path)
        node = node != nullptr ? node->find(step) : nullptr;
    return node;
}

// Calls `look` for every key of the schema, with its path and its own schema.
template <class Look>
void each_key(yaml::Node const& schema, std::string const& path, Look const& look) {
    if (auto const* keys = schema.find("properties")) {
        for (auto const& [name, mark, value] : keys->entries()) {
            look(path + "." + name, value);
            each_key(value, path + "." + name, look);
        }
    }
    for (std::string_view const inner : {"items", "additionalProperties"}) {
        if (auto const* node = schema.find(inner)) each_key(*node, path + "[]", look);
    }
    if (auto const* choices = schema.find("anyOf")) {
        for (auto const& choice : choices->items())
            each_key(choice, path, look);
    }
}

} // namespace

TEST_CASE("what is refused is refused by the schema too, but for what is beyond one") {
    SchemaJudge config{tables().config().info()};
    SchemaJudge credentials{tables().credentials().info()};
    std::size_t refused = 0;
    std::set<std::string_view> seen;
    for (char const* const name : {"listeners.txt", "upstreams.txt", "apis.txt", "jwt.txt",
                                   "introspection.txt", "rest.txt", "credentials.txt"}) {
        bool const is_config = std::string_view{name} != "credentials.txt";
        SchemaJudge& judge = is_config ? config : credentials;
        for (auto const& [part, expected] : read_cases(name, "")) {
            CAPTURE(name, part);
            auto const problems = is_config ? read(part, world).problems : read_keys(part).problems;
            auto const document = yaml::load_text(is_config ? whole(part) : part, "d.yaml");
            bool const accepted = judge.accepts(document);
            INFO(judge.why());
            // Of the tables none is beyond in one part and wrong in another.
            bool const is_left = duty_of(problems) == Duty::none && !yaml::has_errors(problems);
            CHECK((is_left || accepted == (duty_of(problems) != Duty::refuse)));
            refused += accepted ? 0U : 1U;
            for (auto const& problem : problems) {
                if (auto const* row = beyond_row(problem)) seen.insert(row->words);
            }
        }
    }
    CHECK(refused > 100);
    for (BeyondRow const& row : beyond_rows) {
        INFO(row.words);
        CHECK(seen.count(row.words) == 1);
    }
}

TEST_CASE("every example is taken by the schema") {
    SchemaJudge config{tables().config().info()};
    SchemaJudge credentials{tables().credentials().info()};
    std::size_t count = 0;
    for (auto const& entry :
         std::filesystem::directory_iterator{std::string{SALLYPORT_CONFIG_FOLDER} + "/examples"}) {
        bool const is_contract = entry.path().filename().string().ends_with(".openapi.yaml");
        if (entry.path().extension() != ".yaml" || is_contract) continue;
        auto const document = yaml::load_file(entry.path().string());
        bool const is_config = document.root().find("listeners") != nullptr;
        SchemaJudge& judge = is_config ? config : credentials;
        bool const accepted = judge.accepts(document);
        INFO(entry.path() << "\n" << judge.why());
        CHECK(accepted);
        CHECK_FALSE((is_config ? credentials : config).accepts(document));
        ++count;
    }
    CHECK(count >= 10);
}

TEST_CASE("what is not built is in no schema") {
    auto const text = json_schema(tables().config().info(), "t")
                      + json_schema(tables().credentials().info(), "t");
    CHECK(text.find("\"ca\": {}") == std::string::npos);
    for (std::string_view const word : {"\"h2\"", "\"http/1.1\"", "\"basic\"", "\"ca\": {"})
        CHECK(text.find(word) != std::string::npos);
}

TEST_CASE("every key of the schema has a description, and its default and examples are valid") {
    for (auto const* const info : {&tables().config().info(), &tables().credentials().info()}) {
        auto const document = yaml::load_text(json_schema(*info, "t"), "schema.json");
        REQUIRE(document.problems().empty());
        auto const* const definitions = document.root().find("$defs");
        REQUIRE(definitions != nullptr);
        std::size_t keys = 0;
        std::size_t presets = 0;
        std::size_t examples = 0;
        auto const check = [&](yaml::Node const& schema, yaml::Node const& value) {
            auto whole_schema = json_of(schema);
            whole_schema.add("$defs", json_of(*definitions));
            SchemaJudge judge{print(whole_schema)};
            bool const accepted = judge.accepts(print(json_of(value)));
            INFO(print(json_of(value)) << "\n" << judge.why());
            CHECK(accepted);
        };
        each_key(document.root(), {}, [&](std::string const& path, yaml::Node const& schema) {
            CAPTURE(path);
            ++keys;
            auto const* const description = schema.find("description");
            REQUIRE(description != nullptr);
            CHECK(description->text().size() > 5);
            if (auto const* const preset = schema.find("default")) {
                ++presets;
                check(schema, *preset);
                // Not the number that YAML makes of it.
                if (path.find(".minimum_version") != std::string::npos) CHECK(preset->is_string());
            }
            if (auto const* const list = schema.find("examples")) {
                for (auto const& example : list->items()) {
                    ++examples;
                    check(schema, example);
                }
            }
        });
        bool const is_config = info == &tables().config().info();
        CHECK(keys > (is_config ? 70U : 10U));
        CHECK(presets >= (is_config ? 35U : 1U));
        CHECK(examples >= (is_config ? 8U : 1U));
    }
}

TEST_CASE("the schema is JSON that names the standard it follows") {
    auto const text = json_schema(tables().config().info(), "Sallyport");
    auto const document = yaml::load_text(text, "schema.json");
    REQUIRE(document.problems().empty());
    CHECK(document.root().find("$schema")->text()
          == "https://json-schema.org/draft/2020-12/schema");
    CHECK(document.root().find("title")->text() == "Sallyport");
    CHECK(find(document.root(), {"properties", "limits", "properties", "fields", "default"})->text()
          == "100");
    CHECK(
        find(document.root(), {"properties", "limits", "properties", "head", "description"})->text()
        == "head of a request; one line of it has 64 KiB at most (1KiB to 1MiB)");
    CHECK(find(document.root(), {"properties", "workers", "description"})->text()
          == "threads that serve; auto: one for each processor (1 to 256)");
    CHECK(document.root().find("additionalProperties")->text() == "false");
    auto const line = json_schema(tables().config().info(), "Sallyport", Layout::one_line);
    CHECK(line.find('\n') == line.size() - 1);
    auto const same = yaml::load_text(line, "schema.json");
    CHECK(print(json_of(same.root())) == print(json_of(document.root())));
}

} // namespace schema_test
