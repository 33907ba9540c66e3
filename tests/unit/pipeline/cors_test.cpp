// Which origins an API allows, and what is written of them.
#include "gateway/pipeline/cors.h"

#include "double.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace cors_test {

using namespace sallyport;
using namespace sallyport::pipeline;

namespace {

config::AllowedOrigin exact(std::string text) {
    return {std::move(text), {}, {}, {}};
}

config::AllowedOrigin below(std::string scheme, std::string end) {
    return {scheme + "*" + end, std::move(scheme), std::move(end), {}};
}

config::Cors cors_with(std::vector<config::AllowedOrigin> origins) {
    config::Cors cors;
    cors.origins = std::move(origins);
    return cors;
}

// What a request with these lines is told.
std::string allowed(Cors const& cors, std::string const& lines) {
    pipeline::test::Fixture const fixture{"OPTIONS /a HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n"};
    auto const origin = cors.allowed_origin(fixture.exchange.request.head.fields);
    return origin ? std::string{*origin} : "none";
}

bool is_preflight(std::string const& method, std::string const& lines) {
    pipeline::test::Fixture const fixture{method + " /a HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n"};
    return Cors::is_preflight(fixture.exchange.request.head);
}

// A response with these lines after the change, and the lines that are added.
std::string changed(Cors const& cors, std::string const& response, std::string lines = {},
                    std::string const& request = "Origin: https://a.example\r\n") {
    pipeline::test::Fixture const fixture{"GET /a HTTP/1.1\r\nHost: h\r\n" + request + "\r\n"};
    http::LineRuns kept;
    for (std::size_t at = 0; at < response.size();) {
        auto const end = response.find("\r\n", at) + 2;
        kept.add(std::string_view{response}.substr(at, end - at));
        at = end;
    }
    cors.change(fixture.exchange.request.head.fields, kept, lines);
    std::string all;
    for (auto const run : kept)
        all += run;
    return all + lines;
}

std::string const of_a = "Access-Control-Allow-Origin: https://a.example\r\n"
                         "Access-Control-Expose-Headers: X-Request-Id\r\n";

} // namespace

TEST_CASE("an origin is compared byte for byte") {
    Cors const cors{cors_with({exact("https://a.example"), exact("http://b:81")})};
    CHECK(allowed(cors, "Origin: https://a.example\r\n") == "https://a.example");
    CHECK(allowed(cors, "oRIGIN:   http://b:81 \r\n") == "http://b:81");
    for (auto const* const other :
         {"https://a.example:443", "https://A.example", "http://a.example", "https://a.example/",
          "https://a.example.", "https://b.example", "b:81", "null", "*", ""}) {
        INFO(other);
        CHECK(allowed(cors, std::string{"Origin: "} + other + "\r\n") == "none");
    }
    CHECK(allowed(cors, "") == "none");
    CHECK(allowed(cors, "Origin: https://a.example\r\nOrigin: https://a.example\r\n") == "none");
    CHECK(allowed(cors, "Origin: https://a.example\r\nX: 1\r\nOrigin: null\r\n") == "none");
}

TEST_CASE("only whole labels stand in the place of a star") {
    Cors const cors{cors_with({below("https://", ".a.example"), below("x-app://", ".b.c:8443")})};
    for (auto const* const one : {"https://b.a.example", "https://c.b-d_1.a.example",
                                  "https://a.a.example", "x-app://y.b.c:8443"}) {
        INFO(one);
        CHECK(allowed(cors, std::string{"Origin: "} + one + "\r\n") == one);
    }
    for (auto const* const other :
         {"https://a.example", "https://.a.example", "https://b..a.example", "https://.b.a.example",
          "https://b..c.a.example", "https://ba.example", "http://b.a.example",
          "https://b.a.example:8443", "https://b.a.example.evil", "https://evil/b.a.example",
          "https://evil:1/.a.example", "https://u@b.a.example", "https://b,c.a.example",
          "https://b c.a.example", "https://*.a.example", "https://a.example.a.exampl",
          "x-app://y.b.c", "x-app://y.b.c:8444"}) {
        INFO(other);
        CHECK(allowed(cors, std::string{"Origin: "} + other + "\r\n") == "none");
    }
}

TEST_CASE("null is an origin where it is written, and a star is for all") {
    CHECK(allowed(Cors{cors_with({exact("null")})}, "Origin: null\r\n") == "null");
    Cors const all{cors_with({exact("*")})};
    CHECK(allowed(all, "Origin: null\r\n") == "*");
    CHECK(allowed(all, "") == "*");
}

