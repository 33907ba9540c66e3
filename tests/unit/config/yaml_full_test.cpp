// What documents that others publish may use of YAML, beyond what configurations may.
#include "config/yaml.h"

#include <catch2/catch.hpp>

namespace yaml_full_test {

namespace {

namespace yaml = sallyport::config::yaml;

[[nodiscard]] yaml::Document load(std::string_view text) {
    return yaml::load_text(text, "f.yaml", yaml::Syntax::full);
}

[[nodiscard]] std::string problems_of(std::string_view text) {
    std::string all;
    for (auto const& problem : load(text).problems())
        all += describe(problem) + '\n';
    return all;
}

// The value in flow style, with its marks.
[[nodiscard]] std::string shown(yaml::Node const& node) {
    std::string out = std::to_string(node.mark().line) + ':' + std::to_string(node.mark().column)
                      + (node.is_sequence()  ? "["
                         : node.is_mapping() ? "{"
                                             : "");
    for (auto const& item : node.items())
        out += shown(item) + ',';
    for (auto const& entry : node.entries())
        out += entry.key + '=' + shown(entry.value) + ',';
    return out + (node.is_scalar() ? ' ' + node.text() : node.is_sequence() ? "]" : "}");
}

[[nodiscard]] std::string read(std::string_view text) {
    auto const document = load(text);
    for (auto const& problem : document.problems())
        return describe(problem);
    return shown(document.root());
}

// n anchors of lists, each with ten aliases of the one before it.
[[nodiscard]] std::string laughs(int n) {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i <= n; ++i) {
        auto const here = std::to_string(i);
        auto const before = "*a" + std::to_string(i - 1);
        text += "a" + here + ": &a" + here + " [";
        for (int k = 0; k < 10; ++k)
            text += before + ", ";
        text += "]\n";
    }
    return text;
}

} // namespace

TEST_CASE("in a published document numbers and booleans are keys by their text") {
    auto const document = load("200: a\n0x1F: b\n1.50: c\ntrue: d\n-1: e\n");
    CHECK(document.problems().empty());
    for (auto const* const key : {"200", "0x1F", "1.50", "true", "-1"})
        CHECK(document.root().find(key) != nullptr);
    CHECK(problems_of("200: a\n'200': b\n")
          == "f.yaml:2:1: 200: the key is given twice, first on line 1; keep one of them\n");
    CHECK(problems_of("~: a\n")
          == "f.yaml:1:1: a key must be a string, not null; write it in quotes: \"null\"\n");
    CHECK(problems_of("? [a]\n: b\n")
          == "f.yaml:1:3: a key must be a string, not a list; "
             "write a plain word or a string in quotes\n");
}

TEST_CASE("a byte-order mark before a published document has no effect") {
    CHECK(read("\xEF\xBB\xBF"
               "a: 1\n")
          == "1:1{a=1:4 1,}");
    CHECK(
        yaml::load_text("\xEF\xBB\xBF{\"a\": 1}", "f.json", yaml::Syntax::full).problems().empty());
    CHECK(problems_of("a: 1\n\xEF\xBB\xBF") != "");
}

TEST_CASE("an alias is the value of its anchor, with the place of the anchor") {
    CHECK(read("a: &x 1\nb: *x\n") == "1:1{a=1:4 1,b=1:4 1,}");
    CHECK(read("a: &x {c: [&y d, *y]}\nb: *x\n")
          == "1:1{a=1:4{c=1:11[1:12 d,1:12 d,],},b=1:4{c=1:11[1:12 d,1:12 d,],},}");
    // Of two anchors with one name the last before the alias counts (YAML 1.2.2, 7.1).
    CHECK(read("a: &x 1\nb: &x 2\nc: *x\n") == "1:1{a=1:4 1,b=2:4 2,c=2:4 2,}");
    CHECK(read("&k a: 1\nb: *k\n*k : 2\n").find("the key is given twice") != std::string::npos);
    CHECK(read("a: &x ~\nb: *x\n") == "1:1{a=1:1 ,b=2:1 ,}");
    CHECK(problems_of("a: *x\n")
          == "f.yaml:1:4: a: an alias without its anchor; "
             "put a text that begins with '*' in quotes\n");
    CHECK(problems_of("a: &x [1, *x]\n")
          == "f.yaml:1:11: a[1]: an alias inside the value that it stands for; write $ref\n");
    CHECK(problems_of("a: !!str 1\n")
          == "f.yaml:1:4: a: tags are not read; write the value without it\n");
}

