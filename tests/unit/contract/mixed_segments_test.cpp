// Segments of paths that mix literals and parameters: which paths match, with which values, and in
// which order of precedence.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

namespace sallyport::contract::test::mixed_segments_test {
namespace {

[[nodiscard]] PathTemplate parse(std::string_view text) {
    auto parsed = parse_path_template(text);
    if (!parsed.error.empty()) throw std::runtime_error{parsed.error};
    return std::move(parsed.segments);
}

[[nodiscard]] Router make_router(std::vector<std::string> const& paths,
                                 RouterLimits const& limits = {}) {
    std::vector<PathItem> items;
    std::vector<PathTemplate> templates;
    for (auto const& path : paths) {
        templates.push_back(parse(path));
        items.push_back(make_path_item(path, templates.back()));
    }
    return Router{std::move(items), std::move(templates), limits};
}

[[nodiscard]] std::string text_of(RouteMatch const& match) {
    if (!match) return "-";
    std::string text = match.item->path;
    for (auto const& name : match.item->parameter_names)
        text += ' ' + std::string{*match.parameter(name)};
    return text;
}

[[nodiscard]] std::string route(Router const& router, std::string_view path) {
    return text_of(router.route(path));
}

[[nodiscard]] std::string repeat(std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i)
        text += part;
    return text;
}

struct Row {
    std::string_view path;
    std::string_view result;
};

TEST_CASE("a segment may mix literals and parameters") {
    auto const router = make_router({"/x/{id}.json", "/{id}:cancel", "/p/{a}-{b}", "/x/v{version}",
                                     "/n/{a}.{b}.{c}", "/m/a{x}b/{y}c", "/e/caf%C3%A9{x}",
                                     "/x/{id}.json/parts/{part}"});
    for (auto const& row : std::vector<Row>{
             {"/x/1.json", "/x/{id}.json 1"},
             {"/x/a.b.json", "/x/{id}.json a.b"},
             {"/x/%2E.json", "/x/{id}.json %2E"},
             {"/x/.json.json", "/x/{id}.json .json"},
             {"/x/1.json/parts/2", "/x/{id}.json/parts/{part} 1 2"},
             {"/7:cancel", "/{id}:cancel 7"},
             {"/:cancel:cancel", "/{id}:cancel :cancel"},
             {"/p/x-y", "/p/{a}-{b} x y"},
             {"/x/v1", "/x/v{version} 1"},
             {"/x/vv", "/x/v{version} v"},
             {"/n/1.2.3", "/n/{a}.{b}.{c} 1 2 3"},
             {"/m/a1b/2c", "/m/a{x}b/{y}c 1 2"},
             {"/m/aabb/cc", "/m/a{x}b/{y}c ab c"},
             {"/e/caf%C3%A9s", "/e/caf%C3%A9{x} s"},
         }) {
        INFO(row.path);
        CHECK(route(router, row.path) == row.result);
    }
    for (std::string_view const path :
         {"/x/.json", "/x/1.jso",     "/x/1json",   "/x/1.json/", "/x/1.jsonx",
          "/:cancel", "/7:cance",     "/7:cancels", "/p/x",       "/p/-",
          "/p/-y",    "/p/x-",        "/p/--",      "/x/v",       "/x/1",
          "/n/1.2",   "/n/1..2",      "/n/.1.2",    "/m/ab/2c",   "/m/a1b/c",
          "/m/1b/2c", "/e/caf%C3%A9", "/x/",        "/x//",       "/p/x/y"}) {
        INFO(path);
        CHECK(route(router, path) == "-");
    }
    CHECK(text_of(router.route_with_other_end("/x/1.json/")) == "/x/{id}.json 1");
}

TEST_CASE("another spelling of a mixed segment matches neither it nor a parameter beside it") {
    auto const router =
        make_router({"/x/{id}.json", "/x/{id}", "/v{n}", "/{any}", "/p/{a}-{b}", "/p/{any}"});
    for (std::string_view const path :
         {"/x/1.JSON", "/x/1.jsoN", "/x/1%2Ejson", "/x/1%2ejson", "/x/1.%6Ason", "/x/1.json.",
          "/x/1.json%20", "/x/%201.json%20", "/x/1.j%C5%BFon", "/V1", "/%761", "/%56%31",
          "/p/x%2Dy", "/p/x-y%2Dz", "/p/x%2Dy-z"}) {
        INFO(path);
        CHECK(route(router, path) == "-");
    }
    for (auto const& row : std::vector<Row>{{"/x/1.json", "/x/{id}.json 1"},
                                            {"/x/1.jso", "/x/{id} 1.jso"},
                                            {"/x/.json", "/x/{id} .json"},
                                            {"/x/1.json5", "/x/{id} 1.json5"},
                                            {"/v1", "/v{n} 1"},
                                            {"/v", "/{any} v"},
                                            {"/w1", "/{any} w1"},
                                            {"/%2E%2Fv1", "/{any} %2E%2Fv1"},
                                            {"/p/x-y", "/p/{a}-{b} x y"},
                                            {"/p/xy", "/p/{any} xy"}}) {
        INFO(row.path);
        CHECK(route(router, row.path) == row.result);
    }
    // Segments that are too long to be compared match nothing there.
    CHECK(route(router, "/p/" + std::string(4096, 'x')).size() > 4096);
    CHECK(route(router, "/p/" + std::string(4097, 'x')) == "-");
}

TEST_CASE("a literal takes precedence over a mixed segment, and that over a parameter") {
    auto const router = make_router({"/a/{x}", "/a/me.json", "/a/{x}.json", "/a/b-{x}.json",
                                     "/a/{x}-{y}", "/a/b-{x}", "/a/{x}-{y}-{z}", "/{a}/me",
                                     "/{a}/{b}/c", "/v{a}/{b}/d", "/v{a}/x/{b}"});
    for (auto const& row : std::vector<Row>{{"/a/me.json", "/a/me.json"},
                                            {"/a/you.json", "/a/{x}.json you"},
                                            {"/a/b-1.json", "/a/b-{x}.json 1"},
                                            {"/a/b-1", "/a/b-{x} 1"},
                                            {"/a/c-1", "/a/{x}-{y} c 1"},
                                            {"/a/c-1-2", "/a/{x}-{y}-{z} c 1 2"},
                                            {"/a/c-1.json", "/a/{x}.json c-1"},
                                            {"/a/me", "/a/{x} me"},
                                            {"/b/me", "/{a}/me b"},
                                            {"/b/x/c", "/{a}/{b}/c b x"},
                                            {"/v1/x/c", "/v{a}/x/{b} 1 c"},
                                            {"/v1/y/c", "/{a}/{b}/c v1 y"},
                                            {"/v1/y/d", "/v{a}/{b}/d 1 y"},
                                            {"/v1/x/d", "/v{a}/x/{b} 1 d"}}) {
        INFO(row.path);
        CHECK(route(router, row.path) == row.result);
    }
    // None of the two takes precedence.
    auto const equal = make_router({"/{a}-{b}", "/{a}.{b}"});
    CHECK(route(equal, "/x-y") == "/{a}-{b} x y");
    CHECK(route(equal, "/x.y") == "/{a}.{b} x y");
    CHECK(route(equal, "/x-y.z") == "-");
}

TEST_CASE("mixed segments that can match one path are ordered by their literals") {
    struct Case {
        std::string_view left;
        std::string_view right;
        Overlap overlap;
        Precedence precedence;
    };
    using enum Precedence;
    for (auto const& one : std::vector<Case>{
             {"/{a}.json", "/{b}.json", Overlap::same, none},
             {"/{a}.json", "/{b}.JSON", Overlap::same, none},
             {"/{a}.json", "/{a}.xml", Overlap::none, none},
             {"/v{a}", "/w{a}", Overlap::none, none},
             {"/v{a}", "/{a}", Overlap::ordered, left},
             {"/v1", "/v{a}", Overlap::ordered, left},
             {"/v", "/v{a}", Overlap::none, none},
             {"/va{x}", "/v{a}", Overlap::ordered, left},
             {"/{a}:b:c", "/{a}:c", Overlap::ordered, left},
             {"/{a}-{b}-{c}", "/{a}-{b}", Overlap::ordered, left},
             {"/v{a}", "/{a}.json", Overlap::crossed, left},
             {"/v{a}.x", "/vv{a}", Overlap::crossed, right},
             {"/{a}-{b}.json", "/{a}.{b}n", Overlap::ordered, left},
             {"/{a}_{b}.x", "/{a}-{b}x", Overlap::crossed, left},
             {"/{a}-{b}", "/{a}.{b}", Overlap::crossed, none},
             {"/{a}-{b}/x/{c}", "/{a}.{b}/{x}/y", Overlap::crossed, none},
             {"/a/{x}", "/{y}/b", Overlap::crossed, left},
         }) {
        INFO(one.left << " and " << one.right);
        CHECK(compare_templates(parse(one.left), parse(one.right)) == one.overlap);
        CHECK(compare_templates(parse(one.right), parse(one.left)) == one.overlap);
        if (one.overlap == Overlap::none) continue;
        auto const other_way = one.precedence == left    ? right
                               : one.precedence == right ? left
                                                         : none;
        CHECK(find_precedence(parse(one.left), parse(one.right)) == one.precedence);
        CHECK(find_precedence(parse(one.right), parse(one.left)) == other_way);
    }
}

[[nodiscard]] std::vector<std::string> readings_of(Router const& router, std::string_view path) {
    std::vector<std::string> all;
    auto match = router.route(path);
    if (!match) return all;
    auto const first = text_of(match);
    do {
        all.push_back(text_of(match));
    } while (match.next_reading());
    CHECK(text_of(match) == first);
    return all;
}

TEST_CASE("the readings of a path are found in order, each once, and are bounded") {
    using List = std::vector<std::string>;
    CHECK(readings_of(make_router({"/{a}-{b}"}), "/x-y-z")
          == List{"/{a}-{b} x y-z", "/{a}-{b} x-y z"});
    CHECK(readings_of(make_router({"/{a}-{b}"}), "/---") == List{"/{a}-{b} - -"});
    CHECK(readings_of(make_router({"/{a}-{b}/{c}-{d}"}), "/1-2-3/4-5-6")
          == List{"/{a}-{b}/{c}-{d} 1 2-3 4 5-6", "/{a}-{b}/{c}-{d} 1 2-3 4-5 6",
                  "/{a}-{b}/{c}-{d} 1-2 3 4 5-6", "/{a}-{b}/{c}-{d} 1-2 3 4-5 6"});
    CHECK(readings_of(make_router({"/{a}"}), "/x-y") == List{"/{a} x-y"});

    auto const one = make_router({"/{a}-{b}", "/{any}", "/{a}-{b}/{c}-{d}"});
    CHECK(readings_of(one, "/x" + repeat("-x", max_readings)).size() == max_readings);
    // With more it is not a value of the parameter beside it either.
    CHECK(route(one, "/x" + repeat("-x", max_readings + 1)) == "-");
    // The readings of several segments multiply.
    auto const eight = "/x" + repeat("-x", 8);
    CHECK(readings_of(one, eight + eight).size() == max_readings);
    CHECK(route(one, eight + eight + "-x") == "-");
}

TEST_CASE("a hostile segment takes no more steps than its bound") {
    // There are more than 10^30 readings: a search through them would not end.
    std::string const dashes(4000, '-');
    SegmentLiterals const eight{"", "-", "-", "-", "-", "-", "-", "-", ""};
    CHECK(count_readings(eight, dashes) == max_readings + 1);
    CHECK(route(make_router({"/{a}-{b}-{c}-{d}", "/{any}"}), "/" + dashes) == "-");
    // Nor one for what is missing at the end, or comes only there.
    SegmentLiterals const missing{"", "-", "-", "-", "-", "-", "-", "_", ""};
    CHECK(count_readings(missing, dashes) == 0);
    CHECK(count_readings(missing, dashes + "_x") == max_readings + 1);
    SegmentLiterals const at_end{"", "-", "-", "-", "-", "-", "-", "-", "_"};
    CHECK(count_readings(at_end, dashes) == 0);
    // The last value that has no room to move does not restart those before it.
    SegmentLiterals const full{"", "-", "-", "-", "-", "-", "-", "--", ""};
    CHECK(count_readings(full, std::string(16, '-')) == 1);
}

TEST_CASE("what is beyond the limits of the automaton is found in a list of templates") {
    std::vector<std::string> const ends{"/{a}.x", "/{a}.y", "/{a}.z"};
    RouterLimits limits;
    limits.patterns = 2;
    CHECK(make_router({"/{a}.x", "/{a}.y", "/{b}.x/c"}, limits).lists() == 0);
    CHECK(make_router(ends, limits).lists() == 1);
    CHECK(route(make_router(ends, limits), "/1.y") == "/{a}.y 1");
    limits = {};
    limits.states = 3;
    CHECK(make_router({"/a/b"}, limits).lists() == 0);
    CHECK(make_router({"/a/b", "/a/c"}, limits).lists() == 1);
    CHECK(route(make_router({"/a/b", "/a/c"}, limits), "/a/b") == "/a/b");
    CHECK(route(make_router({"/a/b", "/a/c"}, limits), "/a/c") == "/a/c");
    CHECK(route(make_router({"/a/b", "/a/c"}, limits), "/a/d") == "-");
    limits = {};
    limits.steps = 10;
    CHECK(make_router({"/{a}.x", "/{a}.y", "/{a}.z", "/{a}.v", "/{a}.w"}, limits).lists() != 0);
}

TEST_CASE("literals beside parameters at many depths need few states") {
    std::vector<std::string> paths;
    std::string path;
    for (int depth = 0; depth < 14; ++depth) {
        path += "/sets";
        for (auto const* const one : {"/$count", "/delta()", "/own", "/recent(top={top})"})
            paths.push_back(path + one);
        path += "/{id" + std::to_string(depth) + "}";
        paths.push_back(path);
    }
    auto const router = make_router(paths);
    CHECK(router.lists() == 0);
    CHECK(router.states() < 200);
    CHECK(route(router, "/sets/1/sets/$count") == "/sets/{id0}/sets/$count 1");
    CHECK(route(router, "/sets/$count/sets/own") == "/sets/{id0}/sets/own $count");
    CHECK(route(router, "/sets/1/sets/recent(top=5)")
          == "/sets/{id0}/sets/recent(top={top}) 1 5");
}

// Each template has a literal in another place, so that each set of them is another state.
TEST_CASE("a document whose automaton would double with each path loads, and matches") {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < 24; ++i) {
        std::string path;
        for (std::size_t at = 0; at < 24; ++at)
            path += at == i ? "/x" : "/{a" + std::to_string(at) + '}';
        paths.push_back(path);
    }
    auto const router = make_router(paths);
    CHECK(router.lists() != 0);
    CHECK(route(router, repeat("/1", 23) + "/x") == paths[23] + repeat(" 1", 23));
    CHECK(route(router, repeat("/1", 24)) == "-");
    CHECK(route(router, repeat("/1", 22) + "/x/x") == paths[22] + repeat(" 1", 22) + " x");
    CHECK(route(router, repeat("/1", 23) + "/X") == "-");
}

