// The forwarded part of a head: a test for each row of the table.
#include "gateway/http/forward_fields.h"

#include "heads.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace forward_fields {

namespace {

using namespace sallyport::http;
using sallyport::http::test::parse_request;

// The forwarded part of these lines; runs are joined with "|" where bytes between them were
// removed.
std::string forward(std::string_view fields, ForwardPolicy const& policy = {}) {
    auto const parsed =
        parse_request("POST / HTTP/1.1\r\nHost: a\r\n" + std::string{fields} + "\r\n");
    if (parsed.refused) return std::string{parsed.refused->rule};
    auto const runs = std::make_unique<LineRuns>();
    fields_to_forward(*parsed.head, policy, *runs);
    std::string text;
    for (auto const run : *runs)
        text += (text.empty() ? "" : "|") + std::string{run};
    return text;
}

std::string forward_back(std::string_view fields) {
    std::string const bytes = "HTTP/1.1 200 OK\r\n" + std::string{fields} + "\r\n";
    auto const head = std::make_unique<ResponseHead>();
    if (auto const refused = parse_response_head(bytes, {}, ResponseTo::other, *head))
        return std::string{refused->rule};
    LineRuns runs;
    fields_to_return(*head, runs);
    std::string text;
    for (auto const run : runs)
        text += (text.empty() ? "" : "|") + std::string{run};
    return text;
}

} // namespace

TEST_CASE("identity fields are forwarded only if the contract declares them") {
    std::vector<std::string> const declared{"x-user-id", "X-Consumer-Id", "X-Real-IP",
                                            "Cookie",    "X-Request-Id",  "X-Http-Method-Override",
                                            "X-Other"};
    ForwardPolicy policy;
    policy.declared = declared;
    CHECK(forward("X-User-Id: 7\r\n", policy) == "X-User-Id: 7\r\n");
    CHECK(forward("X-CONSUMER-ID: 7\r\n", policy) == "X-CONSUMER-ID: 7\r\n");
    CHECK(forward("X-User-Id: 7\r\n").empty());
    CHECK(forward("X-User: 7\r\nX-Consumer-Name: 7\r\nRemote-User: 7\r\n", policy).empty());
    CHECK(forward("X-User-Id: 7\r\nConnection: x-user-id\r\n", policy).empty());
    // No declared field is among these: a contract that declares one does not load.
    CHECK(forward("X-Real-IP: 1\r\nCookie: a=b\r\nX-Request-Id: 1\r\n"
                  "X-Http-Method-Override: PUT\r\n",
                  policy)
              .empty());
}

TEST_CASE("the handling of a field is known before any request declares it") {
    for (auto const name : {"Host",
                            "content-length",
                            "Transfer-Encoding",
                            "Connection",
                            "Keep-Alive",
                            "TE",
                            "Upgrade",
                            "Expect",
                            "Authorization",
                            "Proxy-Authorization",
                            "Forwarded",
                            "X-Forwarded-For",
                            "X-Forwarded-Anything",
                            "X-Real-IP",
                            "X-Request-Id",
                            "X-HTTP-Method-Override",
                            "X-Original-URL",
                            "X-Accel-Redirect",
                            "Proxy",
                            "Max-Forwards",
                            "X_Request_Id",
                            "X_User_Id"}) {
        INFO(name);
        CHECK(judge_declared_field(name) == DeclaredField::written_by_gateway);
    }
    CHECK(judge_declared_field("Cookie") == DeclaredField::forwarded_with_cookies);
    for (auto const name : {"X-User-Id", "Remote-User", "X-Consumer-Id", "X-Client-Cert", "X-Mode",
                            "X_Mode", "Accept-Encoding", "Content-Encoding", "Content-Digest",
                            "Idempotency-Key", "If-Match", "Date"}) {
        INFO(name);
        CHECK(judge_declared_field(name) == DeclaredField::forwarded);
    }
}

