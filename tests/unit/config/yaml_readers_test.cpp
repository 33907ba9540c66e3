// What the fast readers of YAML and JSON read, and what they leave to the slow ones, which read the
// same.
#include "config/yaml_builder.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

namespace yaml_readers_test {

using namespace sallyport::config::yaml;

namespace {

// All that can be told of a value.
[[nodiscard]] std::string shown(Node const& node) {
    std::string out = std::to_string(node.mark().line) + ':' + std::to_string(node.mark().column)
                      + ' ' + std::string{name_of(node.kind())}
                      + (node.is_quoted() ? " \"" + node.text() + '"' : ' ' + node.text());
    for (Node const& item : node.items())
        out += " [" + shown(item) + ']';
    for (Entry const& entry : node.entries())
        out += " {" + std::to_string(entry.mark.line) + ':' + std::to_string(entry.mark.column)
               + ' ' + entry.key + " = " + shown(entry.value) + '}';
    return out;
}

[[nodiscard]] std::string shown(Document const& document) {
    std::string out = document.is_whole() ? shown(document.root()) : "nothing";
    for (Problem const& problem : document.problems())
        out += '\n' + describe(problem);
    return out;
}

[[nodiscard]] bool is_plain(std::string_view text) {
    Builder builder{"f.yaml", Syntax::full};
    return read_plain_yaml(text, builder) == PlainResult::read;
}

} // namespace

TEST_CASE("a file of credentials is read by libyaml, as yaml-cpp reads it") {
    constexpr std::string_view texts[] = {
        "credentials:\n"
        "  # of a service\n"
        "  - name: svc-000001\n"
        "    basic: { key_id: \"9fK2\", secrets: [\"sha256:8f43\", 'it''s'] }\n"
        "    labels: { tier: ENTERPRISE, paid: true, seats: 0x1F, none: ~, \"a b\": -1.5 }\n"
        "    allow:\n"
        "      operations:\n"
        "      - management/*\n"
        "      -   files/get # one\n"
        "    expires: 2099-06-30T00:00:00Z\n"
        "  - name: gr\xC3\xBC\xC3\x9F\x65\n"
        "    bearer: {tokens: [\"a\", \"b\"]}\n"
        "\n"
        "    allow: all\n"
        "    disabled:\n",
        "---\n- - a\n  - b: c\n    d: []\n- {}\n- http://h/v1/x?y=1\n",
        "200: x\n'k': null\n\"\xE2\x82\xAC\": \"\xE2\x82\xAC\"\n",
        "a: {\"b\":1, c: [d, {e: f}]}\n",
    };
    for (std::string_view const text : texts) {
        CAPTURE(text);
        Builder fast{"f.yaml", Syntax::full};
        REQUIRE(read_plain_yaml(text, fast) == PlainResult::read);
        Builder slow{"f.yaml", Syntax::full};
        read_yaml(text, slow);
        CHECK(shown(fast.finish()) == shown(slow.finish()));
    }
}

TEST_CASE("what is not surely read alike is left to yaml-cpp") {
    constexpr std::string_view texts[] = {
        "",
        "# nothing\n",
        "---\n",
        "a\n",
        "a: 1\n...\n",
        "a: 1\n---\nb: 1\n",
        "%YAML 1.2\n---\na: 1\n",
        "# c\n%YAML 1.2\n---\na: 1\n",
        "a:\tb\n",
        "a: 1\r\nb: 2\r\n",
        "a: b\xC2\x85\n",
        "a: b\xE2\x80\xA8\n",
        "a: b\xE2\x80\xA9\n",
        "a: b\xEF\xBB\xBF\n",
        "a: &x b\n",
        "a: &x [b]\n",
        "a: &x {b: c}\n",
        "a: &x b\nc: *x\n",
        "a: !t b\n",
        "a: ! b\n",
        "a: !!seq [b]\n",
        "a: !!map {b: c}\n",
        "? a\n: b\n",
        "a: [?b: c]\n",
        "a: {b?: c}\n",
        "[a]: b\n",
        "{a: b}: c\n",
        "a: [b: c]\n",
        "a: [b, , c]\n",
        "a: {b, c}\n",
        "a: {b: , c: d}\n",
        "- a\n-\n- b\n",
        "a: |\n  b\n",
        "a: >\n  b\n",
        "a: b\n  c\n",
        "a: 'b\n  c'\n",
        "a: \"b\n  c\"\n",
        "a: \"\\n\"\n",
        "\"\\n\": a\n",
        "a: 1\na: 2\n",
        "null: a\n",
        "a: [\n",
        "a: \"b\n",
    };
    for (std::string_view const text : texts) {
        CAPTURE(text);
        CHECK_FALSE(is_plain(text));
    }
    std::string const key(257, 'k');
    CHECK_FALSE(is_plain(key + ": a\n"));
    CHECK(is_plain(key.substr(1) + ": a\n"));
}

TEST_CASE("limits hold in the fast readers") {
    std::string const deep = std::string(max_depth, '[') + std::string(max_depth, ']');
    CHECK(is_plain(deep));
    CHECK_FALSE(is_plain('[' + deep + ']'));
    Builder builder{"f.json", Syntax::plain};
    CHECK(read_valid_json(deep, builder) == JsonResult::read);
    Builder too_deep{"f.json", Syntax::plain};
    CHECK(read_valid_json('[' + deep + ']', too_deep) == JsonResult::not_json);
    CHECK(describe(load_text('[' + deep + ']', "f.json").problems().at(0))
          == "f.json:1:129: [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"
             " ... [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]: nested deeper "
             "than 128 levels; make the document flatter");
}

TEST_CASE("JSON is read by simdjson, as the reader that explains reads it") {
    constexpr std::string_view texts[] = {
        "{}",
        " [ ] \n",
        R"({"a": [1, -0, 1.50, 1e400, 123456789012345678901234567890, -0.5e-7, true, false, null]})",
        "{\"a\" :\r\n\t\"\\u00e9\\ud83d\\ude00\\n\\/\\\\\\\"\" , \"\xC3\xA9\xE2\x82\xAC\": "
        "\"\xC3\xA9\", \"\\u0061\": {}}\n",
        "[\n\"a text that is longer than thirty-two bytes, with \xE2\x82\xAC\", 1]\n",
        R"({"a": 1, "b": {"a": 1, "a": 2}, "a": []})",
        R"([{"a":{"b":[{"c":"d"}]}},[[]],"",{}])",
    };
    for (std::string_view const text : texts) {
        CAPTURE(text);
        Builder fast{"f.json", Syntax::plain};
        REQUIRE(read_valid_json(text, fast) == JsonResult::read);
        Builder slow{"f.json", Syntax::plain};
        Place where;
        std::string what;
        REQUIRE(read_json(text, slow, where, what) == JsonResult::read);
        CHECK(shown(fast.finish()) == shown(slow.finish()));
    }
}

TEST_CASE("what is not JSON is not read by simdjson, wherever it stands") {
    constexpr std::string_view texts[] = {
        "",
        "1",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[,]",
        "[1 2]",
        "[1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "[] []",
        "[]]",
        "{}1",
        "[01]",
        "[1.]",
        "[+1]",
        "[.5]",
        "[1e]",
        "[-]",
        "[nul]",
        "[nullx]",
        "[True]",
        "[tru e]",
        "['a']",
        "[\"a]",
        "[\"\\q\"]",
        "[\"\\u12g4\"]",
        "[\"\\ud83d\"]",
        "[\"\\udc00\"]",
        "[\"\\ud83d\\u0041\"]",
        "[\"a\tb\"]",
        "[\"a\"\"b\"]",
        "[\"a\":1]",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1}}",
        "[NaN]",
        "[1,\"\\x\"]",
        "{\"\\q\":1}",
        "[[1]",
    };
    for (std::string_view const text : texts) {
        CAPTURE(text);
        Builder builder{"f.json", Syntax::plain};
        CHECK(read_valid_json(text, builder) == JsonResult::not_json);
    }
}

TEST_CASE("the name of a file is one object, however often it is named") {
    auto const* const name = intern_file_name("f.yaml");
    CHECK(*name == "f.yaml");
    CHECK(intern_file_name(std::string{"f.yaml"}) == name);
    CHECK(intern_file_name("g.yaml") != name);
    auto const document = load_text("a: 1\n", "f.yaml");
    CHECK(document.root().mark().file == name);
}

} // namespace yaml_readers_test
