// JSONPath (RFC 9535): what is refused, what is selected, and the limits.
#include "gateway/contract/overlay/jsonpath.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::jsonpath::jsonpath_test {
namespace {

namespace yaml = config::yaml;

constexpr std::string_view shop = R"(
books:
  - { title: A, price: 5, tags: [old, red] }
  - { title: B, price: 12.5, isbn: "1-2" }
  - { title: C, price: 20, tags: [] }
open: true
"it's": { "": 1, "a\nb": 2 }
nothing: null
)";

// The normalized paths of what is selected, one a line; "stopped", or why it is no query.
[[nodiscard]] std::string paths_of(std::string_view query, std::string_view document = shop,
                                   Work work = {}) {
    auto const read = yaml::load_text(document, "f.yaml");
    auto const parsed = parse(query);
    if (!parsed.query) return std::to_string(parsed.offset) + ": " + parsed.error;
    auto const selected = select(*parsed.query, read.root(), work);
    if (!selected.is_whole) return "stopped";
    std::string out;
    for (auto const& match : selected.matches)
        out += (out.empty() ? "" : " ") + normalized_path(read.root(), match.location);
    if (!selected.bad_pattern.empty())
        out += "bad pattern " + selected.bad_pattern + ": " + selected.pattern_error;
    return out;
}

struct Case {
    std::string query;
    std::string result;
};

void check_all(std::vector<Case> const& cases) {
    for (auto const& [query, result] : cases) {
        CAPTURE(query);
        CHECK(paths_of(query) == result);
    }
}

[[nodiscard]] std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += text;
    return out;
}

TEST_CASE("a text that is no JSONPath is refused at the character where it goes wrong") {
    check_all({
        {"", "0: a query begins with $, which is the whole document"},
        {"books", "0: a query begins with $, which is the whole document"},
        {"@.books", "0: a query begins with $, which is the whole document"},
        {" $", "0: a query begins with $, which is the whole document"},
        {"$ ", "1: neither '.' nor '[' nor the end of the query"},
        {"$.", "2: a name or * is missing"},
        {"$..", "3: a name or * is missing"},
        {"$.0a", "2: a name or * is missing"},
        {"$.a-b", "3: neither '.' nor '[' nor the end of the query"},
        {"$[", "2: a selector is missing"},
        {"$[]", "2: a selector is missing"},
        {"$[a]", "2: a selector is missing"},
        {"$['a'", "1: '[' without its ']'"},
        {"$['a' 'b']", "6: ',' or ']' is missing"},
        {"$['a", "2: a quote that is never closed"},
        {"$['a\\x']", "4: a backslash that begins no escape"},
        {"$['a\\\"']", "4: a backslash that begins no escape"},
        {"$['\\u12']", "7: \\u needs four hexadecimal digits"},
        {"$['\\uD800']", "3: half of a surrogate pair"},
        {"$['\\uDC00']", "3: half of a surrogate pair"},
        {"$['a\tb']", "4: a control character in a string"},
        {"$[01]", "2: a number with a zero in front"},
        {"$[-0]", "2: -0 is no index"},
        {"$[-]", "3: digits are missing"},
        {"$[9007199254740992]", "2: a number beyond 2^53 - 1"},
        {"$[1:2:3:4]", "7: ',' or ']' is missing"},
        {"$[?]", "3: an expression is missing"},
        {"$[?@.a ==]", "9: an expression is missing"},
        {"$[?(@.a]", "7: ')' is missing"},
        {"$[?(@.a", "3: '(' without its ')'"},
        {"$[?@.a == b]", R"(10: "b" is neither a literal nor a function)"},
        {"$[?@.a == 01]", "10: a number with a zero in front"},
        {"$[?@.a == 1.]", "12: digits are missing"},
        {"$[?1]", "3: a value stands where a condition is expected"},
        {"$[?length(@.a)]", "3: a value stands where a condition is expected"},
        {"$[?!'a']", "4: a value stands where a condition is expected"},
        {"$[?@.* == 1]", "3: a query that may select several nodes cannot be compared"},
        {"$[?1 == @..a]", "8: a query that may select several nodes cannot be compared"},
        {"$[?match(@.a, 'b') == true]", "3: the result of match() cannot be compared"},
        {"$[?lenght(@.a) > 1]", R"(3: the function "lenght" is unknown)"},
        {"$[?length(@.a, 1) > 1]", "3: length() takes 1 argument"},
        {"$[?match(@.a)]", "3: match() takes 2 arguments"},
        {"$[?length(@.*) > 1]", "3: length() takes one value"},
        {"$[?length(match(@.a, 'b')) > 1]", "3: length() takes one value"},
        {"$[?count(1) > 1]", "3: count() takes a query"},
        {"$[?value(@.a, 1) > 1]", "3: value() takes 1 argument"},
    });
    CHECK(parse("$.a-b").hint
          == "put names with other characters than letters, digits and _ in brackets: ['a-b']");
    CHECK(parse("$.a").hint.empty());
}

