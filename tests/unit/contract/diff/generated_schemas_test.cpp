// Thousands of pairs of generated schemas: if the comparison finds nothing stricter, every value
// that the engine takes for the first is taken for the second.
#include "gateway/contract/diff/diff.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace sallyport::contract::test::generated_schemas_test {
namespace {

// Writes a schema whose every decision depends on the seed and the place alone, so that one
// decision can be taken in another way.
class Generator {
public:
    explicit Generator(std::uint64_t seed) : seed_{seed} {}

    std::string other;                  // the decision that is taken in another way; empty: none
    std::uint64_t salt = 0;             // how
    std::vector<std::string> decisions; // of the last schema

    [[nodiscard]] std::string schema() {
        decisions.clear();
        return "{\"$defs\":{\"d\":" + node("d", 1) + "}," + keywords("r", 3) + "}";
    }

private:
    [[nodiscard]] std::uint64_t decide(std::string const& at, std::uint64_t count) {
        decisions.push_back(at);
        std::uint64_t hash = 1469598103934665603ULL ^ (at == other ? salt : seed_);
        for (char const c : at)
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        hash ^= hash >> 29;
        hash *= 0xbf58476d1ce4e5b9ULL;
        return (hash >> 33) % count;
    }

    [[nodiscard]] std::string pick(std::string const& at, std::vector<std::string> const& from) {
        return from[decide(at, from.size())];
    }

    [[nodiscard]] std::string node(std::string const& at, int depth) {
        auto const kind = decide(at + "?", 12);
        if (kind == 0) return "true";
        if (kind == 1) return "false";
        if (kind == 2 && at.front() != 'd') return R"({"$ref":"#/$defs/d"})";
        return "{" + keywords(at, depth) + "}";
    }

    [[nodiscard]] std::string list(std::string const& at, int depth) {
        std::string text = "[" + node(at + "0", depth);
        if (decide(at + "n", 3) != 0) text += "," + node(at + "1", depth);
        return text + "]";
    }

    void add(std::string& out, std::string const& name, std::string const& value) {
        out += (out.empty() ? "\"" : ",\"") + name + "\":" + value;
    }

    // One of a few for each: most schemas must be satisfiable.
    [[nodiscard]] std::string keywords(std::string const& at, int depth) {
        std::string out;
        auto const has = [&](char const* name, std::uint64_t one_of) {
            return decide(at + name, one_of) == 0;
        };
        auto const value = [&](char const* name, std::vector<std::string> const& from) {
            add(out, name, pick(at + name + "=", from));
        };
        if (has("type", 3)) {
            value("type", {R"("integer")", R"("number")", R"("string")", R"("array")",
                           R"("object")", R"(["object","string"])", R"(["integer","null"])",
                           R"(["string","number","array"])"});
        }
        if (has("enum", 12)) value("enum", {R"([1,"a",null])", R"(["a","ab"])", "[1.0,2,[1]]"});
        if (has("const", 18)) value("const", {"1", R"("a")", R"({"a":1})"});
        if (has("nullable", 12)) value("nullable", {"true", "false"});
        if (has("minimum", 8)) value("minimum", {"0", "1", "2.5"});
        if (has("exclusiveMinimum", 14)) value("exclusiveMinimum", {"0", "1"});
        if (has("maximum", 8)) value("maximum", {"1", "3", "5"});
        if (has("multipleOf", 12)) value("multipleOf", {"1", "2", "0.5"});
        if (has("minLength", 8)) value("minLength", {"1", "2"});
        if (has("maxLength", 8)) value("maxLength", {"1", "2", "3"});
        if (has("pattern", 12)) value("pattern", {R"("^a")", R"("b$")"});
        if (has("minItems", 10)) value("minItems", {"1", "2"});
        if (has("maxItems", 10)) value("maxItems", {"1", "2"});
        if (has("uniqueItems", 14)) value("uniqueItems", {"true", "false"});
        if (has("required", 8)) value("required", {R"(["a"])", R"(["b"])", R"(["a","b"])"});
        if (has("minProperties", 12)) value("minProperties", {"1", "2"});
        if (has("maxProperties", 12)) value("maxProperties", {"1", "2"});
        if (has("dependentRequired", 14))
            value("dependentRequired", {R"({"a":["b"]})", R"({"b":["a"]})"});
        if (depth > 0) out += nested(at, depth - 1, out.empty());
        return out;
    }