TEST_CASE("a preflight has the method and both fields") {
    std::string const origin = "Origin: a\r\n";
    std::string const method = "Access-Control-Request-Method: PUT\r\n";
    CHECK(is_preflight("OPTIONS", origin + method));
    CHECK(is_preflight("OPTIONS", "access-control-request-method: PUT\r\norigin: a\r\n"));
    CHECK_FALSE(is_preflight("OPTIONS", origin));
    CHECK_FALSE(is_preflight("OPTIONS", method));
    CHECK_FALSE(is_preflight("GET", origin + method));
    CHECK_FALSE(is_preflight("options", origin + method));
}

TEST_CASE("a list of methods names some of those that a path has") {
    auto from = cors_with({exact("*")});
    CHECK(Cors{from}.methods_of("GET, HEAD", Cors::Others::refused) == "GET, HEAD");
    from.methods = {"PUT", "GET", "HEA"};
    Cors const cors{from};
    CHECK(cors.methods_of("GET, HEAD, PUT", Cors::Others::refused) == "PUT, GET");
    CHECK(cors.methods_of("POST", Cors::Others::refused).empty());
    CHECK(cors.methods_of("POST", Cors::Others::any) == "PUT, GET, HEA");
}

TEST_CASE("the Vary of a response is one line, with each name once") {
    Cors const cors{cors_with({exact("https://a.example")})};
    CHECK(changed(cors, "") == "Vary: Origin\r\n" + of_a);
    CHECK(changed(cors, "vary: a,  B ,a\r\nX: 1\r\nVary: b, ,c\r\n", "X-A: 1\r\nVary: d, A\r\n")
          == "X: 1\r\nX-A: 1\r\nVary: a, B, c, d, Origin\r\n" + of_a);
    CHECK(changed(cors, "Vary: ORIGIN\r\n") == "Vary: ORIGIN\r\n" + of_a);
    CHECK(changed(cors, "Vary:\r\n") == "Vary: Origin\r\n" + of_a);
    // Also where the origin is foreign, or missing.
    CHECK(changed(cors, "Vary: a\r\n", {}, "Origin: https://b.example\r\n")
          == "Vary: a, Origin\r\n");
    CHECK(changed(cors, "Vary: a\r\n", {}, {}) == "Vary: a, Origin\r\n");
    // Responses to all origins do not depend on them.
    CHECK(changed(Cors{cors_with({exact("*")})}, "Vary: a\r\n", {}, {})
          == "Vary: a\r\nAccess-Control-Allow-Origin: *\r\n"
             "Access-Control-Expose-Headers: X-Request-Id\r\n");
}

TEST_CASE("the upstream's own fields are dropped, for foreign origins too") {
    Cors const cors{cors_with({exact("https://a.example")})};
    std::string theirs;
    for (auto const* const name :
         {"Allow-Origin", "Allow-Credentials", "Allow-Methods", "Allow-Headers", "Max-Age",
          "Expose-Headers", "Allow-Private-Network"})
        theirs += std::string{"access-control-"} + name + ": *\r\n";
    theirs += "Access_Control_Allow_Origin: *\r\nAccess-Control-Own: 1\r\n";
    CHECK(changed(cors, theirs) == "Access-Control-Own: 1\r\nVary: Origin\r\n" + of_a);
    CHECK(changed(cors, theirs, {}, "Origin: null\r\n")
          == "Access-Control-Own: 1\r\nVary: Origin\r\n");
}

TEST_CASE("a response of the gateway itself has the same lines, and a preflight's its own") {
    auto from = cors_with({exact("https://a.example")});
    from.credentials = true;
    from.expose.clear();
    from.headers.clear();
    from.max_age = std::chrono::milliseconds{1999};
    Cors const cors{from};
    pipeline::test::Fixture const fixture{
        "GET /a HTTP/1.1\r\nHost: h\r\nOrigin: https://a.example\r\n\r\n"};
    std::string lines = "Vary: Accept\r\nX-A: 1\r\n";
    cors.add_to(lines, fixture.exchange.request.head.fields);
    CHECK(lines
          == "X-A: 1\r\nVary: Accept, Origin\r\nAccess-Control-Allow-Origin: https://a.example\r\n"
             "Access-Control-Allow-Credentials: true\r\n");
    std::string preflight;
    cors.add_to_preflight(preflight, "https://a.example", "");
    CHECK(preflight
          == "Access-Control-Allow-Origin: https://a.example\r\n"
             "Access-Control-Allow-Credentials: true\r\nAccess-Control-Max-Age: 1\r\n"
             "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n");
}

} // namespace cors_test