TEST_CASE("each of many mixed segments matches its own paths") {
    std::vector<std::string> paths{"/{id}"};
    for (int i = 0; i < 2000; ++i)
        paths.push_back("/{id}:action" + std::to_string(i));
    auto const router = make_router(paths);
    REQUIRE(router.lists() == 0);
    for (int i = 0; i < 2000; ++i) {
        auto const end = ":action" + std::to_string(i);
        CHECK(route(router, "/7" + end) == "/{id}" + end + " 7");
    }
    CHECK(route(router, "/7:action") == "/{id} 7:action");
    CHECK(route(router, "/7:Action1") == "-");
}

TEST_CASE("paths that an upstream may take for a mixed segment resemble it") {
    auto const router = make_router({"/x/{id}.json", "/p/{a}-{b}"});
    for (std::string_view const path :
         {"/x/1.json", "/x/1.JSON", "/x/1%2Ejson", "/x/1.json/", "/p/x-y-z", "/p/x%2Dy"}) {
        INFO(path);
        CHECK(router.resembles(path));
    }
    for (std::string_view const path : {"/x/1", "/x/.json", "/x/1.xml", "/p/xy", "/p/-y"}) {
        INFO(path);
        CHECK_FALSE(router.resembles(path));
    }
}

// A matcher without any of the router's shortcuts: tries each length of each value.
class Backtracking {
public:
    Backtracking(TemplateSegment const& segment, std::string_view text) : text_{text} {
        using Kind = TemplateSegment::Kind;
        if (segment.kind == Kind::literal) {
            if (segment.name == text) readings.push_back({});
        } else if (segment.kind == Kind::parameter) {
            if (!text.empty()) readings.push_back({std::string{text}});
        } else {
            literals_ = segment.pattern.literals();
            if (text.starts_with(literals_[0])) read(literals_[0].size());
        }
    }