    [[nodiscard]] std::string nested(std::string const& at, int depth, bool is_first) {
        std::string out;
        auto const has = [&](char const* name, std::uint64_t one_of) {
            return decide(at + name, one_of) == 0;
        };
        auto const one = [&](char const* name, std::uint64_t one_of) {
            if (has(name, one_of)) add(out, name, node(at + name + ".", depth));
        };
        auto const several = [&](char const* name, std::uint64_t one_of) {
            if (has(name, one_of)) add(out, name, list(at + name + ".", depth));
        };
        if (has("properties", 3)) {
            std::string names;
            for (auto const* const name : {"a", "b", "ab"})
                if (has(name, 2)) add(names, name, node(at + name + ".", depth));
            add(out, "properties", "{" + names + "}");
        }
        if (has("patternProperties", 10)) {
            add(out, "patternProperties",
                "{" + pick(at + "pp", {R"("^a")", R"("b")"}) + ":" + node(at + "pp.", depth) + "}");
        }
        one("additionalProperties", 5);
        one("propertyNames", 14);
        if (has("dependentSchemas", 14))
            add(out, "dependentSchemas", "{\"a\":" + node(at + "ds.", depth) + "}");
        one("items", 5);
        several("prefixItems", 8);
        if (has("contains", 10)) {
            add(out, "contains", node(at + "contains.", depth));
            if (has("minContains", 3)) add(out, "minContains", pick(at + "mc", {"0", "2"}));
            if (has("maxContains", 3)) add(out, "maxContains", pick(at + "xc", {"1", "2"}));
        }
        several("allOf", 6);
        several("anyOf", 7);
        several("oneOf", 9);
        one("not", 14);
        if (has("if", 12)) {
            add(out, "if", node(at + "if.", depth));
            one("then", 2);
            one("else", 2);
        }
        one("unevaluatedProperties", 20);
        one("unevaluatedItems", 20);
        return is_first || out.empty() ? out : "," + out;
    }

    std::uint64_t seed_;
};

std::vector<std::string> const values{"null",
                                      "true",
                                      "0",
                                      "1",
                                      "2",
                                      "3",
                                      "5",
                                      "7",
                                      "0.5",
                                      "1.5",
                                      "2.5",
                                      "-1",
                                      "1.0",
                                      R"("")",
                                      R"("a")",
                                      R"("b")",
                                      R"("ab")",
                                      R"("abc")",
                                      R"("bcab")",
                                      R"("xyz")",
                                      "[]",
                                      "[1]",
                                      "[1,1]",
                                      "[2]",
                                      R"(["a"])",
                                      R"(["a","ab"])",
                                      R"([1,"a",2])",
                                      "[null]",
                                      "[[1]]",
                                      R"([{"a":1}])",
                                      "[1,2,3]",
                                      R"(["abc",1.5])",
                                      "{}",
                                      R"({"a":1})",
                                      R"({"a":"a"})",
                                      R"({"a":null})",
                                      R"({"b":2})",
                                      R"({"b":"ab"})",
                                      R"({"ab":1})",
                                      R"({"a":1,"b":2})",
                                      R"({"a":"ab","b":[]})",
                                      R"({"c":1})",
                                      R"({"c":{}})",
                                      R"({"a":{"a":1}})",
                                      R"({"a":{"b":"a"},"c":2})",
                                      R"({"b":{"a":1,"b":2}})",
                                      R"({"a":[1]})",
                                      R"({"a":1,"b":2,"c":3})",
                                      R"({"a":1,"ab":"ab"})",
                                      R"({"xb":1})"};

[[nodiscard]] bool has_stricter(Changes const& changes) {
    return std::any_of(changes.begin(), changes.end(),
                       [](Change const& one) { return one.kind == ChangeClass::stricter; });
}

// Each is compared with another, both ways. A sanitizer, with which it would take minutes, looks at the same code in a tenth of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int most_seeds = 300;
#else
constexpr int most_seeds = 2000;
#endif

TEST_CASE("what no change calls stricter loses no value, for thousands of generated schemas") {
    int compared = 0;
    int looser = 0;
    int stricter = 0;
    int stricter_that_loses = 0;
    for (std::uint64_t seed = 1; seed <= std::uint64_t{most_seeds}; ++seed) {
        Generator generator{seed};
        std::string const old = generator.schema();
        auto const decisions = generator.decisions;
        std::string now = old;
        for (std::uint64_t i = 1; now == old && i < 200; ++i) {
            generator.other = decisions[(seed + i) * 7919 % decisions.size()];
            generator.salt = (seed + i) * 31 + 5;
            now = generator.schema();
        }
        // Both ways: what one way is stricter is looser the other way.
        for (auto const& [from, to] : {std::pair{old, now}, std::pair{now, old}}) {
            auto const diff = compare_schemas(from, to);
            INFO(from << "\n" << to);
            REQUIRE(diff.is_compared);
            ++compared;
            bool const is_stricter = has_stricter(diff.changes);
            looser += !is_stricter && !diff.changes.empty() ? 1 : 0;
            stricter += is_stricter ? 1 : 0;
            Checker first{from};
            Checker second{to};
            bool is_lost = false;
            for (auto const& value : values) {
                if (first.check(value).outcome != Outcome::valid) continue;
                bool const is_valid = second.check(value).outcome == Outcome::valid;
                is_lost = is_lost || !is_valid;
                if (is_stricter || is_valid) continue;
                INFO(value);
                CHECK(is_valid);
            }
            stricter_that_loses += is_stricter && is_lost ? 1 : 0;
        }
    }
    INFO(compared << ' ' << looser << ' ' << stricter << ' ' << stricter_that_loses);
    CHECK(compared == 2 * most_seeds);
    CHECK(looser > most_seeds / 10);
    CHECK(stricter_that_loses > most_seeds / 20);
}

} // namespace
} // namespace sallyport::contract::test::generated_schemas_test