TEST_CASE("fields that the gateway writes, or only a proxy may set, are not forwarded") {
    for (auto const line : {"Content-Length: 5",
                            "Transfer-Encoding: chunked",
                            "Authorization: Basic YTpi",
                            "X-Request-Id: 1",
                            "Connection: close",
                            "Keep-Alive: timeout=5",
                            "Proxy-Connection: close",
                            "TE: trailers",
                            "Trailer: Host",
                            "Upgrade: h2c",
                            "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
                            "Expect: 100-continue",
                            "Proxy-Authorization: Basic YTpi",
                            "Proxy-Authenticate: Basic",
                            "Proxy-Authentication-Info: a",
                            "Cookie: a=b",
                            "Cookie2: $Version=1",
                            "Forwarded: for=1.2.3.4",
                            "X-Forwarded: 1",
                            "X-Forwarded-For: 1.2.3.4",
                            "X-Forwarded-Proto: https",
                            "X-Forwarded-Host: b",
                            "X-Forwarded-Port: 1",
                            "X-Forwarded-Prefix: /a",
                            "X-Forwarded-User: root",
                            "X-Forwarded-Email: root@a",
                            "X-Forwarded-Groups: wheel",
                            "X-Forwarded-Access-Token: t",
                            "X-Forwarded-Client-Cert: c",
                            "X-Real-IP: 1.2.3.4",
                            "X-Client-IP: 1.2.3.4",
                            "Client-IP: 1.2.3.4",
                            "True-Client-IP: 1.2.3.4",
                            "X-Cluster-Client-IP: 1.2.3.4",
                            "X-Originating-IP: 1.2.3.4",
                            "X-Remote-IP: 1.2.3.4",
                            "X-Remote-Addr: 1.2.3.4",
                            "CF-Connecting-IP: 1.2.3.4",
                            "CF-Connecting-IPv6: ::1",
                            "Fastly-Client-IP: 1.2.3.4",
                            "X-Azure-ClientIP: 1.2.3.4",
                            "Remote-User: root",
                            "X-User: root",
                            "X-User-Id: 0",
                            "X-Remote-User: root",
                            "X-Remote-User-Groups: wheel",
                            "X-Authenticated-User: root",
                            "X-Authenticated-Scopes: all",
                            "X-Auth-Request-User: root",
                            "X-WebAuth-User: root",
                            "X-Consumer-Id: 1",
                            "X-Credential-Identifier: 1",
                            "X-Client-Cert: c",
                            "X-Client-DN: cn=root",
                            "X-Client-Verify: SUCCESS",
                            "X-SSL-Client-CN: root",
                            "SSL-Client-Cert: c",
                            "X-Amzn-Oidc-Data: d",
                            "X-Goog-Authenticated-User-Email: e",
                            "X-Goog-IAP-JWT-Assertion: j",
                            "X-MS-Client-Principal: p",
                            "X-MS-Client-Principal-Id: p",
                            "X-Azure-SocketIP: 1",
                            "CF-Pseudo-IPv4: 1",
                            "Fly-Client-IP: 1",
                            "Fly-Forwarded-Proto: 1",
                            "Fly-Forwarded-Port: 1",
                            "Fly-Forwarded-SSL: 1",
                            "X-Vercel-Forwarded-For: 1",
                            "X-Vercel-Proxied-For: 1",
                            "X-NF-Client-Connection-IP: 1",
                            "DO-Connecting-IP: 1",
                            "Incap-Client-IP: 1",
                            "X-Sucuri-ClientIP: 1",
                            "Ali-CDN-Real-IP: 1",
                            "Proxy-Client-IP: 1",
                            "WL-Proxy-Client-IP: 1",
                            "X-ProxyUser-IP: 1",
                            "CloudFront-Viewer-Address: 1",
                            "Front-End-Https: 1",
                            "X-Url-Scheme: 1",
                            "X-Scheme: 1",
                            "Remote-Group: 1",
                            "Remote-Groups: 1",
                            "Remote-Email: 1",
                            "Remote-Name: 1",
                            "Client-Cert: 1",
                            "Client-Cert-Chain: 1",
                            "X-Auth-User: 1",
                            "X-Auth-Username: 1",
                            "X-Auth-Groups: 1",
                            "X-Auth-Roles: 1",
                            "X-Remote-Group: 1",
                            "X-Remote-Groups: 1",
                            "X-Remote-Uid: 1",
                            "X-Remote-Email: 1",
                            "X-Remote-Name: 1",
                            "X-Remote-Extra-Scopes: 1",
                            "Impersonate-User: 1",
                            "Impersonate-Group: 1",
                            "Impersonate-Uid: 1",
                            "Impersonate-Extra-Scopes: 1",
                            "Cf-Access-Authenticated-User-Email: 1",
                            "Cf-Access-Jwt-Assertion: 1",
                            "X-ARR-ClientCert: 1",
                            "X-Azure-FDID: 1",
                            "X-MS-Token-AAD-Id-Token: 1",
                            "Tailscale-User-Login: 1",
                            "Tailscale-User-Name: 1",
                            "X-Authentik-Username: 1",
                            "X-Pomerium-Claim-Email: 1",
                            "X-Pomerium-Jwt-Assertion: 1",
                            "X-Token-Subject: 1",
                            "X-Token-User-Email: 1",
                            "X-Anonymous-Consumer: 1",
                            "X-Userinfo: 1",
                            "X-Endpoint-API-UserInfo: 1",
                            "X-Apigateway-Api-Userinfo: 1",
                            "X-AppEngine-User-Email: 1",
                            "X-Amzn-Mtls-Clientcert: 1",
                            "X-TLS-Client-CN: 1",
                            "X-Client-S-DN: 1",
                            "X-Client-I-DN: 1",
                            "Shib-Session-ID: 1",
                            "OIDC-Claim-Sub: 1",
                            "WL-Proxy-Client-Cert: 1",
                            "CAS-User: 1",
                            "SM-User: 1",
                            "SM-UserDN: 1",
                            "SM-UniversalId: 1",
                            "OAM-Remote-User: 1",
                            "IV-User: 1",
                            "IV-Groups: 1",
                            "IV-Creds: 1",
                            "X-HTTP-Host-Override: 1",
                            "X-Host-Override: 1",
                            "X-HTTP-DestinationURL: 1",
                            "X-Override-URL: 1",
                            "X-HTTP-Method: DELETE",
                            "X-HTTP-Method-Override: DELETE",
                            "X-Method-Override: DELETE",
                            "X-Original-URL: /b",
                            "X-Original-Method: DELETE",
                            "X-Original-Host: b",
                            "X-Rewrite-URL: /b",
                            "X-Host: b",
                            "X-Accel-Redirect: /b",
                            "X-Accel-Buffering: no",
                            "X-Sendfile: /b",
                            "X-Sendfile-Type: X-Accel-Redirect",
                            "X-Envoy-Original-Path: /b",
                            "X-Envoy-Upstream-RQ-Timeout-MS: 1",
                            "Proxy: http://b"}) {
        INFO(line);
        CHECK(forward(std::string{line} + "\r\n") == "");
        CHECK(forward("A: 1\r\n" + std::string{line} + "\r\nB: 2\r\n") == "A: 1\r\n|B: 2\r\n");
    }
    CHECK(forward("") == ""); // Host
}

