// The access log's line: its members, their order, its limits.
#include "gateway/observe/access_line.h"

#include "tests/support/log_members.h"

#include <catch2/catch.hpp>

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace access_line_test {

using namespace sallyport::observe;

namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;

std::string line_of(AccessRecord const& record) {
    LineBuffer buffer;
    return std::string{format_access_line(record, buffer)};
}

std::chrono::system_clock::time_point a_moment() {
    using namespace std::chrono;
    return sys_days{2026y / January / 31} + 23h + 59min + 58s + 7ms;
}

// Each of a record's texts is `text`, each of its lists has `count` elements.
struct Filled {
    Filled(std::string_view text, std::size_t count, std::string_view body)
        : names(count, text), violations(count, {text, text, text, ViolationLevel::report}) {
        record.request_id = record.client = record.protocol = record.method = record.api = text;
        record.operation = record.path = record.credential = record.reason = text;
        record.upstream = record.upstream_request_id = text;
        record.listener = record.host = record.user_agent = text;
        record.client_request_id = record.trace_id = record.peer = text;
        record.auth_failure = record.auth_rule = text;
        record.tls = {text, text, true, text};
        record.query = record.deprecated_members = names;
        record.violations = violations;
        record.worker = UINT32_MAX;
        record.seq = record.bytes_in = record.bytes_out = record.generation = UINT64_MAX;
        record.status = record.upstream_status = UINT16_MAX;
        record.retries = UINT32_MAX;
        record.unknown_members = record.duration_us = record.auth_us = INT64_MAX;
        record.validate_us = record.upstream_connect_us = INT64_MAX;
        record.upstream_first_byte_us = record.upstream_total_us = INT64_MAX;
        record.request_body = record.response_body = body;
    }

    std::vector<std::string_view> names;
    std::vector<LoggedViolation> violations;
    AccessRecord record;
};

std::vector<std::string> members_of(std::string const& line) {
    simdjson::dom::parser parser;
    simdjson::padded_string const text{line};
    simdjson::dom::object object;
    REQUIRE(parser.parse(text).get(object) == simdjson::SUCCESS);
    std::vector<std::string> members;
    for (auto const member : object)
        members.emplace_back(member.key);
    return members;
}

} // namespace

TEST_CASE("missing values of a request are null") {
    AccessRecord record;
    record.time = a_moment();
    CHECK(
        line_of(record)
        == R"({"time":"2026-01-31T23:59:58.007Z","worker":0,"seq":0,"request_id":null,)"
           R"("client":null,"tls":null,"protocol":null,"method":null,"api":null,"operation":null,)"
           R"("unchecked":null,"path":null,"query":null,"credential":null,"status":0,)"
           R"("reason":null,)"
           R"("violations":null,"unknown_members":null,"deprecated_members":null,"bytes_in":0,)"
           R"("bytes_out":0,"upstream":null,"upstream_status":null,"upstream_request_id":null,)"
           R"("duration_us":null,"auth_us":null,"validate_us":null,"upstream_connect_us":null,)"
           R"("upstream_first_byte_us":null,"upstream_total_us":null,"retries":0,"generation":0,)"
           R"("request_body":null,"response_body":null,"listener":null,"host":null,)"
           R"("user_agent":null,"client_request_id":null,"trace_id":null,"peer":null,)"
           R"("auth_failure":null,"auth_rule":null})"
           "\n");
}

TEST_CASE("the prepared part of an operation equals the formatted one, however long its names") {
    for (bool const unchecked : {false, true})
        for (std::string const& name : {std::string{"updateOrganization"}, std::string{"a\"\n\x01"},
                                        std::string(1000, '\x01'), std::string{}}) {
            AccessRecord record;
            record.time = a_moment();
            record.method = "PUT";
            record.api = record.operation = name;
            record.unchecked = unchecked;
            auto const whole = line_of(record);
            auto const part = prepare_operation_part("PUT", name, name, unchecked);
            record.unchecked = false;
            record.method = record.api = record.operation = {};
            record.operation_part = part;
            CHECK(line_of(record) == whole);
        }
}

