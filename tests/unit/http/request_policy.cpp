// The policy for heads of requests, on the wire: lines, the request line, targets and limits; bytes
// in, the violated rule or their framing out.
#include "request_rows.h"

namespace request_policy {

using namespace sallyport::http;
using namespace sallyport::http::test;
using namespace std::string_literals;
using namespace std::string_view_literals;

TEST_CASE("a line that does not end in CR LF is refused") {
    check({
        {"bare LF behind the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", "bare_line_feed"},
        {"bare LF behind a field", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", "bare_line_feed"},
        {"bare LF as the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n", "bare_line_feed"},
        {"only bare LFs", "GET / HTTP/1.1\nHost: a\n\n", "bare_line_feed"},
        {"a bare LF before the request", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "bare_line_feed"},
        {"LF CR", "GET / HTTP/1.1\n\rHost: a\r\n\r\n", "bare_line_feed"},
        {"a smuggled field behind a bare LF", with_fields("X: y\nContent-Length: 5\r\n"),
         "bare_line_feed"},
    });
}

TEST_CASE("a carriage return within a line is refused") {
    check({
        {"in a value", with_fields("X: a\rb\r\n"), "bare_carriage_return"},
        {"before a name", with_fields("\rX: a\r\n"), "bare_carriage_return"},
        {"in a name", with_fields("X\rY: a\r\n"), "bare_carriage_return"},
        {"two before the line feed", with_fields("X: a\r\r\n"), "bare_carriage_return"},
        {"in the request line", "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", "bare_carriage_return"},
        {"behind the request line", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "bare_carriage_return"},
        {"that would split a Transfer-Encoding", with_fields("Transfer-Encoding:\rchunked\r\n"),
         "bare_carriage_return"},
        {"as the first byte of the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
         "bare_carriage_return"},
    });
}

TEST_CASE("control characters are refused at any position") {
    for (int byte = 0; byte < 256; ++byte) {
        bool const is_control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
        if (!is_control || byte == '\r' || byte == '\n') continue;
        INFO("byte " << byte);
        std::string const text(1, static_cast<char>(byte));
        CHECK(judge_request(with_fields("X: a" + text + "b\r\n")) == "control_character");
        CHECK(judge_request(with_fields("X: " + text + "\r\n")) == "control_character");
        CHECK(judge_request(with_fields("X" + text + "Y: ab\r\n")) == "control_character");
        CHECK(judge_request(with_line("GET /" + text + " HTTP/1.1")) == "control_character");
        CHECK(judge_request(with_line("G" + text + "T / HTTP/1.1")) == "control_character");
        // At each position within the words that are compared eight bytes at a time.
        for (std::size_t at = 0; at < 24; ++at) {
            std::string value(24, 'v');
            value[at] = static_cast<char>(byte);
            CHECK(judge_request(with_fields("Name: " + value + "\r\n")) == "control_character");
        }
    }
}

TEST_CASE("tabs, spaces and bytes beyond ASCII are valid within a value") {
    check({
        {"a tab within", with_fields("X: a\tb\r\n"), "none keep"},
        {"tabs around", with_fields("X:\t a \t\r\n"), "none keep"},
        {"Latin-1", with_fields("X: caf\xe9\r\n"), "none keep"},
        {"UTF-8", with_fields("X: caf\xc3\xa9\r\n"), "none keep"},
        {"0x80 and 0xff", with_fields("X: \x80\xff\r\n"), "none keep"},
        {"no value", with_fields("X:\r\n"), "none keep"},
        {"a value of white space", with_fields("X:  \t \r\n"), "none keep"},
        {"a colon in the value", with_fields("X: a:b\r\n"), "none keep"},
        {"a value of eight tabs and more", with_fields("X: a\t\t\t\t\t\t\t\t\t\tb\r\n"),
         "none keep"},
    });
}

TEST_CASE("a folded line is refused, and so is white space before the first field") {
    check({
        {"with a space", with_fields("X: a\r\n b\r\n"), "obs_fold"},
        {"with a tab", with_fields("X: a\r\n\tb\r\n"), "obs_fold"},
        {"an empty continuation", with_fields("X: a\r\n \r\n"), "obs_fold"},
        {"a fold of Transfer-Encoding", with_fields("Transfer-Encoding:\r\n chunked\r\n"),
         "obs_fold"},
        {"a fold that hides a field", with_fields("X: a\r\n Content-Length: 5\r\n"), "obs_fold"},
        {"behind the request line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "obs_fold"},
        {"behind the request line, a tab", "GET / HTTP/1.1\r\n\tHost: a\r\n\r\n", "obs_fold"},
    });
}

TEST_CASE("a field line needs a name that is a token, and its colon directly after it") {
    check({
        {"a space before the colon", with_fields("Content-Length : 5\r\n"),
         "white_space_before_colon"},
        {"a tab before the colon", with_fields("Content-Length\t: 5\r\n"),
         "white_space_before_colon"},
        {"a space before the colon of Host", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
         "white_space_before_colon"},
        {"no colon", with_fields("X\r\n"), "field_without_colon"},
        {"no colon, two words", with_fields("Transfer-Encoding chunked\r\n"),
         "field_without_colon"},
        {"a second request line", with_fields("GET / HTTP/1.1\r\n"), "field_without_colon"},
        {"no name", with_fields(": a\r\n"), "empty_field_name"},
        {"only a colon", with_fields(":\r\n"), "empty_field_name"},
        {"a space within the name", with_fields("Transfer Encoding: chunked\r\n"),
         "field_name_not_token"},
        {"a bracket", with_fields("X[0]: a\r\n"), "field_name_not_token"},
        {"a slash", with_fields("X/Y: a\r\n"), "field_name_not_token"},
        {"a quote", with_fields("\"X\": a\r\n"), "field_name_not_token"},
        {"an at sign", with_fields("X@Y: a\r\n"), "field_name_not_token"},
        {"a semicolon", with_fields("X;Y: a\r\n"), "field_name_not_token"},
        {"beyond ASCII", with_fields("X\xc3\xa9: a\r\n"), "field_name_not_token"},
        {"a no-break space", with_fields("Content-Length\xa0: 5\r\n"), "field_name_not_token"},
        {"every token character", with_fields("!#$%&'*+-.^`|~09azAZ: a\r\n"), "none keep"},
    });
}

TEST_CASE("a name that an underscore makes look like one of ours is refused") {
    check({
        {"Content_Length", with_fields("Content_Length: 5\r\n"), "shadowing_field_name"},
        {"Transfer_Encoding", with_fields("transfer_encoding: chunked\r\n"),
         "shadowing_field_name"},
        {"X_Forwarded_For", with_fields("X_Forwarded_For: 1.2.3.4\r\n"), "shadowing_field_name"},
        {"half of them", with_fields("X-Forwarded_For: 1.2.3.4\r\n"), "shadowing_field_name"},
        {"X_Request_Id", with_fields("X_Request_Id: 1\r\n"), "shadowing_field_name"},
        {"X_Remote_User", with_fields("X_REMOTE_USER: root\r\n"), "shadowing_field_name"},
        {"a family", with_fields("X_Authenticated_Groups: root\r\n"), "shadowing_field_name"},
        {"a family, a long name",
         with_fields("X_Forwarded_" + std::string(200, 'a') + ": root\r\n"),
         "shadowing_field_name"},
        {"others are forwarded", with_fields("X_Team: a\r\n_: b\r\nuser_agent_hint: c\r\n"),
         "none keep"},
    });
}

TEST_CASE("the request line has three parts and two spaces") {
    check({
        {"nothing", "\r\n\r\n", "empty_lines_before_request"},
        {"one word", with_line("GET"), "malformed_request_line"},
        {"two words, as in HTTP/0.9", with_line("GET /"), "malformed_request_line"},
        {"two spaces before the target", with_line("GET  / HTTP/1.1"), "malformed_request_line"},
        {"two spaces before the version", with_line("GET /  HTTP/1.1"), "malformed_request_line"},
        {"no target", with_line("GET  HTTP/1.1"), "malformed_request_line"},
        {"a space in the target", with_line("GET /a b HTTP/1.1"), "malformed_request_line"},
        {"a tab in the target", with_line("GET /a\tb HTTP/1.1"), "malformed_request_line"},
        {"a space at the end", with_line("GET / HTTP/1.1 "), "malformed_request_line"},
        {"a space at the beginning", with_line(" GET / HTTP/1.1"), "malformed_request_line"},
        {"tabs instead of spaces", with_line("GET\t/\tHTTP/1.1"), "malformed_request_line"},
        {"no method", with_line(" / HTTP/1.1"), "method_not_token"},
        {"a method with a slash", with_line("GET/ / HTTP/1.1"), "method_not_token"},
        {"a method with a colon", with_line("GET: / HTTP/1.1"), "method_not_token"},
        {"a method with a tab", with_line("GET\t / HTTP/1.1"), "malformed_request_line"},
        {"a method beyond ASCII", with_line("G\xc9T / HTTP/1.1"), "method_not_token"},
        {"a method in quotes", with_line("\"GET\" / HTTP/1.1"), "method_not_token"},
        {"a TLS record", "\x16\x03\x01\x02\r\n\r\n", "control_character"},
    });
}

TEST_CASE("only HTTP/1.0 and HTTP/1.1 are served") {
    for (auto const version : {"HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/2", "http/1.1", "Http/1.1",
                               "HTTP/1.1x", "HTTP/1", "HTTP/11", "HTTP/1.10", "HTTP/01.1",
                               "HTTP/1,1", "HTTPS/1.1", "1.1", "HTTP/3.1", "XTTP/1.1"}) {
        INFO(version);
        CHECK(judge_request(with_line("GET / "s + version)) == "unsupported_version");
    }
    check({
        {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "unsupported_version"},
        {"1.1", with_line("GET / HTTP/1.1"), "none keep"},
        {"1.0", with_line("GET / HTTP/1.0"), "none close"},
    });
}

TEST_CASE("a refused request line leaves no method to be logged") {
    for (std::string const line :
         {"GET\t/x?k=a /y HTTP/1.1", "GET/x?k=a /y HTTP/1.1", "/x?k=a /y HTTP/1.1",
          "Cookie:k=a /y HTTP/1.1", "GET / y HTTP/1.1"}) {
        INFO(line);
        auto const parsed = parse_request(with_line(line));
        REQUIRE(parsed.refused);
        CHECK(parsed.head->method_text.empty());
    }
}

TEST_CASE("Max-Forwards of OPTIONS is one run of digits, once") {
    auto const forwards = [](std::string_view fields) {
        auto const parsed = parse_request(with_fields(fields, "OPTIONS /a HTTP/1.1"));
        REQUIRE_FALSE(parsed.refused);
        return parsed.head->max_forwards;
    };
    for (std::string_view const fields :
         {"Max-Forwards:\r\n", "Max-Forwards: -1\r\n", "Max-Forwards: 1 2\r\n",
          "Max-Forwards: 1,2\r\n", "Max-Forwards: x\r\n",
          "Max-Forwards: 1\r\nmax-forwards: 1\r\n"}) {
        INFO(fields);
        CHECK(judge_request(with_fields(fields, "OPTIONS /a HTTP/1.1"))
              == "malformed_max_forwards");
        auto const other = parse_request(with_fields(fields, "GET /a HTTP/1.1"));
        CHECK_FALSE(other.refused);
        CHECK_FALSE(other.head->max_forwards);
    }
    CHECK(forwards("") == std::nullopt);
    CHECK(forwards("Max-Forwards: 0\r\n") == 0U);
    CHECK(forwards("max-forwards: 0012\r\n") == 12U);
    CHECK(forwards("Max-Forwards: 18446744073709551616\r\n") == 10'000U);
    CHECK_FALSE(
        parse_request(with_fields("Max-Forwards: 0\r\n", "GET /a HTTP/1.1")).head->max_forwards);
}

TEST_CASE("CONNECT is refused, other methods pass the framing policy") {
    check({
        {"CONNECT", with_line("CONNECT a.example:443 HTTP/1.1"), "connect_method"},
        {"CONNECT with a path", with_line("CONNECT / HTTP/1.1"), "connect_method"},
        {"TRACE", with_line("TRACE / HTTP/1.1"), "none keep"},
        {"OPTIONS", with_line("OPTIONS / HTTP/1.1"), "none keep"},
        {"an unknown one", with_line("BREW /pot HTTP/1.1"), "none keep"},
        {"methods have a letter case", with_line("get / HTTP/1.1"), "none keep"},
        {"an odd token", with_line("M-SEARCH!#$ / HTTP/1.1"), "none keep"},
    });
    CHECK(parse_request(with_line("PATCH / HTTP/1.1")).head->method == Method::patch);
    CHECK(parse_request(with_line("BREW / HTTP/1.1")).head->method == Method::unknown);
    CHECK(parse_request(with_line("BREW / HTTP/1.1")).head->method_text == "BREW");
    CHECK(parse_request(with_line("get / HTTP/1.1")).head->method == Method::unknown);
}

TEST_CASE("a target is a path, or an absolute URI of the host that Host names") {
    check({
        {"*", with_line("OPTIONS * HTTP/1.1"), "asterisk_form"},
        {"* with GET", with_line("GET * HTTP/1.1"), "asterisk_form"},
        {"no slash", with_line("GET a HTTP/1.1"), "malformed_target"},
        {"authority-form", with_line("GET a.example:80 HTTP/1.1"), "malformed_target"},
        {"a query alone", with_line("GET ?a HTTP/1.1"), "malformed_target"},
        {"another scheme", with_line("GET ftp://a.example/ HTTP/1.1"), "malformed_target"},
        {"a file", with_line("GET file:///etc/passwd HTTP/1.1"), "malformed_target"},
        {"no scheme", with_line("GET ://a.example/ HTTP/1.1"), "malformed_target"},
        {"one slash", with_line("GET http:/a.example/ HTTP/1.1"), "malformed_target"},
        {"userinfo", with_line("GET http://u:p@a.example/ HTTP/1.1"), "target_userinfo"},
        {"userinfo that looks like the host", with_line("GET http://a.example@b/ HTTP/1.1"),
         "target_userinfo"},
        {"empty userinfo", with_line("GET http://@a.example/ HTTP/1.1"), "target_userinfo"},
        {"no host", with_line("GET http:/// HTTP/1.1"), "malformed_target_authority"},
        {"a port that is none", with_line("GET http://a.example:x/ HTTP/1.1"),
         "malformed_target_authority"},
        {"another host", with_line("GET http://b.example/ HTTP/1.1"), "target_is_not_host"},
        {"another port", with_line("GET http://a.example:81/ HTTP/1.1"), "target_is_not_host"},
        {"a longer host", with_line("GET http://a.example.b/ HTTP/1.1"), "target_is_not_host"},
        {"the same", with_line("GET http://a.example/ HTTP/1.1"), "none keep"},
        {"https", with_line("GET https://a.example/b?c HTTP/1.1"), "none keep"},
        {"in other letters", with_line("GET HTTP://A.Example/ HTTP/1.1"), "none keep"},
        {"no path", with_line("GET http://a.example HTTP/1.1"), "none keep"},
        {"no path but a query", with_line("GET http://a.example?b HTTP/1.1"), "none keep"},
        {"a path with a dot segment", with_line("GET http://a.example/../b HTTP/1.1"),
         "dot_segment"},
        {"the policy for paths is asked", with_line("GET /a//b HTTP/1.1"), "empty_segment"},
    });
}

TEST_CASE("one empty line before the request line is ignored, a second one is not") {
    auto const request = with_line("GET /a HTTP/1.1");
    CHECK(judge_request("\r\n" + request) == "none keep");
    CHECK(judge_request("\r\n\r\n" + request) == "empty_lines_before_request");
    auto const parsed = parse_request("\r\n" + request);
    CHECK(parsed.head->size == request.size() + 2);
    CHECK(parsed.head->target.path == "/a");
}

TEST_CASE("an incomplete head is refused, never guessed at") {
    auto const whole = with_fields("Content-Length: 5\r\nX: y\r\n");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        INFO(size);
        CHECK(judge_request(whole.substr(0, size)) == "incomplete_head");
    }
    CHECK(judge_request(whole) == "length 5 keep");
}

TEST_CASE("what follows a head is not part of it") {
    auto const whole = with_fields("Content-Length: 5\r\n");
    auto const parsed = parse_request(whole + "12345GET /b HTTP/1.1\r\nHost: b\r\n\r\n");
    REQUIRE(!parsed.refused);
    CHECK(parsed.head->size == whole.size());
    CHECK(parsed.head->fields.size() == 2);
}

TEST_CASE("head, line and number of fields are limited") {
    auto const request = with_fields("X: yyyy\r\n");
    SECTION("the head") {
        HeadLimits limits;
        limits.head = request.size();
        CHECK(judge_request(request, limits) == "none keep");
        limits.head = request.size() - 1;
        CHECK(judge_request(request, limits) == "head_too_large");
        CHECK(parse_request(request, limits).refused->kind == RefusalKind::head_too_large);
    }
    SECTION("a head that does not end within the limit") {
        HeadLimits limits;
        limits.head = 64;
        auto const endless = "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(100, 'x');
        CHECK(judge_request(endless.substr(0, 63), limits) == "incomplete_head");
        CHECK(judge_request(endless.substr(0, 64), limits) == "head_too_large");
        limits.line = 38;
        CHECK(judge_request(endless.substr(0, 64), limits) == "line_too_long");
        limits.line = 39;
        CHECK(judge_request(endless.substr(0, 64), limits) == "head_too_large");
    }
    SECTION("a line") {
        HeadLimits limits;
        limits.line = "POST /a HTTP/1.1"sv.size();
        CHECK(judge_request(request, limits) == "none keep");
        limits.line -= 1;
        CHECK(judge_request(request, limits) == "line_too_long");
        CHECK(parse_request(request, limits).refused->kind == RefusalKind::head_too_large);
    }
    SECTION("a line of a field, at the default") {
        auto const without = with_fields("X: \r\n").size();
        CHECK(judge_request(with_fields("X: " + std::string(16 * 1024 - without, 'y') + "\r\n"))
              == "none keep");
        CHECK(judge_request(with_fields("X: " + std::string(16 * 1024 - without + 1, 'y') + "\r\n"))
              == "head_too_large");
    }
    SECTION("no line is longer than a field table can count, whatever the limit says") {
        HeadLimits limits{1024 * 1024, 1024 * 1024, 100};
        CHECK(judge_request(with_fields("X: " + std::string(0xffff - 3, 'y') + "\r\n"), limits)
              == "none keep");
        CHECK(judge_request(with_fields("X: " + std::string(0xffff - 2, 'y') + "\r\n"), limits)
              == "line_too_long");
    }
    SECTION("the fields") {
        HeadLimits limits;
        limits.fields = 2;
        CHECK(judge_request(with_fields("X: y\r\n"), limits) == "none keep");
        CHECK(judge_request(with_fields("X: y\r\nZ: y\r\n"), limits) == "too_many_fields");
        CHECK(parse_request(with_fields("X: y\r\nZ: y\r\n"), limits).refused->kind
              == RefusalKind::head_too_large);
    }
    SECTION("no more fields than a field table holds, whatever the limit says") {
        HeadLimits limits{1024 * 1024, 1024, 10'000};
        std::string fields;
        for (std::size_t i = 1; i < FieldTable::capacity; ++i)
            fields += "X: y\r\n";
        CHECK(judge_request(with_fields(fields), limits) == "none keep");
        CHECK(judge_request(with_fields(fields + "X: y\r\n"), limits) == "too_many_fields");
    }
}

TEST_CASE("a refusal of a head never holds a byte of it, and asks to close") {
    for (auto const& text :
         {with_line("SECRET"), with_fields("SECRET\r\n"), with_host("Host: \x01\r\n")}) {
        auto const parsed = parse_request(text);
        REQUIRE(parsed.refused);
        CHECK(parsed.refused->kind == RefusalKind::bad_request);
        CHECK(parsed.refused->detail.find("SECRET") == std::string_view::npos);
        CHECK(!parsed.refused->detail.empty());
    }
}

} // namespace request_policy
