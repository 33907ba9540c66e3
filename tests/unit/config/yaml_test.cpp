// What the YAML and JSON loader refuses, and the types, values and places that it reads.
#include "config/yaml.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

namespace yaml_test {

using namespace sallyport::config;
using yaml::Kind;

namespace {

std::string problems_of(std::string_view text, std::string_view name = "f.yaml") {
    std::string out;
    for (auto const& problem : yaml::load_text(text, name).problems()) {
        out += describe(problem) + '\n';
    }
    return out;
}

struct Case {
    std::string text;
    std::string problems;
};

std::string brackets(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

} // namespace

TEST_CASE("tabs may be before a comment and in an empty line, behind any value") {
    auto const document = yaml::load_text("a:\n- one\n\t\t# of two\n- two\n\t\nb: 3\n \t # end\n"
                                          "c: |\n  x\n  \t# kept\n",
                                          "f.yaml");
    CHECK(document.problems().empty());
    REQUIRE(document.is_whole());
    REQUIRE(document.root().find("a")->items().size() == 2);
    CHECK(document.root().find("a")->items()[0].text() == "one");
    CHECK(document.root().find("b")->text() == "3");
    CHECK(document.root().find("c")->text() == "x\n\t# kept\n");
}

TEST_CASE("a line that is indented too much, and a key without its colon, are told on their line") {
    std::string const indented = ", whose key has its value already; align it with the keys around "
                                 "it; put a text of several lines in quotes\n";
    std::string const no_colon =
        "a key without its ':'; write 'key: value', or 'key:' before a mapping\n";
    struct Fault {
        std::string text;
        std::string problems;
    };
    for (auto const& [text, problems] : std::vector<Fault>{
             {"a:\n  b: x\n    c: 2\n",
              "f.yaml:3:5: a: is indented more than line 2" + indented},
             {"a:\n  - b: x\n      c: 2\n",
              "f.yaml:3:7: a[0]: is indented more than line 2" + indented},
             {"a:\n  b: \"x\"\n     c: 1\n",
              "f.yaml:3:6: a: is indented more than line 2" + indented},
             {"a:\n  b: [1]\n    c: 2\n",
              "f.yaml:3:5: a: is indented more than line 2" + indented},
             {"a:\n  b: x # c\n\n# d\n      e: 2\n",
              "f.yaml:5:7: a: is indented more than line 2" + indented},
             {"a:\n  b 1\n  c: 2\n", "f.yaml:2:3: a: " + no_colon},
             {"a:\n  - b 1\n    c: 2\n", "f.yaml:2:5: a[0]: " + no_colon},
             {"info\n  title: x\n", "f.yaml:1:1: " + no_colon},
             {"a:\n  \"b\" 2\n  c: 1\n", "f.yaml:2:3: a: " + no_colon},
             {"a:\n  b:1\n  c: 2\n",
              "f.yaml:2:3: a: a ':' without the space behind it; write 'key: value', or 'key:' "
              "before a mapping\n"},
             {"a:\n  b: 1\n  c 2\nd: 3\n", "f.yaml:3:3: a: " + no_colon},
             // A text of several lines is none of them.
             {"a: some words\n  more words\n  note: x\n",
              "f.yaml:3:7: ':' where no value can begin; put a text that holds ': ' in quotes\n"},
             {"a:\n   b: 1\n  c: 2\n",
              "f.yaml:3:3: a line that does not belong to the mapping around it; align it with the "
              "other keys; put values with ': ' or '#' in quotes\n"},
         }) {
        CAPTURE(text);
        CHECK(problems_of(text) == problems);
    }
}

TEST_CASE("documents that are no YAML are refused with file, line, column and what to write") {
    Case const cases[] = {
        {"a: [1, 2\n", "f.yaml:2:1: a[2]: '[' without its ']'; close it\n"},
        {"a: {b: 1\n", "f.yaml:2:1: a: '{' without its '}'; close it\n"},
        {"a: \"x\n", "f.yaml:1:4: a: a quote that is never closed; close it\n"},
        {"a: \"", "f.yaml:1:4: a: a quote that is never closed; close it\n"},
        {"a: \"x\\\"\n", "f.yaml:1:4: a: a quote that is never closed; close it\n"},
        {"a: 'x''", "f.yaml:1:8: a: a quote that is never closed; close it\n"},
        {"a: b: c\n",
         "f.yaml:1:5: ':' where no value can begin; put a text that holds ': ' in quotes\n"},
        {"a: 1\n\tb: 2\n", "f.yaml:2:1: a: a tab in the indentation; indent with spaces\n"},
        {"a:\n\tb: 2\n", "f.yaml:2:3: a tab in the indentation; indent with spaces\n"},
        {"a:\n  b:\n  \tc: 2\n", "f.yaml:3:5: a: a tab in the indentation; indent with spaces\n"},
        {"a: \"^\\d$\"\n",
         "f.yaml:1:8: a: a backslash that begins no escape; put the text in single "
         "quotes, or write two backslashes\n"},
        {"a: @x\n",
         "f.yaml:1:4: a: a character that cannot begin a value; put the text in quotes\n"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: something stands after the end of the document; keep "
                              "one document in a file\n"},
        {"{\"a\": 1} {\"b\": 2}", "f.yaml:1:10: something stands after the end of the document; "
                                  "keep one document in a file\n"},
    };
    for (auto const& [text, problems] : cases) {
        CAPTURE(text);
        CHECK(problems_of(text) == problems);
        CHECK_FALSE(yaml::load_text(text, "f.yaml").is_whole());
    }
}

TEST_CASE("bytes that no document may hold are refused") {
    CHECK(problems_of("a: \xC3\x28\n") == "f.yaml:1:4: invalid UTF-8; save the file as UTF-8\n");
    CHECK(problems_of("a: \xC0\xAF\n") == "f.yaml:1:4: invalid UTF-8; save the file as UTF-8\n");
    CHECK(problems_of("\xEF\xBB\xBF"
                      "a: 1\n")
          == "f.yaml:1:1: begins with a byte-order mark; save the file as UTF-8 without one\n");
    // yaml-cpp takes a byte 0x04 for the end of the file, and would not read what follows.
    CHECK(problems_of("a: 1\n\x04 b: 2\n")
          == "f.yaml:2:1: U+0004, a control character; "
             "write it as an escape in double quotes: \"\\x04\"\n");
    for (auto const* const name : {"f.yaml", "f.json"}) {
        auto const document = yaml::load_text(std::string_view{"[1,\n\0]", 6}, name);
        REQUIRE(document.problems().size() == 1);
        CHECK(describe(document.problems()[0])
              == std::string{name} + ":2:1: U+0000 (NUL); remove it, or save the file as UTF-8");
    }
}

TEST_CASE("documents beyond the limits are refused") {
    CHECK(problems_of(std::string(yaml::max_file_size + 1, '#'))
          == "f.yaml: larger than 33554432 bytes; split the document\n");
    CHECK(problems_of(std::string(1000, '#')).empty());
    for (std::string_view const name : {"f.yaml", "f.json"}) {
        CHECK(problems_of(brackets(yaml::max_depth), name).empty());
        CHECK(problems_of(brackets(yaml::max_depth + 1), name)
                  .find("nested deeper than 128 levels; make the document flatter\n")
              != std::string::npos);
        CHECK_FALSE(problems_of(brackets(200'000), name).empty());
        std::string deep;
        for (int i = 0; i < 200; ++i)
            deep += R"({"key": )";
        auto const told = problems_of(deep, name);
        CHECK(told.find(" ... ") != std::string::npos);
        CHECK(told.size() < 300);
    }
    std::string many = "[";
    for (std::size_t i = 0; i < yaml::max_nodes; ++i)
        many += "1,";
    many += "1]";
    CHECK(problems_of(many, "f.json").find("more than 2000000 values; split the document\n")
          != std::string::npos);
}

TEST_CASE("a document with more problems than anyone reads reports 200, and how many there are") {
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += std::to_string(i) + ": x\n";
    auto const document = yaml::load_text(text, "f.yaml");
    REQUIRE(document.problems().size() == yaml::max_problems + 1);
    CHECK(describe(document.problems().back()) == "f.yaml: 100 more problems");
    // It stays behind the others of its file.
    auto problems = document.problems();
    yaml::sort_by_place(problems);
    CHECK(problems.back().is_rest);
}

TEST_CASE("duplicate keys are refused at any depth, where yaml-cpp takes the first") {
    CHECK(problems_of("a: 1\nb:\n  - c: 1\n    'c': 2\na: 3\n")
          == "f.yaml:4:5: b[0].c: the key is given twice, first on line 3; keep one of them\n"
             "f.yaml:5:1: a: the key is given twice, first on line 1; keep one of them\n");
    CHECK(problems_of(R"({"a": 1, "\u0061": 2})", "f.json")
          == "f.json:1:10: a: the key is given twice, first on line 1; keep one of them\n");
    auto const document = yaml::load_text("b: 1\na: 1\na: 2\nc: 5\nb: 7\n", "f.yaml");
    REQUIRE(document.root().entries().size() == 3);
    CHECK(document.root().find("a")->as_integer() == 1);
    CHECK(document.root().find("b")->as_integer() == 1);
    CHECK(document.root().find("c")->as_integer() == 5);
}

TEST_CASE("keys that are no strings are refused") {
    CHECK(
        problems_of("a:\n  200: x\n")
        == "f.yaml:2:3: a: a key must be a string, not an integer; write it in quotes: \"200\"\n");
    CHECK(problems_of("true: x\n")
          == "f.yaml:1:1: a key must be a string, not a boolean; write it in quotes: \"true\"\n");
    CHECK(problems_of("null: x\n")
          == "f.yaml:1:1: a key must be a string, not null; write it in quotes: \"null\"\n");
    CHECK(problems_of("? [a, b]\n: x\n")
          == "f.yaml:1:3: a key must be a string, not a list; "
             "write a plain word or a string in quotes\n");
    CHECK(problems_of("'200': x\non: y\n").empty());
}

TEST_CASE("nothing is not taken for null, where yaml-cpp does") {
    CHECK(problems_of("a: b\nlisteners\n")
          == "f.yaml:2:1: listeners: a key without a value; write 'key: value'\n");
    CHECK(problems_of("a: [b,,c]\n")
          == "f.yaml:1:7: a[1]: an empty place in a list; remove a comma, or write null\n");
    CHECK(problems_of("a: [,]\n")
          == "f.yaml:1:5: a[0]: an empty place in a list; remove a comma, or write null\n");
    CHECK(problems_of("a: [b,]\nc:\nd: {e, f: null}\n").empty());
}

TEST_CASE("anchors, aliases and tags are refused") {
    CHECK(problems_of("a: &x [1]\nb: *x\nc: !!str 1\nd: !secret {}\ne: ! x\n")
          == "f.yaml:1:4: a: anchors are not read; write the value out\n"
             "f.yaml:2:4: b: aliases are not read; write the value out\n"
             "f.yaml:3:4: c: tags are not read; write the value without it\n"
             "f.yaml:4:4: d: tags are not read; write the value without it\n"
             "f.yaml:5:4: e: tags are not read; write the value without it\n");
    CHECK(problems_of("a: *x\n")
          == "f.yaml:1:4: a: aliases are not read; "
             "write the value out; put a text that begins with '*' in quotes\n");
}

TEST_CASE("plain scalars are typed by the core schema of YAML 1.2") {
    struct Scalar {
        std::string text;
        Kind kind;
    };
    Scalar const scalars[] = {
        {"null", Kind::null},     {"~", Kind::null},        {"", Kind::null},
        {"NULL", Kind::null},     {"true", Kind::boolean},  {"False", Kind::boolean},
        {"on", Kind::string},     {"off", Kind::string},    {"yes", Kind::string},
        {"no", Kind::string},     {"y", Kind::string},      {"N", Kind::string},
        {"tRue", Kind::string},   {"nuLL", Kind::string},   {"0", Kind::integer},
        {"-17", Kind::integer},   {"+5", Kind::integer},    {"007", Kind::integer},
        {"0x1F", Kind::integer},  {"0o17", Kind::integer},  {"-0x1F", Kind::string},
        {"0b1", Kind::string},    {"1_000", Kind::string},  {"1:30", Kind::string},
        {"1.50", Kind::number},   {"1.", Kind::number},     {".5", Kind::number},
        {"1e3", Kind::number},    {"1e", Kind::string},     {".", Kind::string},
        {"-", Kind::string},      {"+.5e-7", Kind::number}, {".inf", Kind::number},
        {"-.Inf", Kind::number},  {".nan", Kind::number},   {"inf", Kind::string},
        {"1.5.2", Kind::string},  {"10s", Kind::string},    {"2001-01-01", Kind::string},
        {"\"1\"", Kind::string},  {"'true'", Kind::string}, {"\"\"", Kind::string},
        {"|\n  1", Kind::string}, {"0x", Kind::string},     {"127.0.0.1", Kind::string},
    };
    for (auto const& [text, kind] : scalars) {
        CAPTURE(text);
        if (text == "-") continue; // an empty list entry, in this place
        auto const document = yaml::load_text("k: " + text + "\n", "f.yaml");
        REQUIRE(document.problems().empty());
        REQUIRE(document.root().find("k") != nullptr);
        CHECK(document.root().find("k")->kind() == kind);
    }
}

TEST_CASE("escapes become UTF-8, where yaml-cpp writes two of them as Latin-1") {
    auto const text_of = [](std::string const& quoted) {
        auto const document = yaml::load_text("a: \"" + quoted + "\"\n", "f.yaml");
        return std::string{document.root().find("a")->text()};
    };
    CHECK(text_of("x\\Ny") == "x\xC2\x85y");
    CHECK(text_of("\\_\\N") == "\xC2\xA0\xC2\x85");
    CHECK(text_of("\xC3\xA9\\_\xE2\x82\xAC\\N") == "\xC3\xA9\xC2\xA0\xE2\x82\xAC\xC2\x85");
    CHECK(text_of("\\x85\\u00a0\\L\\P\\U0001f600")
          == "\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9\xF0\x9F\x98\x80");
    auto const key = yaml::load_text("\"k\\_\": 1\n", "f.yaml");
    CHECK(key.root().find("k\xC2\xA0") != nullptr);
}

TEST_CASE("numbers keep their exact value and their text") {
    auto const document = yaml::load_text("[10737418240, 1.50, 0x1F, 0o17, -9223372036854775808, "
                                          "9223372036854775808, 0xFFFFFFFFFFFFFFFF,"
                                          " 1e400, -1e400, 1e-400, .inf, +12, 1e3]",
                                          "f.yaml");
    REQUIRE(document.problems().empty());
    auto const& items = document.root().items();
    CHECK(items[0].as_integer() == 10737418240);
    CHECK(items[0].as_number() == 10737418240.0);
    CHECK(items[1].text() == "1.50");
    CHECK(items[1].as_number() == 1.5);
    CHECK_FALSE(items[1].is_integer());
    CHECK(items[2].as_integer() == 31);
    CHECK(items[2].text() == "0x1F");
    CHECK(items[3].as_integer() == 15);
    CHECK(items[4].as_integer() == std::numeric_limits<std::int64_t>::min());
    CHECK_FALSE(items[5].is_integer());
    CHECK(items[5].is_number());
    CHECK(items[5].text() == "9223372036854775808");
    CHECK(items[6].as_number() == 18446744073709551615.0);
    CHECK(items[7].as_number() == std::numeric_limits<double>::infinity());
    CHECK(items[8].as_number() == -std::numeric_limits<double>::infinity());
    CHECK(items[9].as_number() == 0.0);
    CHECK(items[10].as_number() == std::numeric_limits<double>::infinity());
    CHECK(items[11].as_integer() == 12);
    CHECK(items[11].text() == "+12");
    CHECK(items[12].as_number() == 1000.0);
    CHECK_FALSE(items[12].is_integer());
}

TEST_CASE("lines and columns count from 1, columns in code points") {
    auto const document = yaml::load_text("a: 1\nb:\n  - \xC3\xA4\xC3\xB6: \xC3\xBC\n", "f.yaml");
    auto const& root = document.root();
    CHECK(root.mark().line == 1);
    CHECK(root.mark().column == 1);
    CHECK(root.entries()[1].mark.line == 2);
    auto const& entry = root.find("b")->items()[0].entries()[0];
    CHECK(entry.mark.line == 3);
    CHECK(entry.mark.column == 5);
    CHECK(entry.value.mark().column == 9);
    CHECK(entry.mark.file_name() == "f.yaml");
}

TEST_CASE("a key that is not there has no node, and no place") {
    auto const document = yaml::load_text("a: 1\n", "f.yaml");
    CHECK(document.root().find("b") == nullptr);
    CHECK(document.root().find("a")->find("b") == nullptr);
    CHECK(document.root().find("a")->items().empty());
}

TEST_CASE("an empty document is null, and whole") {
    for (std::string_view const text : {"", "# nothing\n", "---\n", "\n\n"}) {
        auto const document = yaml::load_text(text, "f.yaml");
        CHECK(document.root().is_null());
        CHECK(document.is_whole());
        CHECK(document.problems().empty());
    }
}

TEST_CASE("entries keep the order of the file") {
    auto const document = yaml::load_text("z: 1\na: 2\nm: 3\n", "f.yaml");
    auto const& entries = document.root().entries();
    REQUIRE(entries.size() == 3);
    CHECK(entries[0].key == "z");
    CHECK(entries[1].key == "a");
    CHECK(entries[2].key == "m");
}

TEST_CASE("what is not JSON is refused in a file that must be JSON") {
    Case const cases[] = {
        {"{a: 1}", "f.json:1:2: not JSON: a property name in double quotes is missing\n"},
        {"{\"a\": 01}", "f.json:1:7: a: not JSON: neither a number nor a literal\n"},
        {"{\"a\": 1.}", "f.json:1:7: a: not JSON: neither a number nor a literal\n"},
        {"{\"a\": +1}", "f.json:1:7: a: not JSON: neither a number nor a literal\n"},
        {"{\"a\": True}", "f.json:1:7: a: not JSON: neither a number nor a literal\n"},
        {"{\"a\": 1,}", "f.json:1:9: not JSON: a property name in double quotes is missing\n"},
        {"[1,]", "f.json:1:4: [1]: not JSON: a value is missing\n"},
        {"[1", "f.json:1:3: [1]: not JSON: ',' or ']' is missing\n"},
        {"[\"\\ud83d\"]", "f.json:1:9: [0]: not JSON: half of a surrogate pair\n"},
        {"[\"\\udc00\"]", "f.json:1:9: [0]: not JSON: half of a surrogate pair\n"},
        {"[\"\\q\"]", "f.json:1:4: [0]: not JSON: an unknown escape\n"},
        {"[\"a\tb\"]", "f.json:1:4: [0]: not JSON: a control character in a string\n"},
        {"[] []", "f.json:1:4: not JSON: something stands after the end of the document\n"},
        {"", "f.json:1:1: not JSON: a value is missing\n"},
    };
    for (auto const& [text, problems] : cases) {
        CAPTURE(text);
        CHECK(problems_of(text, "f.json") == problems);
    }
}

TEST_CASE("JSON loads with exact values, whatever its file is called") {
    for (std::string_view const name : {"f.json", "f.yaml"}) {
        auto const document = yaml::load_text(
            "{\t\"a\\/b\": \"\\ud83d\\ude00 \\u00e4\\n\",\n\t\"on\": true, \"n\": -0.50e+2,\n"
            "\"l\": [ ],\"big\":12345678901234567890123 , \"null\": null}\n",
            name);
        REQUIRE(document.problems().empty());
        auto const& root = document.root();
        CHECK(root.find("a/b")->text() == "\xF0\x9F\x98\x80 \xC3\xA4\n");
        CHECK(root.find("on")->as_boolean());
        CHECK(root.find("n")->text() == "-0.50e+2");
        CHECK(root.find("n")->as_number() == -50.0);
        CHECK(root.find("l")->is_sequence());
        CHECK(root.find("big")->text() == "12345678901234567890123");
        CHECK(root.find("null")->is_null());
        CHECK(root.find_entry("on")->mark.line == 2);
        CHECK(root.find_entry("on")->mark.column == 2);
    }
}

TEST_CASE("a key of more than 1024 bytes is read in JSON") {
    std::string const key(5000, 'k');
    auto const document = yaml::load_text("{\"" + key + "\": 1}", "f.json");
    REQUIRE(document.problems().empty());
    CHECK(document.root().find(key)->as_integer() == 1);
}

TEST_CASE("a flow mapping that is not JSON is read as YAML") {
    auto const document = yaml::load_text("{a: 1, b: [x, y]}\n", "f.yaml");
    REQUIRE(document.problems().empty());
    CHECK(document.root().find("b")->items()[1].text() == "y");
}

TEST_CASE("a file that cannot be read is a problem") {
    auto const missing = yaml::load_file("/nonexistent/x.yaml");
    REQUIRE(missing.problems().size() == 1);
    CHECK(describe(missing.problems()[0])
          == "/nonexistent/x.yaml: cannot be read: No such file or directory");
    CHECK(describe(yaml::load_file("/").problems().at(0)) == "/: cannot be read: it is a folder");
}

TEST_CASE("what stands at the place of an error, above or below it, may only come from it") {
    CHECK(yaml::are_nested("a", "a"));
    CHECK(yaml::are_nested("a", "a.b"));
    CHECK(yaml::are_nested("a[0].b", "a"));
    CHECK(yaml::are_nested("", "a"));
    CHECK_FALSE(yaml::are_nested("a", "ab"));
    CHECK_FALSE(yaml::are_nested("a.b", "a.c"));

    auto const* const file = yaml::intern_file_name("f.yaml");
    auto const* const other = yaml::intern_file_name("g.yaml");
    yaml::Problems const causes{{{file, 1, 1}, "a.b", "wrong", ""},
                                {{file, 1, 1}, "d", "odd", "", yaml::Severity::warning}};
    yaml::Problems problems{{{file, 2, 1}, "a", "1", ""},
                            {{file, 3, 1}, "a.b[0]", "2", ""},
                            {{file, 4, 1}, "a.c", "3", ""},
                            {{other, 5, 1}, "a.b", "4", ""},
                            {{file, 6, 1}, "d.e", "5", ""}};
    yaml::remove_consequences(problems, causes);
    std::string left;
    for (auto const& problem : problems)
        left += problem.what;
    CHECK(left == "345");
}

TEST_CASE("a problem is described with the parts that it has") {
    auto const* const file = yaml::intern_file_name("f.yaml");
    CHECK(yaml::describe({{file, 3, 7}, "a.b", "wrong", "write x"})
          == "f.yaml:3:7: a.b: wrong; write x");
    CHECK(yaml::describe({{file, 0, 0}, "", "wrong", ""}) == "f.yaml: wrong");
    CHECK(yaml::describe({{}, "a", "wrong", "", yaml::Severity::warning}) == "warning: a: wrong");
    // One line, whatever is in a name, and nothing is cut off behind a NUL.
    CHECK(yaml::describe({{}, "a", std::string{"b\0c\n\"d\"", 7}, ""}) == "a: b\\x00c\\n\"d\"");
    CHECK(yaml::join_key("", "a") == "a");
    CHECK(yaml::join_key("paths", "/v1/x\n") == "paths[\"/v1/x\\n\"]");
    CHECK(yaml::join_index("a", 3) == "a[3]");
}

} // namespace yaml_test