TEST_CASE("each line has the TLS of its own connection, whatever the line before had") {
    LineBuffer buffer;
    auto const tls_of = [&](LoggedTls const& tls) {
        AccessRecord record;
        record.tls = tls;
        std::string const line{format_access_line(record, buffer)};
        auto const at = line.find("\"tls\":") + 6;
        return line.substr(at, line.find(",\"protocol\"") - at);
    };
    std::string const long_name(1000, '\x01');
    for (int round = 0; round < 2; ++round) {
        CHECK(tls_of({}) == "null");
        CHECK(tls_of({"TLSv1.3", "A", false, "X"})
              == R"({"version":"TLSv1.3","cipher":"A","resumed":false,"group":"X"})");
        CHECK(tls_of({"TLSv1.3", "A", false, "X"})
              == R"({"version":"TLSv1.3","cipher":"A","resumed":false,"group":"X"})");
        CHECK(tls_of({"TLSv1.3", "A", true, "X"})
              == R"({"version":"TLSv1.3","cipher":"A","resumed":true,"group":"X"})");
        CHECK(tls_of({"TLSv1.3", "B", true, "X"})
              == R"({"version":"TLSv1.3","cipher":"B","resumed":true,"group":"X"})");
        CHECK(tls_of({"TLSv1.2", "B", true, "X"})
              == R"({"version":"TLSv1.2","cipher":"B","resumed":true,"group":"X"})");
        CHECK(tls_of({"TLSv1.2", "B", true, "Y"})
              == R"({"version":"TLSv1.2","cipher":"B","resumed":true,"group":"Y"})");
        CHECK(tls_of({"TLSv1.2", "B", true, {}})
              == R"({"version":"TLSv1.2","cipher":"B","resumed":true,"group":null})");
        CHECK(tls_of({long_name, long_name, true, long_name}).size() < 500);
    }
}

TEST_CASE("each line has the protocol of its own request, whatever the line before had") {
    LineBuffer buffer;
    auto const has_protocol = [&buffer](std::string_view protocol, std::string_view written) {
        AccessRecord record;
        record.tls = {"TLSv1.3", "A", false, "X"};
        record.protocol = protocol;
        std::string const line{format_access_line(record, buffer)};
        return line.find("},\"protocol\":" + std::string{written} + ",") != std::string::npos;
    };
    CHECK(has_protocol("http/1.1", "\"http/1.1\""));
    CHECK(has_protocol("http/1.1", "\"http/1.1\""));
    CHECK(has_protocol("http/1.0", "\"http/1.0\""));
    CHECK(has_protocol("h2", "\"h2\""));
    CHECK(has_protocol("h3", "\"h3\""));
    CHECK(has_protocol("", "null"));
    CHECK(has_protocol("http", "\"http\""));
    CHECK(has_protocol("httq", "\"httq\""));
    CHECK(has_protocol("a protocol of a longer name / 01", "\"a protocol of a longer name / 01\""));
    CHECK(has_protocol("a protocol of a longer name / 02", "\"a protocol of a longer name / 02\""));
}