TEST_CASE("a merge key adds what the mapping does not have itself, the first mapping first") {
    CHECK(read("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n")
          == "1:1{a=1:4{x=1:11 1,y=1:17 2,},b=2:4{y=2:16 3,x=1:11 1,},}");
    CHECK(read("a: &a {x: 1}\nb: &b {x: 2, z: 3}\nc: {<<: [*a, *b]}\n")
              .find("c=3:4{x=1:11 1,z=2:17 3,}")
          != std::string::npos);
    CHECK(read("a: {<<: {x: 1}}\n") == "1:1{a=1:4{x=1:13 1,},}");
    // A merged mapping that is merged again.
    CHECK(read("a: &a {x: 1}\nb: &b {<<: *a}\nc: {<<: *b}\n").find("c=3:4{x=1:11 1,}")
          != std::string::npos);
    CHECK(read("a: {'<<': 1}\n") == "1:1{a=1:4{<<=1:11 1,},}");
    CHECK(problems_of("a: {<<: 1}\n")
          == "f.yaml:1:5: a[\"<<\"]: must be a mapping, or a list of mappings; "
             "write an alias of one, or the key in quotes\n");
    CHECK(problems_of("a: {<<: [{}, 1]}\n").find("must be a mapping, or a list")
          != std::string::npos);
    auto const merged = load("a: &a {x: 1}\nb: {<<: *a}\n");
    CHECK(merged.root().find("b")->find("x") != nullptr);
    // In a configuration it is a key like any other.
    auto const plain = yaml::load_text("<<: 1\n", "f.yaml");
    CHECK(plain.root().find("<<") != nullptr);
}

TEST_CASE("aliases cannot make a document larger than its limits") {
    CHECK(problems_of(laughs(4)).empty()); // 11,110 values in the last one
    auto const large = load(laughs(9));
    CHECK_FALSE(large.is_whole());
    REQUIRE(large.problems().size() == 1);
    CHECK(describe(large.problems()[0])
              .find(": more than 1000000 values in anchors and the aliases "
                    "of them; split the document, or write $ref in place "
                    "of aliases")
          != std::string::npos);

    // Long texts count by their length.
    std::string texts = "a: &a '" + std::string(1'000'000, 'x') + "'\nb: [";
    for (int i = 0; i < 300; ++i)
        texts += "*a, ";
    CHECK(problems_of(texts + "]\n").find("more than 1000000 values") != std::string::npos);

    // Anchors within anchors are copied with each of them, and count with each.
    std::string inside;
    for (int i = 0; i < 100; ++i)
        inside += "[&a" + std::to_string(i) + " ";
    inside += "[";
    for (int i = 0; i < 15'000; ++i)
        inside += "1,";
    CHECK(problems_of(inside + "]" + std::string(100, ']')).find("more than 1000000 values")
          != std::string::npos);

    // 100 levels, and an alias of them on the hundredth level.
    std::string deep = "a: &a " + std::string(100, '[') + std::string(100, ']') + "\nb: ";
    CHECK(problems_of(deep + std::string(20, '[') + "*a" + std::string(20, ']') + "\n").empty());
    CHECK(problems_of(deep + std::string(28, '[') + "*a" + std::string(28, ']') + "\n")
              .find("nested deeper than 128 levels; make the document flatter")
          != std::string::npos);
}

} // namespace yaml_full_test