TEST_CASE("a query selects what RFC 9535 says") {
    check_all({
        {"$", "$"},
        {"$.open", "$['open']"},
        {"$['open', 'open']", "$['open'] $['open']"},
        {"$.nowhere", ""},
        {"$.open.further", ""},
        {"$[0]", ""},
        {R"($["it's"][""])", R"($['it\'s'][''])"},
        {R"($['it\'s']["a\nb"])", R"($['it\'s']['a\nb'])"},
        {R"($['\u006fpen'])", "$['open']"},
        {"$.books[-1].title", "$['books'][2]['title']"},
        {"$.books[3]", ""},
        {"$.books[-4]", ""},
        {"$.books[1:].title", "$['books'][1]['title'] $['books'][2]['title']"},
        {"$.books[::-2].title", "$['books'][2]['title'] $['books'][0]['title']"},
        {"$.books[:0]", ""},
        {"$.books[::0]", ""},
        {"$.books[0].*", "$['books'][0]['title'] $['books'][0]['price'] $['books'][0]['tags']"},
        {"$..tags", "$['books'][0]['tags'] $['books'][2]['tags']"},
        {"$..[0]", "$['books'][0] $['books'][0]['tags'][0]"},
        {"$ .books [ 0 , 1 ] .title", "$['books'][0]['title'] $['books'][1]['title']"},
    });
}

TEST_CASE("filters compare, test and combine") {
    std::string const first = "$['books'][0]";
    std::string const second = "$['books'][1]";
    std::string const third = "$['books'][2]";
    check_all({
        {"$.books[?@.isbn]", second},
        {"$.books[?!@.isbn]", first + ' ' + third},
        {"$.books[?@.price < 12.5]", first},
        {"$.books[?@.price <= 12.5]", first + ' ' + second},
        {"$.books[?@.price > 12.5]", third},
        {"$.books[?@.price >= 12.5]", second + ' ' + third},
        {"$.books[?@.price == 5.0]", first},
        {"$.books[?@.price != 5]", second + ' ' + third},
        {"$.books[?@.title > 'A' && @.price < 20]", second},
        {"$.books[?@.title == 'A' || @.title == 'B' && @.price == 1]", first},
        {"$.books[?(@.title == 'A' || @.title == 'B') && @.price != 5]", second},
        {"$.books[?!(@.title == 'A')]", second + ' ' + third},
        // Nothing equals nothing, and has no order.
        {"$.books[?@.isbn == @.none]", first + ' ' + third},
        {"$.books[?@.isbn <= @.none]", first + ' ' + third},
        {"$.books[?@.isbn < 'z']", second},
        {"$.books[?@.price < 'z']", ""},
        {"$[?@ == null]", "$['nothing']"},
        {"$[?@ == true]", "$['open']"},
        {"$.books[?@.tags == $.books[0].tags]", first},
        {"$.books[?@.tags[?@ == 'red']]", first},
    });
}

