// Which fields behind a body are passed on.
#include "gateway/http/trailers.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace trailers {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;
using sallyport::http::test::ParsedRequest;

ParsedRequest head_with(std::string const& fields) {
    auto parsed = parse_request("POST / HTTP/1.1\r\nHost: a\r\n" + fields
                                + "Transfer-Encoding: chunked\r\n\r\n");
    REQUIRE(parsed.refused == nullptr);
    return parsed;
}

// The names that are passed on of a head with these fields.
std::string names_of(std::string const& fields, Coding coding = Coding::kept) {
    auto const parsed = head_with(fields);
    return TrailerNames{parsed.head->fields, coding}.text();
}

} // namespace

TEST_CASE("what frames, routes, identifies or decides is never a trailer") {
    for (auto const* const name : {"Content-Length",
                                   "Transfer-Encoding",
                                   "Trailer",
                                   "TE",
                                   "Connection",
                                   "Upgrade",
                                   "Host",
                                   "Expect",
                                   "Authorization",
                                   "Proxy-Authorization",
                                   "Cookie",
                                   "Set-Cookie",
                                   "X-Real-IP",
                                   "X-Forwarded-For",
                                   "X-Forwarded-Port",
                                   "Forwarded",
                                   "X-Remote-User",
                                   "X-Request-Id",
                                   "X-HTTP-Method-Override",
                                   "X-Original-URL",
                                   "X-Accel-Redirect",
                                   "Max-Forwards",
                                   "Via",
                                   "Content-Type",
                                   "content-encoding",
                                   "Content-Range",
                                   "Content-MD5",
                                   "Range",
                                   "If-Match",
                                   "If-None-Match",
                                   "Cache-Control",
                                   "Pragma",
                                   "Age",
                                   "Expires",
                                   "Date",
                                   "Location",
                                   "Retry-After",
                                   "Vary",
                                   "WWW-Authenticate",
                                   "Authentication-Info",
                                   "Origin",
                                   "Referer",
                                   "Access-Control-Allow-Origin",
                                   "Sec-Fetch-Site",
                                   "Accept",
                                   "Accept-Language",
                                   "Priority",
                                   "Strict-Transport-Security",
                                   "From",
                                   "User-Agent",
                                   "Last-Event-ID",
                                   "",
                                   "a b",
                                   "a:"}) {
        CAPTURE(name);
        CHECK_FALSE(may_trail(name));
    }
    // Servers that pass fields as variables read them as the ones above.
    CHECK_FALSE(may_trail("X_Forwarded_For"));
    CHECK_FALSE(may_trail("Content.Length"));
}

TEST_CASE("other fields may be trailers") {
    for (auto const* const name : {"X-Checksum", "ETag", "Server-Timing", "grpc-status", "x_sum",
                                   "Content-Digest", "repr-digest", "Digest", "Iff", "Secret"}) {
        CAPTURE(name);
        CHECK(may_trail(name));
    }
}

TEST_CASE("only what the head announces is passed on, each name once") {
    CHECK(names_of("") == "");
    CHECK(names_of("Trailer: X-Sum, ,ETag\r\nTrailer: x-sum, Server-Timing\r\n")
          == "X-Sum, ETag, Server-Timing");
    CHECK(names_of("Trailer: Authorization, X-Sum, Host\r\n") == "X-Sum");
    CHECK(names_of("Trailer: X-Sum, X-Hop\r\nConnection: x-hop\r\n") == "X-Sum");
    CHECK(names_of("Trailer: Content-Digest, X-Sum\r\n") == "Content-Digest, X-Sum");
    CHECK(names_of("Trailer: Content-Digest, X-Sum\r\n", Coding::removed) == "X-Sum");
    std::string many;
    for (int i = 0; i < 200; ++i)
        many += "Trailer: x-" + std::to_string(i % 100) + "\r\n";
    // The limit of fields comes first.
    auto const parsed = head_with(many.substr(0, many.find("x-90")) + "x\r\n");
    auto const text = TrailerNames{parsed.head->fields, Coding::kept}.text();
    CHECK(text.starts_with("x-0, x-1, "));
    CHECK(text.ends_with("x-31"));
}

TEST_CASE("lines are selected by their names, in any case, and stay as they are") {
    auto const parsed = head_with("Trailer: X-Sum, ETag\r\n");
    TrailerNames names{parsed.head->fields, Coding::kept};
    CHECK_FALSE(names.is_empty());
    CHECK(names.select("") == "");
    CHECK(names.select("x-sum: 1\r\nX-Other: 2\r\nETAG:\"3\" \r\nx-sum:4\r\n")
          == "x-sum: 1\r\nETAG:\"3\" \r\nx-sum:4\r\n");
    names.remove(std::vector<std::string>{"etag", "X-Nothing"});
    CHECK(names.text() == "X-Sum");
    CHECK(names.select("x-sum: 1\r\netag: 2\r\n") == "x-sum: 1\r\n");
    names.remove(std::vector<std::string>{"X_Sum"}); // the same variable to some servers
    CHECK(names.is_empty());
    CHECK(names.select("x-sum: 1\r\n") == "");
    CHECK(TrailerNames{}.is_empty());
}

} // namespace trailers