TEST_CASE("all other fields are forwarded byte for byte") {
    for (std::string const line :
         {"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
          "tracestate: a=b\r\n", "baggage: a=b\r\n", "User-Agent: a\r\n", "ACCEPT:*/*\r\n",
          "x-hdx-team:  a \t\r\n", "Content-Type: application/json\r\n",
          "Content-Encoding: gzip\r\n", "Content-MD5: a\r\n", "Content-Digest: sha-256=:a:\r\n",
          "Accept-Encoding: gzip\r\n", "If-None-Match: \"a\"\r\n", "Range: bytes=0-1\r\n",
          "Via: 1.1 b\r\n", "X-Unknown_With_Underscores: 1\r\n", "Empty:\r\n",
          // Credentials that a client has itself, and names that only begin like known ones.
          "X-Auth-Token: t\r\n", "X-Auth-Key: k\r\n", "X-Api-Key: k\r\n",
          "CF-Access-Client-Id: i\r\n", "X-Remote: 1\r\n", "Remote: 1\r\n", "Client: 1\r\n",
          "Impersonate: 1\r\n", "Tailscale: 1\r\n", "If-Match: \"a\"\r\n", "Shibboleth: 1\r\n"}) {
        INFO(line);
        CHECK(forward(line) == line);
    }
}

TEST_CASE("Max-Forwards is rewritten only for methods that use it") {
    auto const parsed =
        parse_request("OPTIONS / HTTP/1.1\r\nHost: a\r\nMax-Forwards: 3\r\nA: 1\r\n\r\n");
    LineRuns runs;
    fields_to_forward(*parsed.head, {}, runs);
    REQUIRE(runs.size() == 1);
    CHECK(*runs.begin() == "A: 1\r\n");
    CHECK(forward("Max-Forwards: 3\r\n") == "Max-Forwards: 3\r\n");
    CHECK(forward("Max-Forwards: 3\r\nConnection: max-forwards\r\n") == "");
}

TEST_CASE("adjacent lines are forwarded as one run of bytes") {
    CHECK(forward("A: 1\r\nB: 2\r\nCookie: x\r\nC: 3\r\nD: 4\r\nCookie: y\r\n")
          == "A: 1\r\nB: 2\r\n|C: 3\r\nD: 4\r\n");
    auto const parsed = parse_request("GET / HTTP/1.1\r\nA: 1\r\nHost: a\r\nB: 2\r\nC: 3\r\n\r\n");
    LineRuns runs;
    fields_to_forward(*parsed.head, {}, runs);
    CHECK(runs.size() == 2);
    CHECK(runs.bytes() == 18);
    CHECK(runs.begin()->data() == parsed.head->fields[0].line.data());
}

TEST_CASE("earlier content of runs is replaced") {
    LineRuns runs;
    runs.add("Stale: 1\r\n");
    auto const parsed = parse_request("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\n\r\n");
    fields_to_forward(*parsed.head, {}, runs);
    REQUIRE(runs.size() == 1);
    CHECK(*runs.begin() == "A: 1\r\n");
    ResponseHead head;
    REQUIRE(!parse_response_head("HTTP/1.1 204 X\r\nB: 1\r\n\r\n", {}, ResponseTo::other, head));
    fields_to_return(head, runs);
    REQUIRE(runs.size() == 1);
    CHECK(*runs.begin() == "B: 1\r\n");
}