TEST_CASE("a refused request is one line with every member in its place") {
    std::array<std::string_view, 2> const query = {"limit", "*"};
    std::array<std::string_view, 1> const deprecated = {"tier"};
    std::array<LoggedViolation, 2> const violations = {
        LoggedViolation{"/a/*", "type", "/properties/a/type", ViolationLevel::enforce},
        LoggedViolation{"/b", "maximum", "/properties/b/maximum", ViolationLevel::report}};
    AccessRecord record;
    record.time = a_moment();
    record.worker = 3;
    record.seq = 41;
    record.request_id = "1f6e";
    record.client = "192.0.2.7:5123";
    record.tls = {"TLSv1.3", "TLS_AES_128_GCM_SHA256", true, "X25519"};
    record.protocol = "http/1.1";
    record.method = "PUT";
    record.api = "management";
    record.operation = "updateOrganization";
    record.path = "/v1/organizations/x";
    record.query = query;
    record.credential = "terraform-ci";
    record.status = 400;
    record.reason = "contract_violation";
    record.violations = violations;
    record.unknown_members = 2;
    record.deprecated_members = deprecated;
    record.bytes_in = 451;
    record.bytes_out = 230;
    record.upstream = "https://api.example.com";
    record.upstream_status = 502;
    record.upstream_request_id = "u-1";
    record.duration_us = 1;
    record.auth_us = 2;
    record.validate_us = 3;
    record.upstream_connect_us = 0;
    record.upstream_first_byte_us = 5;
    record.upstream_total_us = 6;
    record.retries = 1;
    record.generation = 9;
    record.request_body = R"({"password":"[redacted]"})";
    record.response_body = R"({"bytes":12})";
    record.unchecked = true;
    CHECK(
        line_of(record)
        == R"({"time":"2026-01-31T23:59:58.007Z","worker":3,"seq":41,"request_id":"1f6e",)"
           R"("client":"192.0.2.7:5123","tls":{"version":"TLSv1.3",)"
           R"("cipher":"TLS_AES_128_GCM_SHA256","resumed":true,"group":"X25519"},"protocol":"http/1.1",)"
           R"("method":"PUT","api":"management","operation":"updateOrganization",)"
           R"("unchecked":true,"path":"/v1/organizations/x","query":["limit","*"],)"
           R"("credential":"terraform-ci",)"
           R"("status":400,"reason":"contract_violation","violations":[{"pointer":"/a/*",)"
           R"("rule":"type","rule_pointer":"/properties/a/type","level":"enforce"},)"
           R"({"pointer":"/b","rule":"maximum","rule_pointer":"/properties/b/maximum",)"
           R"("level":"report"}],"unknown_members":2,"deprecated_members":["tier"],)"
           R"("bytes_in":451,"bytes_out":230,"upstream":"https://api.example.com",)"
           R"("upstream_status":502,"upstream_request_id":"u-1","duration_us":1,"auth_us":2,)"
           R"("validate_us":3,"upstream_connect_us":0,"upstream_first_byte_us":5,)"
           R"("upstream_total_us":6,"retries":1,"generation":9,)"
           R"("request_body":{"password":"[redacted]"},"response_body":{"bytes":12},)"
           R"("listener":null,"host":null,"user_agent":null,"client_request_id":null,)"
           R"("trace_id":null,"peer":null,"auth_failure":null,"auth_rule":null})"
           "\n");
}

TEST_CASE("the longest line is whole, valid and bounded, whatever bytes its texts have") {
    for (std::string_view const unit : {"\x01", "a", "\"", "\xFF", "\xF0\x9F\x98\x80", "\n"}) {
        std::string text;
        while (text.size() < 10'000)
            text += unit;
        auto const body = "\"" + std::string(line_limits::body - 2, 'b') + "\"";
        Filled filled{text, 100, body};
        auto const line = line_of(filled.record);
        CHECK(line.size() < 2 * line_limits::body + 64 * 1024);
        CHECK(line.back() == '\n');
        CHECK(std::count(line.begin(), line.end(), '\n') == 1);
        CHECK(members_of(line) == sallyport::test::log_members);
        CHECK(line.find("bbbbbbb\",\"listener\":\"") != std::string::npos);
    }
}

TEST_CASE("lists that are too long end in a mark, which keeps what was enforced") {
    std::vector<std::string_view> names(line_limits::names + 1, "n");
    std::vector<LoggedViolation> violations(line_limits::violations + 2,
                                            {"/p", "type", "/type", ViolationLevel::report});
    AccessRecord record;
    record.deprecated_members = names;
    record.violations = violations;
    auto const reported = line_of(record);
    CHECK(reported.find(R"("n","[...]"],"bytes_in")") != std::string::npos);
    CHECK(reported.find(R"({"pointer":"[...]","rule":"[...]","rule_pointer":"[...]",)"
                        R"("level":"report"}],)")
          != std::string::npos);
    violations.back().level = ViolationLevel::enforce;
    CHECK(line_of(record).find(R"("rule_pointer":"[...]","level":"enforce"}],)")
          != std::string::npos);

    names.pop_back();
    violations.resize(line_limits::violations);
    record.deprecated_members = names;
    record.violations = violations;
    CHECK(line_of(record).find("[...]") == std::string::npos);

    // Those that were not stored.
    for (auto const& [level, word] : {std::pair{ViolationLevel::enforce, R"("enforce"}],)"},
                                      std::pair{ViolationLevel::report, R"("report"}],)"}}) {
        record.more_violations = level;
        CHECK(line_of(record).find(std::string{R"("rule_pointer":"[...]","level":)"} + word)
              != std::string::npos);
    }
}

TEST_CASE("the client's own fields end the line, truncated and escaped") {
    AccessRecord record;
    CHECK(line_of(record).ends_with(R"("response_body":null,"listener":null,"host":null,)"
                                    R"("user_agent":null,"client_request_id":null,)"
                                    R"("trace_id":null,"peer":null,)"
                                    R"("auth_failure":null,"auth_rule":null})"
                                    "\n"));
    std::string const agent = "curl/8 \"x\"\x1b[31m" + std::string(300, 'a');
    record.listener = "public";
    record.host = "api.example";
    record.user_agent = agent;
    record.trace_id = "0af7651916cd43dd8448eb211c80319c";
    CHECK(line_of(record).ends_with(
        R"("listener":"public","host":"api.example","user_agent":"curl/8 \"x\"\u001b[31m)"
        + std::string(256 - 15, 'a') // what is escaped is one character
        + R"([...]","client_request_id":null,)"
          R"("trace_id":"0af7651916cd43dd8448eb211c80319c","peer":null,)"
          R"("auth_failure":null,"auth_rule":null})"
        + "\n"));
    record.client_request_id = "a\"b\\c";
    CHECK(line_of(record).find(R"("client_request_id":"a\"b\\c",)") != std::string::npos);
}

TEST_CASE("why a caller was refused ends the line") {
    AccessRecord record;
    record.auth_failure = "expired";
    record.auth_rule = "credentials.yaml:12";
    CHECK(line_of(record).ends_with(
        R"("peer":null,"auth_failure":"expired","auth_rule":"credentials.yaml:12"})"
        "\n"));
    record.auth_failure = "unknown";
    record.auth_rule = {};
    CHECK(line_of(record).ends_with(R"("auth_failure":"unknown","auth_rule":null})"
                                    "\n"));
}

TEST_CASE("the first 256 characters of a user agent are logged, none of them partially") {
    auto const told = [](std::string const& agent) {
        AccessRecord record;
        record.user_agent = agent;
        auto const line = line_of(record);
        constexpr std::string_view name = R"("user_agent":")";
        auto const begin = line.find(name) + name.size();
        return line.substr(begin, line.find(R"(","client_request_id")") - begin);
    };
    auto const times = [](std::size_t count, std::string_view unit) {
        std::string text;
        while (count-- > 0)
            text += unit;
        return text;
    };
    struct Row {
        std::string_view unit;
        std::string_view written;
    };
    for (Row const& row : {
             Row{"a", "a"},
             {"\xC3\xA9", "\xC3\xA9"},                 // U+00E9
             {"\xE2\x82\xAC", "\xE2\x82\xAC"},         // U+20AC
             {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"}, // U+1F600
             {"\"", R"(\")"},
             {"\x1b", R"(\u001b)"},
             {"\xC2\x9b", R"(\u009b)"}, // a control of the second set
             {"\xFF", "\xEF\xBF\xBD"}, // no UTF-8
         }) {
        CAPTURE(std::string{row.written});
        for (std::size_t const count : {1U, 43U, 64U, 255U, 256U})
            CHECK(told(times(count, row.unit)) == times(count, row.written));
        for (std::size_t const count : {257U, 300U, 2000U})
            CHECK(told(times(count, row.unit)) == times(256, row.written) + "[...]");
        // The limit is after characters of other sizes.
        CHECK(told("ab" + times(254, row.unit)) == "ab" + times(254, row.written));
        CHECK(told("ab" + times(255, row.unit)) == "ab" + times(254, row.written) + "[...]");
        CHECK(told(std::string(255, 'a') + times(2, row.unit))
              == std::string(255, 'a') + std::string{row.written} + "[...]");
    }
    // The client has truncated the last character: each of its bytes is invalid UTF-8.
    CHECK(told(std::string(254, 'a') + "\xE2\x82")
          == std::string(254, 'a') + times(2, "\xEF\xBF\xBD"));
    CHECK(told(std::string(255, 'a') + "\xE2\x82")
          == std::string(255, 'a') + "\xEF\xBF\xBD[...]");
}

TEST_CASE("a short line has everything but its lists and bodies, and fits into a reserved space") {
    for (std::string_view const unit : {"\x01", "a", "\"", "\xFF", "\xF0\x9F\x98\x80"}) {
        std::string text;
        while (text.size() < 10'000)
            text += unit;
        Filled filled{text, 100, R"({"a":1})"};
        LineBuffer buffer;
        std::string const line{format_short_access_line(filled.record, buffer)};
        CHECK(line.size() <= short_line);
        CHECK(members_of(line) == sallyport::test::log_members);
        CHECK(line.find(R"("request_body":null,"response_body":null)") != std::string::npos);
        CHECK(line.find(R"("query":["[...]"])") != std::string::npos);
        CHECK(line.find(R"("deprecated_members":["[...]"])") != std::string::npos);
        CHECK(line.find(R"("violations":[{"pointer":"[...]","rule":"[...]",)"
                        R"("rule_pointer":"[...]","level":"report"}])")
              != std::string::npos);
    }
    AccessRecord const nothing;
    LineBuffer buffer;
    std::string const whole{format_access_line(nothing, buffer)};
    CHECK(format_short_access_line(nothing, buffer) == whole);
}

TEST_CASE("a body longer than the limit of a line is null") {
    std::string const body(line_limits::body + 1, '1');
    AccessRecord record;
    record.request_body = body;
    CHECK(line_of(record).find(R"("request_body":null)") != std::string::npos);
}

TEST_CASE("the time is formatted to the millisecond, in UTC, at every boundary") {
    using namespace std::chrono;
    LineBuffer buffer;
    auto const time_of = [&buffer](system_clock::time_point time) {
        AccessRecord record;
        record.time = time;
        return std::string{format_access_line(record, buffer).substr(9, 24)};
    };
    CHECK(time_of(system_clock::time_point{}) == "1970-01-01T00:00:00.000Z");
    CHECK(time_of(sys_days{2024y / February / 29} + 999999us) == "2024-02-29T00:00:00.999Z");
    CHECK(time_of(sys_days{2024y / February / 29} + 1s) == "2024-02-29T00:00:01.000Z");
    // The second of the previous line is not used for another one.
    CHECK(time_of(sys_days{2024y / February / 29} + 12h + 1s) == "2024-02-29T12:00:01.000Z");
    CHECK(time_of(sys_days{2025y / February / 28} + 12h + 1s) == "2025-02-28T12:00:01.000Z");
    CHECK(time_of(sys_days{1970y / January / 1} - 1ms) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("each line has its own client's user agent, whatever the line before had") {
    LineBuffer buffer;
    AccessRecord record;
    record.listener = "public";
    record.host = "a.example";
    record.user_agent = "a program of some version/1.0";
    static_cast<void>(format_access_line(record, buffer));
    for (auto AccessRecord::*changed :
         {&AccessRecord::user_agent, &AccessRecord::host, &AccessRecord::listener}) {
        AccessRecord other = record;
        for (std::string_view const text : {"a program of some version/1.1", "another", ""}) {
            other.*changed = text;
            CHECK(format_access_line(other, buffer) == line_of(other));
        }
        CHECK(format_access_line(record, buffer) == line_of(record));
    }
}

TEST_CASE("a buffer's memory is reused for the next line") {
    LineBuffer buffer;
    AccessRecord record;
    auto const* const first = format_access_line(record, buffer).data();
    record.path = "/another";
    CHECK(format_access_line(record, buffer).data() == first);
}

} // namespace access_line_test
