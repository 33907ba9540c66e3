// Documents that are written as YAML, and changes to documents that were read.
#include "config/yaml_edit.h"
#include "config/yaml_print.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace yaml_print_test {

using namespace sallyport::config;

namespace {

[[nodiscard]] std::string printed(std::string_view text) {
    auto const document = yaml::load_text(text, "f.yaml");
    CHECK(document.problems().empty());
    return yaml::to_yaml(document.root());
}

[[nodiscard]] bool are_same(yaml::Node const& a, yaml::Node const& b) {
    if (a.kind() != b.kind() || a.text() != b.text() || a.items().size() != b.items().size()
        || a.entries().size() != b.entries().size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.items().size(); ++i)
        if (!are_same(a.items()[i], b.items()[i])) return false;
    for (std::size_t i = 0; i < a.entries().size(); ++i) {
        if (a.entries()[i].key != b.entries()[i].key) return false;
        if (!are_same(a.entries()[i].value, b.entries()[i].value)) return false;
    }
    return true;
}

// Written, read and written again.
[[nodiscard]] bool survives(yaml::Node const& node) {
    auto const once = yaml::to_yaml(node);
    CAPTURE(once);
    auto const again = yaml::load_text(once, "again.yaml");
    CHECK(again.problems().empty());
    return are_same(node, again.root()) && yaml::to_yaml(again.root()) == once;
}

// In JSON, every character of which can be written as an escape.
[[nodiscard]] bool text_survives(std::string_view json) {
    auto const document =
        yaml::load_text(std::string{"{\"k\": ["} + std::string{json} + "]}", "f.json");
    CAPTURE(json);
    CHECK(document.problems().empty());
    return survives(document.root());
}

} // namespace

TEST_CASE("a document is written in block style, in its own order, and without comments") {
    CHECK(printed("b: {z: 1, a: [1, [2, 3], {c: d}, []]} # note\na: {}\n")
          == "b:\n  z: 1\n  a:\n    - 1\n    - - 2\n      - 3\n    - c: d\n    - []\na: {}\n");
    CHECK(printed("[]") == "[]\n");
    CHECK(printed("text") == "text\n");
    CHECK(printed("- a: 1\n  b: 2\n- c: 3\n") == "- a: 1\n  b: 2\n- c: 3\n");
}

TEST_CASE("scalars keep their type, and numbers their spelling") {
    CHECK(printed("[1, 1.50, 0x1F, 1e3, true, null, ~, plain text, -0]")
          == "- 1\n- 1.50\n- 0x1F\n- 1e3\n- true\n- null\n- null\n- plain text\n- -0\n");
    // Texts that YAML 1.2 or 1.1 would read as something else.
    for (std::string const text :
         {"1",  "1.5", "0x1F",       "true", "null", "~",  "no",  "On",  "y", "",
          " a", "a ",  "- a",        "a: b", "a #b", "&a", "*a",  "!a",  "|", ">",
          "@a", "`a",  "%a",         "[a",   "{a",   "]",  "}",   ",",   "?", "'a'",
          "=",  "<<",  "2020-01-01", ".5",   "+1",   "-",  "---", "...", ":"}) {
        CAPTURE(text);
        CHECK(printed("'" + (text == "'a'" ? "''a''" : text) + "'") == "\"" + text + "\"\n");
    }
    CHECK(printed("'$ref'") == "$ref\n");
    CHECK(printed("/a/{id}: 1") == "/a/{id}: 1\n");
    CHECK(printed("'200': 1") == "\"200\": 1\n");
}

TEST_CASE("texts of several lines are literal blocks where that keeps them") {
    CHECK(printed("a: \"b\\nc\"") == "a: |-\n  b\n  c\n");
    CHECK(printed("a: \"b\\n\\nc\\n\"") == "a: |\n  b\n\n  c\n");
    CHECK(printed("a: \"b\\n\\n\"") == "a: |+\n  b\n\n");
    CHECK(printed("- \"b\\nc\"") == "- |-\n  b\n  c\n");
    CHECK(printed("a: \" b\\nc\"") == "a: \" b\\nc\"\n");
    CHECK(printed("a: \"\\nb\"") == "a: \"\\nb\"\n");
    CHECK(printed("a: \"b\\tc\"") == "a: \"b\\tc\"\n");
}

TEST_CASE("every text is read again as it was") {
    for (std::string_view const json : {R"("a\nb", 1)",
                                        R"("a\n", 1)",
                                        R"("a\n\n", 1)",
                                        R"("a\n\n\n", "b\n")",
                                        R"("\n")",
                                        R"("\n\n")",
                                        R"(" \n")",
                                        R"("a\n ")",
                                        R"("a\n b\n")",
                                        R"("a\n\tb")",
                                        R"("a \nb ")",
                                        R"("#\n#")",
                                        R"("---\n...")",
                                        R"("\u0001\u007f\u0085\u2028\u2029\ufeff")",
                                        R"("\"\\\/")",
                                        R"("ä\u00a0\ud83d\ude00")",
                                        R"("a\r\nb")",
                                        R"("\r")",
                                        R"({"a\nb": "c: d\n- e"})",
                                        R"({"": ""}, {" ": " "}, {"?": "?"}, {"a b": [{"c": []}]})",
                                        R"([[["a\nb"]], {"x": {"y": "a\nb\n"}}])"}) {
        CHECK(text_survives(json));
    }
}

TEST_CASE("the shipped contracts are read again as they were") {
    for (std::string const name : {"management", "observability"}) {
        auto const document =
            yaml::load_file(std::string{SALLYPORT_CONFIG_FOLDER} + "/contracts/" + name + ".yaml");
        REQUIRE(document.is_whole());
        CHECK(survives(document.root()));
    }
}

TEST_CASE("properties and items are added, replaced and removed, and found by their keys") {
    yaml::Editor editor{yaml::load_text("d: 1\nb: 2\na: 3\nc: [1, 2, 3]\n", "f.yaml")};
    auto const more = yaml::load_text("aa: [4]\n", "g.yaml");
    yaml::Node& root = editor.root();
    yaml::Editor::add(root, more.root().entries()[0]);
    REQUIRE(root.find("aa") != nullptr);
    CHECK(root.find("aa")->mark().file_name() == "g.yaml");
    std::vector<std::uint32_t> const positions{0, 2};
    yaml::Editor::remove(root, positions);
    CHECK(root.find("d") == nullptr);
    CHECK(root.find("a") == nullptr);
    CHECK(root.find("b")->as_integer() == 2);
    yaml::Editor::remove(yaml::Editor::child(root, 1), positions);
    yaml::Editor::append(yaml::Editor::child(root, 1), more.root());
    yaml::Editor::replace(yaml::Editor::child(root, 0), more.root().find("aa")->items()[0]);
    CHECK(root.find("b")->mark().file_name() == "g.yaml");
    CHECK(yaml::to_yaml(root) == "b: 4\nc:\n  - 2\n  - aa:\n      - 4\naa:\n  - 4\n");
    CHECK(yaml::size_of(root) == 9);
    CHECK(yaml::depth_of(root) == 4);
    auto const done = std::move(editor).finish({}, yaml::Extent::whole);
    CHECK(done.is_whole());
    CHECK(done.root().find("c")->items().size() == 2);
}

} // namespace yaml_print_test
