// The corpus itself: its size, its parsing, and that no case is omitted
// silently.
#include "tests/clients/arrival.h"
#include "tests/clients/drivers.h"
#include "tests/clients/needs.h"
#include "tests/clients/placeholders.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <utility>

namespace corpus_test {

using namespace sallyport::test;

namespace {

constexpr std::string_view host = "localhost:8443";

Case with_head(std::string head) {
    Case one;
    one.head = std::move(head);
    one.expected.status = 200;
    return one;
}

} // namespace

TEST_CASE("an unknown word is not a placeholder", "[corpus]") {
    PlaceholderValues const values{std::string{host}, "7"};
    CHECK_THROWS(replace_placeholders("{{hots}}", values));
    CHECK_THROWS(replace_placeholders("{{basic nobody}}", values));
    CHECK_THROWS(replace_placeholders("{{bytes 0g}}", values));
    CHECK_THROWS(replace_placeholders("{{host", values));
    CHECK_THROWS(replace_placeholders("{{length}}", PlaceholderValues{"host", ""}));
    CHECK(replace_placeholders("a {{host}} {{length}} {{bytes 00 ff}}{{cr}}", values)
          == std::string("a localhost:8443 7 \0\xff\r", 22));
    CHECK(replace_placeholders("{{repeat 3 ab}}", values) == "ababab");
}

TEST_CASE("an invalid file of the corpus is refused, with its place", "[corpus]") {
    std::string const head = "about: a test\nclient: one\ncases:\n  - name: first\n"
                             "    why: to see what is refused\n    send: GET / HTTP/1.1\n";
    for (auto const& [more, complaint] : std::vector<std::pair<std::string, std::string>>{
             {"    passes: 200\n    reason: none\n", "cases.yaml:8: no such key: reason"},
             {"    passes: 200\n    passes: 404\n", "cases.yaml:8: twice: passes"},
             {"", "cases.yaml:4: either passes or refused"},
             {"    passes: 200\n    refused: { status: 400, reason: bad_request }\n",
              "cases.yaml:4: either passes or refused"},
             {"    refused: { status: 400 }\n", "cases.yaml:7: reason is missing"},
             {"    refused: { status: 400, reason: x, violations: [/a] }\n",
              "cases.yaml:7: a violation is [pointer, rule]"},
             {"    passes: 200\n    coding: br\n", "cases.yaml:8: coding is gzip or deflate"},
             {"    passes: 200\n    body: '{{nothing}}'\n",
              "cases.yaml:8: {{nothing}} means nothing"},
             {"    passes: 200\n  - name: first\n    why: again\n    send: x\n    passes: 200\n",
              "a name that is there twice: cases: first"},
         }) {
        TemporaryFolder const folder;
        folder.write("cases.yaml", head + more);
        CHECK_THROWS_WITH(read_corpus(folder.path(), host), complaint);
    }
}

TEST_CASE("a case is parsed into the bytes to send", "[corpus]") {
    TemporaryFolder const folder;
    folder.write("cases.yaml", "about: a test\nclient: one\ncases:\n  - name: first\n"
                               "    why: to see what is read\n    client: another\n"
                               "    send: |\n      PUT /a HTTP/1.1\n      Host: {{host}}\n"
                               "      Content-Length: {{length}}{{lf}} b\n"
                               "    body: '{\"a\":1}'\n    chunks: 4\n    passes: 404\n");
    auto const corpus = read_corpus(folder.path(), host);
    REQUIRE(corpus.size() == 1);
    CHECK(corpus[0].label() == "cases: first");
    CHECK(corpus[0].client == "another");
    CHECK(corpus[0].head
          == "PUT /a HTTP/1.1\r\nHost: localhost:8443\r\nContent-Length: 7\n b\r\n\r\n");
    CHECK(corpus[0].body == "4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n");
    CHECK(corpus[0].content == "{\"a\":1}");
    CHECK(corpus[0].expected.passes());
    CHECK(corpus[0].expected.status == 404);
}

TEST_CASE("forwarded requests are the allowed ones, in order and spelling", "[corpus]") {
    Request sent;
    sent.method = "PUT";
    sent.fields = {{"X-one", "1"},
                   {"Host", "h"},
                   {"Cookie", "c"},
                   {"Connection", "x-hop"},
                   {"X-Hop", "2"},
                   {"Content-Encoding", "gzip"},
                   {"Content-MD5", "m"},
                   {"X-Forwarded-For", "a"},
                   {"X-Two", "2"},
                   {"x-ONE", "3"},
                   {"Authorization", "Basic x"}};
    Fields const arrived =
        side_by_side(fields_that_arrive(sent, "{}", {"up:1", "Bearer t", "id-1", "1.1"}));
    std::string text;
    for (auto const& field : arrived)
        text += field.name + ": " + field.value + "\n";
    CHECK(text
          == "Host: up:1\nX-one: 1\nx-ONE: 3\nX-Two: 2\nAuthorization: Bearer t\n"
             "X-Request-Id: id-1\nX-Forwarded-For: 127.0.0.1\nX-Forwarded-Proto: https\n"
             "X-Forwarded-Host: h\nVia: 1.1 sallyport\nContent-Length: 2\n");
}

TEST_CASE("the requirements on a client are derived from the bytes", "[corpus]") {
    std::string const common = "Host: localhost:8443\r\nAuthorization: Bearer x\r\n";
    auto const needs = [&](std::string const& line, std::string const& more) {
        return needs_of(with_head(line + " HTTP/1.1\r\n" + common + more + "\r\n"), host);
    };
    using Needs = std::set<std::string>;
    CHECK(needs("GET /a", "") == Needs{});
    CHECK(needs("GET /a", "Connection: keep-alive\r\n") == Needs{});
    CHECK(needs("GET /a", "Connection: close\r\n") == Needs{"connection"});
    CHECK(needs("GET /a", "Content-Length: 0\r\n") == Needs{"idle_length"});
    CHECK(needs("GET /a", "Sec-Fetch-Mode: navigate\r\n") == Needs{"fetch_metadata"});
    CHECK(needs("GET /a", "Host: other\r\n") == Needs{"bytes"});
    CHECK(needs("GET /a", "Content-Length: 1\r\n") == Needs{"bytes"});
    CHECK(needs("GET /a", "X-A : b\r\n") == Needs{"bytes"});
    CHECK(needs("GET /a", "Transfer-Encoding: chunked\r\n") == Needs{"bytes"});
    CHECK(needs("GET /a", "Accept: b\r\nAccept: c\r\n") == Needs{"repeated_field"});
    CHECK(needs("GET /a/../b", "") == Needs{"target"});
    CHECK(needs("GET /a%20b", "") == Needs{"target"});
    CHECK(needs("GET https://localhost:8443/a", "") == Needs{"absolute_form", "target"});
    CHECK(needs("OPTIONS /a", "") == Needs{"options"});
    CHECK(needs("PURGE /a", "") == Needs{"own_method"});
    CHECK(needs("PUT /a", "Expect: 100-continue\r\nContent-Length: 0\r\n") == Needs{"expect"});
    CHECK(needs("GET /a", "X-A:\r\n") == Needs{"empty_value"});
    CHECK(needs("GET /a", "X-A: " + std::string(16'384, 'a') + "\r\n") == Needs{"large_head"});
    CHECK(needs("GET /a", "X-A: \xc3\xbc\r\n") == Needs{"obs_text"});
}

TEST_CASE("the page has every requirement, and each excludes something", "[corpus]") {
    auto const page = read_file(clients_folder() / "README.md");
    std::set<std::string> found;
    for (auto const& one : read_corpus(clients_folder() / "corpus", host))
        for (auto const& need : needs_of(one, host))
            found.insert(need);
    for (auto const& need : all_needs()) {
        INFO(need);
        CHECK(page.find("| `" + need + "` |") != std::string::npos);
        CHECK(found.count(need) == 1);
    }
    CHECK(found.size() == all_needs().size());
}

TEST_CASE("the corpus has its size, and cases of every kind", "[corpus]") {
    auto const corpus = read_corpus(clients_folder() / "corpus", host);
    CHECK(corpus.size() >= 120);
    std::set<std::string> reasons;
    std::set<std::string> clients;
    std::map<std::string, std::size_t> groups;
    std::size_t passing = 0;
    for (auto const& one : corpus) {
        reasons.insert(one.expected.reason);
        clients.insert(one.client);
        ++groups[one.group];
        if (one.expected.passes()) ++passing;
        INFO(one.label());
        CHECK(one.why.size() > 20);
        CHECK((one.expected.violations.empty() || one.expected.reason == "contract_violation"
               || one.expected.reason == "bad_parameter"));
        CHECK((one.expected.reason != "contract_violation" || !one.expected.violations.empty()));
    }
    CHECK(passing >= 60);
    CHECK(clients.size() >= 30);
    // Every decision that a client's request alone can cause.
    for (auto const* reason :
         {"unauthenticated", "forbidden", "unknown_operation", "method_not_allowed", "bad_request",
          "bad_parameter", "malformed_body", "contract_violation", "head_too_large",
          "body_too_large", "unsupported_media_type", "expectation_failed"}) {
        INFO(reason);
        CHECK(reasons.count(reason) == 1);
    }
}

TEST_CASE("each driver has the number of cases in its row", "[corpus]") {
    auto const rows = read_drivers();
    CHECK(rows.size() == 13);
    for (auto const& row : rows) {
        std::size_t count = 0;
        bool const drives_refusals = row.name != "raw-pipelined" && row.name != "undici-pipelining";
        for (auto const& one : cases_for(row, host))
            if (drives_refusals || one.expected.passes()) ++count;
        INFO(row.name);
        CHECK(row.drives == count);
        CHECK(count >= 40);
    }
    CHECK(driver_row("raw").cannot.empty());
}

} // namespace corpus_test