    std::vector<std::vector<std::string>> readings;

private:
    void read(std::size_t at) {
        auto const& next = literals_[values_.size() + 1];
        bool const is_last = values_.size() + 2 == literals_.size();
        for (std::size_t size = 1; at + size <= text_.size(); ++size) {
            auto const rest = text_.substr(at + size);
            if (is_last ? rest != next : !rest.starts_with(next)) continue;
            values_.emplace_back(text_.substr(at, size));
            if (is_last) {
                readings.push_back(values_);
            } else {
                read(at + size + next.size());
            }
            values_.pop_back();
        }
    }

    std::string_view text_;
    SegmentLiterals literals_;
    std::vector<std::string> values_;
};

class Generator {
public:
    std::string segment_of_path() { return text(1, 7); }
    std::string segment_of_template() {
        if (below(4) == 0) return text(1, 3);
        std::string segment = text(0, 1);
        auto const count = 1 + below(3);
        for (std::size_t i = 0; i < count; ++i) {
            segment += "{" + std::string(1, static_cast<char>('a' + names_++ % 26)) + "}";
            segment += text(i + 1 == count ? 0 : 1, 2);
        }
        return segment;
    }
    std::size_t below(std::size_t limit) { return random_() % limit; }

private:
    std::string text(std::size_t least, std::size_t most) {
        std::string made;
        for (auto size = least + below(most - least + 1); size > 0; --size)
            made += std::string_view{"ab-"}[below(3)];
        return made;
    }