TEST_CASE("the runs of the largest head fit") {
    std::string fields;
    for (std::size_t i = 0; i < FieldTable::capacity / 2; ++i)
        fields += "A: 1\r\nCookie: x\r\n";
    auto const parsed = parse_request("GET / HTTP/1.1\r\n" + fields.substr(0, fields.size() - 11)
                                          + "Host: a\r\n\r\n",
                                      {64 * 1024, 1024, 256});
    REQUIRE(!parsed.refused);
    REQUIRE(parsed.head->fields.size() == FieldTable::capacity);
    auto const runs = std::make_unique<LineRuns>();
    fields_to_forward(*parsed.head, {}, *runs);
    CHECK(runs->size() == FieldTable::capacity / 2);
    CHECK(runs->size() <= LineRuns::capacity);
}

TEST_CASE("a field that Connection names is not forwarded, in any letter case and from any line") {
    CHECK(forward("A: 1\r\nConnection: b, X-Secret\r\nB: 2\r\nx-secret: 3\r\nC: 4\r\n")
          == "A: 1\r\n|C: 4\r\n");
    CHECK(forward("Connection: close\r\nA: 1\r\nConnection: keep-alive, a\r\nB: 2\r\n")
          == "B: 2\r\n");
    CHECK(forward("A: 1\r\nConnection: a\r\nA: 2\r\n") == "");
    CHECK(forward("close: 1\r\nConnection: close\r\n") == "close: 1\r\n");
    CHECK(forward("Connection: accept-encoding\r\nAccept-Encoding: gzip\r\n") == "");
}

TEST_CASE("fields by which a body was checked are forwarded even if Connection names them") {
    CHECK(forward("Connection: content-type, content-encoding\r\nContent-Type: a/b\r\n"
                  "Content-Encoding: gzip\r\n")
          == "Content-Type: a/b\r\nContent-Encoding: gzip\r\n");
}

TEST_CASE("naming one of ours in Connection changes nothing") {
    CHECK(
        forward("Connection: host, content-length, x-request-id, authorization, x-forwarded-for\r\n"
                "Content-Length: 5\r\nAuthorization: Bearer a\r\nA: 1\r\n")
        == "A: 1\r\n");
}

TEST_CASE("cookies pass if the API forwards them, and not if Connection names them") {
    ForwardPolicy policy;
    policy.cookies = Cookies::forward;
    CHECK(forward("Cookie: a=b\r\n") == "");
    CHECK(forward("Cookie: a=b\r\n", policy) == "Cookie: a=b\r\n");
    CHECK(forward("Connection: cookie\r\nCookie: a=b\r\n", policy) == "");
}

TEST_CASE("if a content coding was removed, fields about the coded bytes are removed too") {
    ForwardPolicy policy;
    policy.coding = Coding::removed;
    CHECK(forward("Content-Encoding: gzip\r\nContent-MD5: a\r\nDigest: a\r\nContent-Digest: b\r\n"
                  "Repr-Digest: c\r\nContent-Type: a/b\r\n",
                  policy)
          == "Content-Type: a/b\r\n");
}

TEST_CASE("hop-by-hop fields, framing and the request id of a response are not returned") {
    for (auto const line :
         {"Content-Length: 5", "Transfer-Encoding: chunked", "Connection: close",
          "Keep-Alive: timeout=5", "Proxy-Connection: close", "TE: trailers", "Trailer: Expires",
          "Upgrade: h2c", "HTTP2-Settings: a", "Proxy-Authenticate: Basic",
          "Proxy-Authentication-Info: a", "X-Request-Id: 1"}) {
        INFO(line);
        CHECK(forward_back("A: 1\r\n" + std::string{line} + "\r\nB: 2\r\n") == "A: 1\r\n|B: 2\r\n");
    }
    CHECK(forward_back("A: 1\r\nConnection: b\r\nB: 2\r\nC: 3\r\n") == "A: 1\r\n|C: 3\r\n");
    CHECK(forward_back("Connection: content-encoding, content-type\r\nContent-Type: a/b\r\n"
                       "Content-Encoding: gzip\r\n")
          == "Content-Type: a/b\r\nContent-Encoding: gzip\r\n");
}

TEST_CASE("all other fields of a response are returned byte for byte") {
    std::string const fields = "Date: a\r\nServer: b\r\nset-cookie: c\r\nSet-Cookie: d\r\n"
                               "WWW-Authenticate: Basic\r\nRetry-After: 1\r\nETag: \"e\"\r\n"
                               "X-RateLimit-Reset: 0.5\r\nAuthorization: f\r\nX_Y:  g \r\n";
    CHECK(forward_back(fields) == fields);
}

} // namespace forward_fields
