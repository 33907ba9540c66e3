// The path of a contract that matches a request path.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::router_test {
namespace {

[[nodiscard]] PathTemplate parse(std::string_view text) {
    auto parsed = parse_path_template(text);
    if (!parsed.error.empty()) throw std::runtime_error{parsed.error};
    return std::move(parsed.segments);
}

[[nodiscard]] Router make_router(std::vector<std::string> const& paths) {
    std::vector<PathItem> items;
    std::vector<PathTemplate> templates;
    for (auto const& path : paths) {
        templates.push_back(parse(path));
        items.push_back(make_path_item(path, templates.back()));
    }
    return Router{std::move(items), std::move(templates)};
}

// A path of segments with two parameters each.
[[nodiscard]] std::string many_pairs(std::size_t segments) {
    std::string path;
    for (std::size_t i = 0; i < segments; ++i)
        path += "/{a" + std::to_string(i) + "}-{b" + std::to_string(i) + "}";
    return path;
}

[[nodiscard]] std::string route(Router const& router, std::string_view path) {
    auto const match = router.route(path);
    if (!match) return "-";
    std::string text = match.item->path;
    for (auto const& name : match.item->parameter_names) {
        text += ' ' + std::string{*match.parameter(name)};
    }
    return text;
}

TEST_CASE("a path has up to 32 parameters, and a copy of its values has all of them") {
    auto const router = make_router({many_pairs(16), "/v1/{one}"});
    std::string path;
    for (int i = 0; i < 16; ++i)
        path += "/x" + std::to_string(i) + "-y" + std::to_string(i);
    auto const match = router.route(path);
    REQUIRE(match);
    auto copy = router.route("/v1/z");
    REQUIRE(copy);
    CHECK(copy.parameters[0] == "z");
    copy = match;
    for (int i = 0; i < 16; ++i) {
        CHECK(copy.parameter("a" + std::to_string(i)) == "x" + std::to_string(i));
        CHECK(copy.parameter("b" + std::to_string(i)) == "y" + std::to_string(i));
    }
}

TEST_CASE("only complete paths match, segment by segment, byte for byte") {
    auto const router = make_router(
        {"/v1/things", "/v1/things/{id}", "/v1/things/{id}/parts", "/v1/things/{id}/parts/{part}"});
    for (std::string_view const path : {"",
                                        "/",
                                        "v1/things",
                                        "/v1",
                                        "/v1/",
                                        "/v1/things/",
                                        "/v1/things/a/",
                                        "/V1/things",
                                        "/v1/Things",
                                        "/v1/things/a/part",
                                        "/v1/things//parts",
                                        "//v1/things",
                                        "/v1//things",
                                        "/v1/things/a/parts/b/c",
                                        "/v1/things/a/parts/",
                                        "/v1%2Fthings",
                                        "/%761/things",
                                        "/v1/things/a%2Fparts/b",
                                        "*",
                                        "/v1/thing"}) {
        INFO(path);
        CHECK(route(router, path) == "-");
    }
    CHECK(route(router, "/v1/things") == "/v1/things");
    CHECK(route(router, "/v1/things/a") == "/v1/things/{id} a");
    CHECK(route(router, "/v1/things/a/parts") == "/v1/things/{id}/parts a");
    CHECK(route(router, "/v1/things/a/parts/b") == "/v1/things/{id}/parts/{part} a b");
    // An encoded slash is part of its segment.
    CHECK(route(router, "/v1/things/a%2Fb") == "/v1/things/{id} a%2Fb");
    CHECK(route(router, "/v1/things/parts") == "/v1/things/{id} parts");
}

TEST_CASE("a literal segment takes precedence over a parameter, without missing a match") {
    auto const router = make_router({"/a/{x}", "/a/me", "/a/{x}/c", "/a/me/d", "/{t}/me/e"});
    CHECK(route(router, "/a/me") == "/a/me");
    CHECK(route(router, "/a/you") == "/a/{x} you");
    CHECK(route(router, "/a/me/c") == "/a/{x}/c me");
    CHECK(route(router, "/a/me/d") == "/a/me/d");
    CHECK(route(router, "/a/you/d") == "-");
    CHECK(route(router, "/a/me/e") == "/{t}/me/e a");
    CHECK(route(router, "/b/me/e") == "/{t}/me/e b");
}

TEST_CASE("a literal with escapes matches in one spelling only") {
    auto const router = make_router({"/v1/caf%C3%A9", "/v1/a%20b", "/v1/100%25", "/v1/me:x",
                                     "/v1/{id}", "/v1/{id}/below", "/v1/me/{part}"});
    CHECK(route(router, "/v1/caf%C3%A9") == "/v1/caf%C3%A9");
    CHECK(route(router, "/v1/a%20b") == "/v1/a%20b");
    CHECK(route(router, "/v1/100%25") == "/v1/100%25");
    CHECK(route(router, "/v1/me:x") == "/v1/me:x");
    for (std::string_view const path :
         {"/v1/caf%c3%a9", "/v1/caf%C3%a9", "/v1/%63af%C3%A9", "/v1/%63%61%66%C3%A9", "/v1/%61%20b",
          "/v1/100%2525%25/below/x", "/v1/%31%30%30%25", "/v1/me%3Ax", "/v1/me%3ax", "/v1/%6De:x",
          "/v1/%6de/x", "/v1/m%65/below", "/v%31/me:x"}) {
        INFO(path);
        CHECK(route(router, path) == "-");
    }
    // A text that is not a literal in any spelling is a value of the parameter, as sent.
    for (auto const& segment :
         std::vector<std::string>{"caf%C3%A8", "%c3%a9", "a%2520b", "100%2525", "m%41",
                                  std::string(300, '%') + "6D", std::string(300, 'a') + "%62"}) {
        INFO(segment);
        CHECK(route(router, "/v1/" + segment) == "/v1/{id} " + segment);
    }
}

TEST_CASE(
    "a text that an upstream may take for a literal is not a value of the parameter beside it") {
    auto const router = make_router({"/items/me", "/items/{id}", "/items/{id}/parts",
                                     "/items/Kiosk", "/items/caf%C3%A9", "/items/a.b", "/files/",
                                     "/files/{name}", "/%20x%20/y", "/{any}/y", "/%D0%B6/z",
                                     "/{any}/z"});
    for (std::string_view const path :
         {"/items/ME", "/items/Me", "/items/mE", "/items/%4De", "/items/m%45", "/items/me.",
          "/items/me..", "/items/me%20", "/items/me%20%20", "/items/me.%20.", "/items/%20me",
          "/items/me%09", "/items/me%C2%A0", "/items/%EF%BB%BFme", "/items/me%E2%80%8B",
          "/items/ME/parts", "/items/me./parts", "/items/%E2%84%AAiosk", "/items/K%C4%B1o%C5%BFk",
          "/items/CAF%C3%89", "/items/caf%C3%89", "/items/A.B", "/items/a.b.", "/files/...",
          "/files/%20", "/X/y", "/x%20/y", "/%D0%96/z"}) {
        INFO(path);
        CHECK(route(router, path) == "-");
    }
    auto const long_end = "/items/me" + std::string(400, '.');
    CHECK(route(router, long_end) == "-");
    CHECK(route(router, long_end + "x") == "/items/{id} " + long_end.substr(7) + "x");
    CHECK(route(router, "/items/me") == "/items/me");
    CHECK(route(router, "/items/me/parts") == "/items/{id}/parts me");
    CHECK(route(router, "/items/a.b") == "/items/a.b");
    CHECK(route(router, "/files/") == "/files/");
    CHECK(route(router, "/%20x%20/y") == "/%20x%20/y");
    // A text with other differences is a value of the parameter, and so is one without a literal
    // beside it.
    for (std::string_view const segment :
         {"men", "m", "e", ".me", "m.e", "m%20e", "%C3%A9", "a.b.c", "a", "caf%C3%88", "me+",
          "%F0%9F%98%80", "%FFme", "me%FF", "%6", "m%zz"}) {
        INFO(segment);
        CHECK(route(router, "/items/" + std::string{segment})
              == "/items/{id} " + std::string{segment});
    }
    CHECK(route(router, "/files/.x") == "/files/{name} .x");
    CHECK(route(make_router({"/v1/{id}", "/v1/{id}/me"}), "/v1/ME") == "/v1/{id} ME");
}

TEST_CASE("letter case is ignored in other alphabets as well") {
    struct Case {
        std::string_view literal;
        std::string_view other;
    };
    for (auto const& one : {Case{"%C3%A9", "%C3%89"}, // e with an acute
                            {"%C4%81", "%C4%80"},     // a with a macron
                            {"%C4%BA", "%C4%B9"},     // l with an acute
                            {"%C5%8B", "%C5%8A"},     // eng
                            {"%C5%BE", "%C5%BD"},     // z with a caron
                            {"%C3%BF", "%C5%B8"},     // y with a diaeresis
                            {"%CE%B1", "%CE%91"},     // alpha
                            {"%CF%83", "%CF%82"},     // sigma, and the one that ends a word
                            {"%D1%8F", "%D0%AF"},     // ya
                            {"%D1%91", "%D0%81"}}) {  // yo
        INFO(one.literal);
        auto const of_small =
            make_router({"/" + std::string{one.literal}, "/{x}", "/" + std::string{"only"}});
        CHECK(route(of_small, "/" + std::string{one.other}) == "-");
        auto const of_large = make_router({"/" + std::string{one.other}, "/{x}"});
        CHECK(route(of_large, "/" + std::string{one.literal}) == "-");
    }
    // The signs of multiplication and division are not letters.
    auto const router = make_router({"/%C3%B7", "/{x}"});
    CHECK(route(router, "/%C3%97") == "/{x} %C3%97");
}

TEST_CASE("a slash is found at any position, and no other byte is taken for one") {
    auto const router = make_router({"/{a}/{b}", "/{a}/{b}/{c}"});
    std::size_t wrong = 0;
    for (std::size_t first = 1; first <= 20; ++first) {
        for (std::size_t second = 1; second <= 20; ++second) {
            for (unsigned byte = 0; byte < 256; ++byte) {
                char const c = static_cast<char>(byte);
                std::string const a(first, c);
                std::string const b(second, c);
                auto const path = "/" + a + "/" + b;
                auto const match = router.route(path);
                bool const is_right = c == '/' ? !match
                                               : match && match.item->path == "/{a}/{b}"
                                                     && match.parameters[0] == a
                                                     && match.parameters[1] == b;
                wrong += is_right ? 0U : 1U;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("a path with the maximum number of segments matches, and one with more does not") {
    std::string templates;
    std::string path;
    for (std::size_t i = 0; i < max_path_segments; ++i) {
        templates += "/a";
        path += "/a";
    }
    auto const router = make_router({templates});
    CHECK(route(router, path) == templates);
    CHECK(route(router, path + "/") == "-");
    CHECK(route(router, path + "/a") == "-");
    CHECK(route(router, path.substr(2)) == "-");
}

TEST_CASE("a path with more segments than any template does not match") {
    auto const router = make_router({"/{a}"});
    std::string path;
    for (int i = 0; i < 100'000; ++i)
        path += "/x";
    CHECK(route(router, path) == "-");
    CHECK(route(Router{}, "/x") == "-");
}

TEST_CASE("each of many literals matches its own path, and similar ones match none") {
    std::vector<std::string> paths;
    for (std::size_t size = 1; size < 40; ++size) {
        std::string const word(size, 'x');
        for (char const c : {'x', 'y'}) {
            for (std::size_t const at : {std::size_t{0}, size / 2, size - 1}) {
                auto literal = word;
                literal[at] = c;
                paths.push_back("/v1/" + literal);
            }
        }
    }
    for (int number = 0; number < 1000; ++number)
        paths.push_back("/v1/services" + std::to_string(number) + "/parts");
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    auto const router = make_router(paths);
    for (auto const& path : paths) {
        CHECK(route(router, path) == path);
        CHECK(route(router, path + "z") == "-");
        for (std::size_t at = 4; at < path.size(); ++at) {
            auto near = path;
            near[at] = 'q';
            if (route(router, near) != "-") FAIL_CHECK(near);
        }
    }
}

TEST_CASE("a path with a trailing slash is another path, and may be declared") {
    auto const router = make_router({"/a/", "/a/{x}"});
    CHECK(route(router, "/a/") == "/a/");
    CHECK(route(router, "/a") == "-");
    CHECK(route(router, "/a/b") == "/a/{x} b");
}

TEST_CASE("a path may be found with one slash more or less at its end") {
    auto const router = make_router({"/", "/a", "/a/{x}", "/b/", "/b/{x}/", "/c/{x}", "/c/{x}/"});
    auto const other_end = [&router](std::string const& path) {
        auto const match = router.route_with_other_end(path);
        if (!match) return std::string{"-"};
        std::string text = match.item->path;
        for (auto const& name : match.item->parameter_names) {
            auto const value = *match.parameter(name);
            // Views into the path that was passed, not into a copy.
            CHECK(value.data() >= path.data());
            CHECK(value.data() + value.size() <= path.data() + path.size());
            text += ' ' + std::string{value};
        }
        return text;
    };
    CHECK(other_end("/a/") == "/a");
    CHECK(other_end("/a/b/") == "/a/{x} b");
    CHECK(other_end("/b") == "/b/");
    CHECK(other_end("/b/c") == "/b/{x}/ c");
    CHECK(other_end("/c/d") == "/c/{x}/ d");
    CHECK(other_end("/c/d/") == "/c/{x} d");
    CHECK(other_end("/a") == "-");
    CHECK(other_end("/a/b") == "-");
    CHECK(other_end("/a//") == "-");
    CHECK(other_end("/") == "-");
    CHECK(other_end("") == "/");
}

TEST_CASE("paths that an upstream may take for one of the contract resemble it") {
    auto const router = make_router({"/v1/things", "/v1/things/{id}/parts", "/v1/me"});
    for (std::string_view const path :
         {"/v1/things", "/V1/Things", "/v1/things/", "/v1/things/%20", "/v1/things.",
          "/v1/%74hings", "/v1/things/7/PARTS", "/v1/things/7/parts/", "/v1/things//parts",
          "/v1/Me"}) {
        INFO(path);
        CHECK(router.resembles(path));
    }
    for (std::string_view const path :
         {"", "/", "v1/things", "/v1", "/v1/thing", "/v1/things/7", "/v1/things/7/parts/8",
          "/v1/things/7/part", "/v2/things", "/v1/th%20ings"}) {
        INFO(path);
        CHECK_FALSE(router.resembles(path));
    }
    CHECK(make_router({"/"}).resembles("/"));
    CHECK_FALSE(Router{}.resembles("/"));
}

TEST_CASE("templates that can match one path are distinguished from those that cannot") {
    struct Case {
        std::string_view left;
        std::string_view right;
        Overlap overlap;
    };
    for (auto const& one : {Case{"/a", "/b", Overlap::none},
                            {"/a", "/a/b", Overlap::none},
                            {"/a/{x}", "/b/{x}", Overlap::none},
                            {"/a/", "/a/{x}", Overlap::none},
                            {"/a/{x}", "/a/b", Overlap::ordered},
                            {"/{x}/{y}", "/a/b", Overlap::ordered},
                            {"/{x}/b", "/a/b", Overlap::ordered},
                            {"/a/{x}", "/a/{y}", Overlap::same},
                            {"/a/{x}", "/{y}/b", Overlap::crossed},
                            {"/a", "/a", Overlap::same}}) {
        INFO(one.left << " and " << one.right);
        CHECK(compare_templates(parse(one.left), parse(one.right)) == one.overlap);
        CHECK(compare_templates(parse(one.right), parse(one.left)) == one.overlap);
    }
}

TEST_CASE("templates that cannot be matched exactly are refused") {
    for (auto const& [text, error] : std::vector<std::pair<std::string, std::string>>{
             {"a", "does not begin with a slash"},
             {"", "does not begin with a slash"},
             {"/a//b", "has an empty segment"},
             {"/a/../b", "has a dot segment"},
             {"/a/{}", "has a brace without the other one, or without a name between them"},
             {"/a/{x", "has a brace without the other one, or without a name between them"},
             {"/a/x}", "has a brace without the other one, or without a name between them"},
             {"/a/{x}}", "has a brace without the other one, or without a name between them"},
             {"/a/{{x}", "has a brace without the other one, or without a name between them"},
             {"/a/{x}{y}", "has two parameters without a literal between them"},
             {"/a/v{x}{y}.json", "has two parameters without a literal between them"},
             {"/a/{x}.", "has a parameter beside white space or a dot at the end of its segment"},
             {"/a/%20{x}", "has a parameter beside white space or a dot at the end of its segment"},
             {"/a/{x} b", "has a segment that is not in its normalized spelling"},
             {"/a/{x}" + std::string(256, 'a'), "has a segment of more than 255 characters"},
             {"/a/{x}" + std::string(200, 'a') + "{y}" + std::string(200, 'a'),
              "has a segment of more than 255 characters"},
             {"/a/{x}%2F", "has characters that no request path may contain, encoded or not"},
             {"/a#b", "has a fragment, which clients do not send"},
             {"/a/{x}#b", "has a fragment, which clients do not send"},
             {"/a/{x}?y=1", "has a query"},
             {"/a?y={y}", "has a query"},
             {many_pairs(15) + "/{x}-{y}-{z}", "has more than 32 parameters"},
             {"/a b", "has a segment that is not in its normalized spelling"},
             {"/v1/é", "has a segment that is not in its normalized spelling"},
             {"/v1/%c3%a9", "has a segment that is not in its normalized spelling"},
             {"/a%62", "has a segment that is not in its normalized spelling"},
             {"/a%3Ab", "has a segment that is not in its normalized spelling"},
             {"/a%2Fb", "has characters that no request path may contain, encoded or not"},
             {"/a%3Bb", "has characters that no request path may contain, encoded or not"},
             {"/a%2", "has characters that no request path may contain, encoded or not"},
             {"/a%00", "has characters that no request path may contain, encoded or not"},
             {"/%C3", "has characters that no request path may contain, encoded or not"},
             {"/" + std::string(256, 'a'), "has a segment of more than 255 characters"},
             {"/a;b", "has characters that no request path may contain, encoded or not"},
             {"/a?b", "has a query"},
             {"/a\\b", "has characters that no request path may contain, encoded or not"}}) {
        INFO(text);
        CHECK(parse_path_template(text).error == error);
    }
}

[[nodiscard]] std::string document_of(std::vector<std::string> const& paths) {
    std::string text = "openapi: 3.1.0\ninfo: {title: T}\npaths:\n";
    int number = 0;
    for (auto const& path : paths) {
        std::string parameters;
        for (auto const& segment : parse(path)) {
            if (segment.kind != TemplateSegment::Kind::parameter) continue;
            parameters += "{name: " + segment.name + ", in: path, required: true, schema: {}}, ";
        }
        text += "  " + path + ":\n    parameters: [" + parameters + "]\n    get: {operationId: o"
                + std::to_string(number++) + "}\n";
    }
    return text;
}

TEST_CASE("a contract owns the literal beginnings of its paths") {
    auto const prefixes = [](std::vector<std::string> const& paths) {
        return load_document(document_of(paths))->owned_prefixes();
    };
    using List = std::vector<std::string>;
    CHECK(prefixes({"/v1/a/{x}", "/v1/b"}) == List{"/v1/"});
    CHECK(prefixes({"/api/v2/dashboards/{id}", "/api/v2/alerts"}) == List{"/api/v2/"});
    CHECK(prefixes({"/pets", "/pets/{id}", "/stores/{id}/x"}) == List{"/pets/", "/stores/"});
    CHECK(prefixes({"/{tenant}/x", "/pets"}) == List{"/"});
    CHECK(prefixes({"/v1/a", "/v2/a", "/v10/a"}) == List{"/v1/", "/v10/", "/v2/"});
}

TEST_CASE("a path has its methods, and the Allow field for the others") {
    auto const contract = load_document(R"(
openapi: 3.1.0
info: {title: T}
servers: [{url: "https://api.example.com/base/"}]
paths:
  /a:
    post: {operationId: make}
    get: {operationId: read}
)");
    auto const match = contract->route("/base/a");
    REQUIRE(match);
    CHECK(match.item->allow == "GET, HEAD, POST");
    CHECK(contract->find_operation(match, "POST")->id == "make");
    CHECK(contract->find_operation(match, "post") == nullptr);
    CHECK(contract->find_operation(match, "HEAD")->id == "read");
    CHECK(contract->find_operation(match, "head") == nullptr);
    CHECK_FALSE(contract->route("/a"));
    CHECK(contract->find_operation(RouteMatch{}, "GET") == nullptr);
    CHECK(contract->find_operation("make")->path == "/base/a");
    CHECK(contract->find_operation("absent") == nullptr);

    auto const with_head = load_document(R"(
openapi: 3.1.0
info: {title: T}
paths:
  /a: { head: {operationId: look}, get: {operationId: read} }
  /b: { post: {operationId: make} }
)");
    CHECK(with_head->route("/a").item->allow == "GET, HEAD");
    CHECK(with_head->find_operation(with_head->route("/a"), "HEAD")->id == "look");
    CHECK(with_head->find_operation(with_head->route("/b"), "HEAD") == nullptr);
    CHECK(with_head->route("/b").item->allow == "POST");
}

} // namespace
} // namespace sallyport::contract::test::router_test