    std::mt19937 random_{20261125};
    std::size_t names_ = 0;
};

// The readings of a path by the template that takes precedence, in their order.
[[nodiscard]] std::vector<std::string> expected(std::vector<std::string> const& paths,
                                                std::array<std::string, 2> const& segments) {
    std::vector<std::size_t> matching;
    std::vector<std::vector<std::string>> readings;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        auto const parsed = parse(paths[i]);
        Backtracking const first{parsed[0], segments[0]};
        Backtracking const second{parsed[1], segments[1]};
        if (first.readings.empty() || second.readings.empty()) continue;
        matching.push_back(i);
        auto& texts = readings.emplace_back();
        for (auto const& left : first.readings) {
            for (auto const& right : second.readings) {
                auto& text = texts.emplace_back(paths[i]);
                for (auto const& value : left)
                    text += ' ' + value;
                for (auto const& value : right)
                    text += ' ' + value;
            }
        }
    }
    for (std::size_t one = 0; one < matching.size(); ++one) {
        bool const wins = std::all_of(matching.begin(), matching.end(), [&](std::size_t other) {
            return other == matching[one]
                   || find_precedence(parse(paths[matching[one]]), parse(paths[other]))
                          == Precedence::left;
        });
        if (wins) return readings[one];
    }
    return {};
}

