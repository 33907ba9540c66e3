// Values that probes try: see schema_probe_values.h.
#include "schema_probe_values.h"

#include "config/yaml.h"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace sallyport::config::test {

JsonValue parsed(std::string const& yaml) {
    auto const document = yaml::load_text(yaml, "d.yaml");
    REQUIRE(document.problems().empty());
    return json_of(document.root());
}

std::string hash_of_probes() {
    return "sha256:" + std::string(64, 'a');
}

namespace {

std::vector<JsonValue> texts(std::initializer_list<std::string> list) {
    std::vector<JsonValue> out;
    for (auto const& text : list)
        out.push_back(json_text(text));
    return out;
}

template <class List>
void append(std::vector<JsonValue>& to, List const& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// In each unit the numbers beside both ends of the range.
template <class Format>
std::vector<JsonValue> quantities(Shape const& shape, std::initializer_list<Format> units) {
    std::vector<JsonValue> out;
    for (auto const& [name, factor] : units) {
        for (std::int64_t const end : {shape.minimum, shape.maximum}) {
            for (std::int64_t const step : {-1, 0, 1}) {
                std::int64_t const number = end / factor + step;
                if (number < 0) continue;
                out.push_back(json_text(std::to_string(number) + name));
                out.push_back(json_text("00" + std::to_string(number) + name));
            }
        }
        out.push_back(json_text("-1" + std::string{name}));
        out.push_back(json_text("1.5" + std::string{name}));
        out.push_back(json_text("5 " + std::string{name}));
        out.push_back(json_text(name));
    }
    append(out, texts({"5", "5x", "5Ms", "5kib"}));
    return out;
}

struct UnitOf {
    char const* name;
    std::int64_t factor;
};

} // namespace

std::vector<JsonValue> values_of(Shape const& shape) {
    std::vector<JsonValue> out;
    switch (shape.kind) {
    case ShapeKind::integer:
    case ShapeKind::number:
        for (std::int64_t const number :
             {shape.minimum - 1, shape.minimum, shape.maximum, shape.maximum + 1})
            out.push_back(json_integer(number));
        break;
    case ShapeKind::duration:
        append(out, quantities<UnitOf>(shape,
                                       {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}));
        break;
    case ShapeKind::size:
        append(out, quantities<UnitOf>(
                        shape, {{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}));
        break;
    case ShapeKind::word:
        for (WordInfo const& word : shape.words) {
            append(out, texts({std::string{word.text}, std::string{word.text} + "x"}));
        }
        break;
    case ShapeKind::string:
    case ShapeKind::file:
    case ShapeKind::secret:
        for (std::string_view const word : shape.refused)
            out.push_back(json_text(word));
        for (std::int64_t const size : {shape.maximum, shape.maximum + 1}) {
            auto const length = static_cast<std::size_t>(size);
            append(out, texts({std::string(length, 'a'), '/' + std::string(length - 1, 'a'),
                               "unix:/" + std::string(length - 6, 'a')}));
        }
        break;
    default: break;
    }
    return out;
}

std::vector<JsonValue> values_of_all_kinds() {
    std::vector<JsonValue> out = texts({"",
                                        " ",
                                        "a",
                                        "A",
                                        "GET",
                                        "get",
                                        "yes",
                                        "no",
                                        "true",
                                        "on",
                                        "off",
                                        "all",
                                        "auto",
                                        "1",
                                        "1.2",
                                        "3",
                                        "a b",
                                        "a:b",
                                        "a:80",
                                        "a:65535",
                                        "a:65536",
                                        "a:b:c",
                                        "a/b",
                                        "a/*",
                                        "a/b*",
                                        "a/b/c",
                                        "/",
                                        "/a",
                                        "/a/",
                                        "//",
                                        "/a//b",
                                        "/a/../b",
                                        "/a/...",
                                        "/./",
                                        "/.a",
                                        "/a;b",
                                        "/a?",
                                        "/%2e",
                                        "..",
                                        ".",
                                        ".a",
                                        "a..b",
                                        "a.",
                                        "-a",
                                        "_a",
                                        "[::1]",
                                        "[::1",
                                        "[::1]:1",
                                        "1.2.3.4",
                                        "1.2.3.4:0",
                                        "1.2.3.256:0",
                                        "01.2.3.4:0",
                                        "1.2.3.4:65535",
                                        "1.2.3.4:65536",
                                        "1.2.3.4:",
                                        "http://a",
                                        "http://a:0",
                                        "http://a:1",
                                        "http://a/",
                                        "http://u@a",
                                        "https://[::1]:65535",
                                        "https://a:65536",
                                        "ftp://a",
                                        "unix:",
                                        "unix:a",
                                        "unix:/a b",
                                        "http://",
                                        "stdout",
                                        "a\nb",
                                        std::string("a\0b", 3),
                                        "a\x7F",
                                        "\xC3\xA9",
                                        "$",
                                        "$$",
                                        "a$",
                                        "$a",
                                        "$$a",
                                        "${",
                                        "$${",
                                        "a$${b}c",
                                        "$$${",
                                        "$${$${",
                                        "a${b",
                                        "${b}",
                                        "${env:}",
                                        "${env:A-B}",
                                        "${file:}",
                                        "${env:OLD}",
                                        "$${env:OLD}",
                                        "=",
                                        "a==",
                                        "a=b",
                                        "a+b",
                                        hash_of_probes(),
                                        hash_of_probes() + "a",
                                        "sha256:" + std::string(64, 'A'),
                                        "2027-06-30",
                                        "2027-06-30T00:00:00",
                                        "1969-12-31T23:59:59Z",
                                        "2262-01-01T00:00:00Z",
                                        "2261-12-31T23:59:59z",
                                        "2027-13-01T00:00:00Z",
                                        "2027-06-31T24:00:00Z",
                                        "2027-06-30T23:59:60Z",
                                        "2027-06-30T00:00:00+24:00",
                                        "2027-06-30T00:00:00.Z",
                                        "2027-06-30 00:00:00Z"});
    for (char const* const literal : {"null", "true", "false", "0", "1", "5", "-1", "1.5", "1.2",
                                      "2", "1e300", "[]", "[null]", "{}", R"({"a":1})"})
        out.push_back(parsed(literal));
    return out;
}

} // namespace sallyport::config::test