TEST_CASE("functions of filters") {
    std::string const first = "$['books'][0]";
    std::string const second = "$['books'][1]";
    std::string const third = "$['books'][2]";
    check_all({
        {"$.books[?length(@.tags) == 0]", third},
        {"$.books[?length(@.isbn) == 3]", second},
        {"$.books[?length(@.price) > 0]", ""},
        {"$.books[?count(@.tags[*]) == 2]", first},
        {"$.books[?value(@..isbn) == '1-2']", second},
        {"$.books[?value(@.*) == 5]", ""},
        {"$.books[?match(@.isbn, '[0-9]-.')]", second},
        {"$.books[?match(@.isbn, '[0-9]')]", ""},
        {"$.books[?search(@.isbn, '[0-9]')]", second},
        {"$.books[?match(@.price, '.*')]", ""},
    });
}

TEST_CASE("a pattern that is no I-Regexp matches nothing, and is reported") {
    auto const bad = [](std::string const& pattern, std::string const& error) {
        CAPTURE(pattern);
        CHECK(paths_of("$.books[?search(@.title, '" + pattern + "')]")
              == "bad pattern " + pattern + ": " + error);
    };
    bad("a(?=b)", "(? is not part of I-Regexp");
    bad("*", "a quantifier that has nothing in front of it");
    bad("a**", "two quantifiers in a row");
    bad("(a", "a group that is never closed");
    bad("a)", "a group that is never opened");
    bad("[a", "a class that is never closed");
    bad("a{x}", "a count that is none");
    CHECK(paths_of(R"($.books[?search(@.title, '\\d')])")
          == R"(bad pattern \d: \d is not part of I-Regexp: write [0-9])");
    // Letters by their category, and a dot that is no line feed.
    CHECK(paths_of(R"($.books[?match(@.title, '\\p{Lu}')].title)").size() > 20);
    CHECK(paths_of("$[?search(@, 'a.b')]", "{x: \"a\\nb\", y: acb}") == "$['y']");
}

TEST_CASE("the length and the nesting of a query are limited") {
    CHECK(paths_of("$" + repeated(".a", (max_text - 1) / 2)).empty());
    CHECK(paths_of("$" + repeated(".a", max_text / 2)) == "0: it is longer than 16384 bytes");
    auto const filters = [](std::size_t count) {
        return "$" + repeated("[?@", count) + repeated("]", count);
    };
    CHECK(paths_of(filters(max_nesting)).empty());
    CHECK(paths_of(filters(max_nesting + 1)).find("more than 32 filters in each other")
          != std::string::npos);
    auto const groups = [](std::size_t count) {
        return "$[?" + repeated("(", count) + "@" + repeated(")", count) + "]";
    };
    CHECK(paths_of(groups(max_nesting - 1), "{}").empty());
    CHECK(paths_of(groups(max_nesting)).find("more than 32 parentheses in each other")
          != std::string::npos);
}

TEST_CASE("the work of an evaluation is limited, and so is what it selects") {
    std::string const many = "[" + repeated("{a: [1, 2, 3]}, ", 2000) + "]";
    CHECK(paths_of("$..*", many) != "stopped");
    CHECK(paths_of("$..*", many, {5000}) == "stopped");
    // Each filter looks at the whole document for each item.
    CHECK(paths_of("$[?count($..*) > 0]", many, {100'000}) == "stopped");
    CHECK(paths_of("$[?$[*] && $[*] && @.b == 1]", many, {100'000}) == "stopped");
    // All pairs of descendants: more than a million.
    CHECK(paths_of("$" + repeated("[*,*,*,*]", 10), "[[[[[[[[[[1]]]]]]]]]]") == "stopped");
    std::string patterns = "$[?";
    for (std::size_t i = 0; i <= max_patterns; ++i)
        patterns += (i == 0 ? "" : " || ") + ("search(@, 'x" + std::to_string(i) + "')");
    CHECK(paths_of(patterns + "]", "[a]") == "stopped");
}

} // namespace
} // namespace sallyport::contract::jsonpath::jsonpath_test