TEST_CASE("the router finds what a matcher that tries everything finds") {
    Generator generator;
    std::size_t matched = 0;
    std::size_t several = 0;
    for (int round = 0; round < 1500; ++round) {
        std::vector<std::string> paths;
        for (int i = 0; i < 5; ++i) {
            auto path =
                "/" + generator.segment_of_template() + "/" + generator.segment_of_template();
            bool const is_new = std::none_of(paths.begin(), paths.end(), [&path](auto const& one) {
                return compare_templates(parse(one), parse(path)) == Overlap::same;
            });
            if (is_new) paths.push_back(std::move(path));
        }
        // With the automaton, with a part of it, and without.
        RouterLimits limits;
        if (round % 3 != 0) limits.states = static_cast<std::size_t>(round % 3 - 1) * 3;
        auto const router = make_router(paths, limits);
        REQUIRE((round % 3 == 0) == (router.lists() == 0));
        for (int i = 0; i < 20; ++i) {
            std::array<std::string, 2> const segments{generator.segment_of_path(),
                                                      generator.segment_of_path()};
            auto const path = "/" + segments[0] + "/" + segments[1];
            auto const want = expected(paths, segments);
            auto const found = readings_of(router, path);
            matched += found.empty() ? 0U : 1U;
            several += found.size() > 1 ? 1U : 0U;
            if (found == want || want.size() > max_readings) continue;
            FAIL(path << " by " << paths[0]
                      << " and others: " << (found.empty() ? "-" : found.front()) << " instead of "
                      << (want.empty() ? "-" : want.front()));
        }
    }
    // The test has something to compare.
    CHECK(matched > 1000);
    CHECK(several > 100);
}

