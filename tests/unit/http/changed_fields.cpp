// Fields that a configuration must not change, and lines that are taken out of a head.
#include "gateway/http/changed_fields.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace changed_fields {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

bool may(FieldOf of, FieldChange change, std::string_view name) {
    return reason_against(of, change, name).empty();
}

// The forwarded lines without those of these names.
std::string remaining(std::string_view fields, std::vector<std::string> const& names) {
    auto const parsed =
        parse_request("POST / HTTP/1.1\r\nHost: a\r\n" + std::string{fields} + "\r\n");
    if (parsed.refused) return std::string{parsed.refused->rule};
    LineRuns all;
    fields_to_forward(*parsed.head, {}, all);
    LineRuns left;
    remove_lines(all, names, left);
    std::string text;
    for (auto const run : left)
        text += (text.empty() ? "" : "|") + std::string{run};
    return text;
}

} // namespace

TEST_CASE("framing, fields for one connection and the gateway's own are never changed") {
    for (auto const* const name :
         {"Content-Length", "transfer-encoding", "Connection", "Keep-Alive", "Proxy-Connection",
          "TE", "Trailer", "Upgrade", "HTTP2-Settings", "X-Request-Id", "Content-Type",
          "Content-Encoding", "Content-MD5", "Digest", "Proxy-Authorization", "Proxy-Authenticate",
          "Proxy-Authentication-Info"}) {
        CAPTURE(name);
        for (auto const of : {FieldOf::request, FieldOf::response}) {
            CHECK_FALSE(may(of, FieldChange::write, name));
            CHECK_FALSE(may(of, FieldChange::remove, name));
        }
    }
}

TEST_CASE("of a request, what identifies, overrides or routes is never changed") {
    for (auto const* const name :
         {"Host", "Expect", "Authorization", "Cookie", "Forwarded", "X-Forwarded-For",
          "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Real-IP",
          "X-Remote-User", "X-Consumer-Id", "X-HTTP-Method-Override", "X-Original-URL", "X-Accel-A",
          "Max-Forwards", "Via", "X_Remote_User", "Content_Length"}) {
        CAPTURE(name);
        CHECK_FALSE(may(FieldOf::request, FieldChange::write, name));
        CHECK_FALSE(may(FieldOf::request, FieldChange::remove, name));
    }
}

TEST_CASE("identities and commands are not written into responses, but may be removed") {
    for (auto const* const name : {"X-Consumer-Id", "X-Accel-Redirect"}) {
        CAPTURE(name);
        CHECK_FALSE(may(FieldOf::response, FieldChange::write, name));
        CHECK(may(FieldOf::response, FieldChange::remove, name));
    }
    CHECK_FALSE(may(FieldOf::response, FieldChange::remove, "Date"));
}

TEST_CASE("all other fields may be changed") {
    for (auto const* const name : {"X-Team", "Accept-Encoding", "User-Agent", "X_Team", "Date"})
        CHECK(may(FieldOf::request, FieldChange::write, name));
    for (auto const* const name : {"Server", "Cache-Control", "Set-Cookie", "Via", "X-Powered-By"})
        CHECK(may(FieldOf::response, FieldChange::remove, name));
}

TEST_CASE("removed lines are removed in every spelling that servers take for the same name") {
    CHECK(remaining("X-A: 1\r\nX-B: 2\r\nX-C: 3\r\n", {"X-B"}) == "X-A: 1\r\n|X-C: 3\r\n");
    CHECK(remaining("x-b: 1\r\nX_B: 2\r\nX-BB: 3\r\nX-B:\r\n", {"X-B"}) == "X-BB: 3\r\n");
    CHECK(remaining("X-A: X-B: 1\r\n", {"X-B"}) == "X-A: X-B: 1\r\n");
    CHECK(remaining("X-A: 1\r\n", {"X-A", "X-B"}).empty());
    CHECK(remaining("X-A: 1\r\nX-B: 2\r\n", {}) == "X-A: 1\r\nX-B: 2\r\n");
}

} // namespace changed_fields