constexpr std::string_view document = R"yaml(openapi: 3.1.0
info: {title: T}
paths:
  /v1/{name}-{number}:
    get:
      operationId: read
      parameters:
        - {name: name, in: path, required: true, schema: {type: string, pattern: "^[a-z-]+$"}}
        - {name: number, in: path, required: true, schema: {type: integer}}
  /v1/{name}-{number}.json:
    get:
      operationId: readJson
      parameters:
        - {name: name, in: path, required: true, schema: {maxLength: 3}}
        - {name: number, in: path, required: true, schema: {maxLength: 3}}
)yaml";

TEST_CASE("of several readings one has to satisfy the schemas of all parameters") {
    auto const contract = load_document(document);
    Validator validator;
    auto const verdict = [&](std::string_view path) {
        auto const match = contract->route(path);
        if (!match) return std::string{"no route"};
        auto const& report =
            validator.check_path(*contract->find_operation(match, "GET"), match, {}, {});
        std::string text = report.outcome == Outcome::valid ? "valid" : "";
        for (auto const& violation : report.violations)
            text += (text.empty() ? "" : "; ") + message_of(violation);
        return text;
    };
    CHECK(verdict("/v1/x-5") == "valid");
    CHECK(verdict("/v1/x-y-5") == "valid");
    CHECK(verdict("/v1/x-y-z-5") == "valid");
    CHECK(verdict("/v1/x--5") == "valid");
    CHECK(verdict("/v1/x-%35") == "valid");
    // The violations are those of the first reading.
    CHECK(verdict("/v1/x-y-z") == "number must be an integer, not a string");
    CHECK(verdict("/v1/x-5-x") == "number must be an integer, not a string");
    CHECK(verdict("/v1/X-Y-5").find("name must match") == 0);
    CHECK(verdict("/v1/abcd-5.json") == "name must have at most 3 characters");
    CHECK(verdict("/v1/a-b-cd.json") == "valid");
    CHECK(verdict("/v1/a-bcd-e.json") != "valid");
    CHECK(verdict("/v1/a-5.JSON") == "no route");
}

} // namespace
} // namespace sallyport::contract::test::mixed_segments_test
