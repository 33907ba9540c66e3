// The responses of refused requests, compared completely.
#include "gateway/respond/problem.h"

#include <catch2/catch.hpp>

#include <simdjson.h>

#include <algorithm>
#include <string>

namespace problem_test {

using namespace sallyport::respond;
using namespace std::string_literals;
using sallyport::contract::Level;
using sallyport::contract::ValuePlace;
using sallyport::contract::Violation;
using sallyport::pipeline::Denial;
using sallyport::pipeline::ProblemMembers;
using sallyport::pipeline::Reason;
using sallyport::pipeline::reason_words;

namespace {

std::chrono::system_clock::time_point const a_moment{std::chrono::seconds{784111777}};

Violation too_many_threads() {
    Violation violation;
    violation.pointer = "/db_max_threads";
    violation.rule = "maximum";
    violation.expected = "64";
    violation.rule_pointer = "/properties/db_max_threads/maximum";
    violation.source = "management 2.3";
    violation.phrase = "must be at most 64";
    return violation;
}

Denial denial(Reason reason, std::string detail = {}) {
    Denial result;
    result.reason = reason;
    result.public_detail = std::move(detail);
    return result;
}

bool is_json(std::string const& text) {
    simdjson::dom::parser parser;
    return parser.parse(simdjson::padded_string{text}).error() == simdjson::SUCCESS;
}

std::string lines_of(Response const& response) {
    std::string lines;
    for (auto const& field : response.fields())
        lines.append(field.name).append(": ").append(field.value).append("\r\n");
    return lines;
}

std::string lines_of(Denial const& denial, std::string_view request_id = "r-1") {
    return lines_of(Response{denial, request_id, Content::send, a_moment});
}

constexpr char const* common_lines = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                     "Content-Type: application/problem+json\r\n"
                                     "Cache-Control: no-store\r\n"
                                     "X-Request-Id: r-1\r\n";

} // namespace

TEST_CASE("a contract violation has one body in the formats of both APIs") {
    auto refused = denial(Reason::contract_violation);
    refused.violations.push_back(too_many_threads());
    CHECK(problem_body(refused, "1f6e")
          == R"({"type":"urn:sallyport:problem:contract_violation",)"
             R"("title":"The request body breaks the contract","status":400,)"
             R"("detail":"The request body breaks the contract: )"
             R"(/db_max_threads must be at most 64.",)"
             R"("requestId":"1f6e",)"
             R"("error":"BAD_REQUEST: The request body breaks the contract: )"
             R"(/db_max_threads must be at most 64.",)"
             R"("message":"The request body breaks the contract: )"
             R"(/db_max_threads must be at most 64.",)"
             R"("reason":"contract_violation",)"
             R"("violations":[{"pointer":"/db_max_threads","in":"body","rule":"maximum",)"
             R"("expected":64,)"
             R"("message":"/db_max_threads must be at most 64",)"
             R"("rule_pointer":"/properties/db_max_threads/maximum","source":"management 2.3"}]})");
}

TEST_CASE("with the members of RFC 9457 alone the identifier is the instance") {
    auto refused = denial(Reason::contract_violation);
    refused.violations.push_back(too_many_threads());
    auto const id = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6";
    CHECK(problem_body(refused, id, ProblemMembers::standard)
          == R"({"type":"urn:sallyport:problem:contract_violation",)"
             R"("title":"The request body breaks the contract","status":400,)"
             R"("detail":"The request body breaks the contract: )"
             R"(/db_max_threads must be at most 64.",)"
             R"("instance":"urn:uuid:f81d4fae-7dec-41d0-a765-00a0c91e6bf6",)"
             R"("reason":"contract_violation",)"
             R"("violations":[{"pointer":"/db_max_threads","in":"body","rule":"maximum",)"
             R"("expected":64,)"
             R"("message":"/db_max_threads must be at most 64",)"
             R"("rule_pointer":"/properties/db_max_threads/maximum","source":"management 2.3"}]})");
}

TEST_CASE("the detail names the place of the first violation, and how many more there are") {
    auto const detail_of = [](Denial const& denied) {
        simdjson::dom::parser parser;
        auto const body = parser.parse(simdjson::padded_string{problem_body(denied, "r")}).value();
        return std::string{body["detail"].get_string().value()};
    };
    auto const of_parameter = [](ValuePlace in, std::string pointer) {
        Violation violation;
        violation.in = in;
        violation.name = "limit";
        violation.pointer = std::move(pointer);
        violation.phrase = "must be at most 9";
        return violation;
    };
    auto refused = denial(Reason::bad_parameter);
    refused.violations = {of_parameter(ValuePlace::path, "")};
    CHECK(detail_of(refused) == "The path parameter limit must be at most 9.");
    refused.violations = {of_parameter(ValuePlace::query, "/2")};
    CHECK(detail_of(refused) == "The query parameter limit/2 must be at most 9.");
    refused.violations = {of_parameter(ValuePlace::header, "")};
    CHECK(detail_of(refused) == "The header limit must be at most 9.");
    refused.violations.push_back(too_many_threads());
    CHECK(detail_of(refused) == "The header limit must be at most 9 (and 1 more).");
    refused.more_violations = true;
    CHECK(detail_of(refused) == "The header limit must be at most 9 (and more than 1 more).");

    Violation missing;
    missing.missing = "a/b";
    missing.phrase = "is required";
    auto broken = denial(Reason::contract_violation);
    broken.violations = {missing};
    CHECK(detail_of(broken) == "The request body breaks the contract: /a~1b is required.");
    broken.violations[0].missing = {};
    CHECK(detail_of(broken) == "The request body breaks the contract: the body is required.");
    // Every reason's own is a sentence, too.
    for (std::size_t index = 1; index < reason_words.size(); ++index) {
        auto const said = detail_of(denial(static_cast<Reason>(index)));
        CHECK((said.front() >= 'A' && said.front() <= 'Z'));
        CHECK(said.find('.') == said.size() - 1);
    }
}

TEST_CASE("a violation of a parameter has its location and its name") {
    auto refused = denial(Reason::bad_parameter);
    for (auto const in : {ValuePlace::path, ValuePlace::query, ValuePlace::header}) {
        auto& one = refused.violations.emplace_back();
        one.in = in;
        one.name = "limit";
        one.rule = "maximum";
        one.phrase = "must be at most 9";
    }
    auto const body = problem_body(refused, "r");
    for (std::string const place : {"path", "query", "header"})
        CHECK(
            body.find(R"({"pointer":"","in":")" + place
                      + R"(","name":"limit","rule":"maximum","message":"limit must be at most 9",)")
            != std::string::npos);
}

TEST_CASE("undeclared names are violations of their own, 32 in total") {
    Violation unknown;
    unknown.pointer = "/*";
    unknown.rule = "additionalProperties";
    unknown.phrase = "is not there";
    for (int number = 0; number < 20; ++number)
        unknown.undeclared.emplace_back("n\"" + std::to_string(number));
    auto refused = denial(Reason::contract_violation);
    refused.violations = {unknown, unknown};
    auto const body = problem_body(refused, "r");
    CHECK(is_json(body));
    CHECK(body.find(R"({"pointer":"/n\"7","in":"body","rule":"additionalProperties",)"
                    R"("message":"/n\"7 is not there",)")
          != std::string::npos);
    CHECK(body.find("/n\\\"0 is not there (and more than 31 more).") != std::string::npos);
    CHECK(body.find('*') == std::string::npos);
}

TEST_CASE("all violations are listed, but those that were only reported") {
    auto refused = denial(Reason::contract_violation, "Something is wrong");
    Violation reported = too_many_threads();
    reported.level = Level::report;
    Violation bare;
    bare.pointer = "/a";
    bare.rule = "type";
    bare.phrase = "must be a string";
    bare.rule_pointer = "/properties/a/type";
    refused.violations = {reported, bare, too_many_threads()};
    CHECK(problem_body(refused, "r")
          == R"({"type":"urn:sallyport:problem:contract_violation",)"
             R"("title":"The request body breaks the contract","status":400,)"
             R"("detail":"Something is wrong.","requestId":"r",)"
             R"("error":"BAD_REQUEST: Something is wrong.",)"
             R"("message":"Something is wrong.","reason":"contract_violation",)"
             R"("violations":[{"pointer":"/a","in":"body","rule":"type",)"
             R"("message":"/a must be a string","rule_pointer":"/properties/a/type"},)"
             R"({"pointer":"/db_max_threads","in":"body","rule":"maximum","expected":64,)"
             R"("message":"/db_max_threads must be at most 64",)"
             R"("rule_pointer":"/properties/db_max_threads/maximum","source":"management 2.3"}]})");

    refused.violations = {reported};
    CHECK(problem_body(refused, "r").find("violations") == std::string::npos);
    // A violation that is only reported is not the reason of the refusal either.
    refused.public_detail.clear();
    CHECK(problem_body(refused, "r").find("db_max_threads") == std::string::npos);
}

TEST_CASE("a denial without a text of its own has that of its reason") {
    CHECK(problem_body(denial(Reason::unauthenticated), "r")
          == R"({"type":"urn:sallyport:problem:unauthenticated",)"
             R"("title":"Authentication is required","status":401,)"
             R"("detail":"Valid credentials are required.","requestId":"r",)"
             R"("error":"UNAUTHORIZED: Valid credentials are required.",)"
             R"("message":"Valid credentials are required.","reason":"unauthenticated"})");
}

TEST_CASE("an internal reason is reported to the client as a bug, without details") {
    auto const reason = GENERATE(Reason::none, Reason::client_closed, Reason::tls_failed);
    auto refused = denial(reason, "CANARY");
    refused.violations.push_back(too_many_threads());
    Response const response{refused, "r", Content::send, a_moment};
    CHECK(response.status() == 500);
    CHECK(response.body()
          == R"({"type":"urn:sallyport:problem:internal_error","title":"The gateway failed",)"
             R"("status":500,"detail":"The gateway failed.","requestId":"r",)"
             R"("error":"INTERNAL_SERVER_ERROR: The gateway failed.",)"
             R"("message":"The gateway failed.","reason":"internal_error"})");
}

TEST_CASE("the note for the log is never sent") {
    auto refused = denial(Reason::upstream_failed);
    refused.log_note = "CANARY";
    Response const response{refused, "r", Content::send, a_moment};
    CHECK(response.body().find("CANARY") == std::string::npos);
    CHECK(lines_of(response).find("CANARY") == std::string::npos);
}

TEST_CASE("hostile bytes in any text keep the body one JSON text of bounded size") {
    for (std::string const unit : {"\"", "\\", "\n", "\x01", "\xFF", "a", "\u00e9"}) {
        std::string text;
        while (text.size() < 9'000)
            text += unit;
        auto refused = denial(Reason::contract_violation, text);
        Violation violation = too_many_threads();
        violation.pointer = violation.phrase = text;
        violation.name = violation.missing = text;
        violation.pointer_as_sent = sallyport::contract::ClientText{text};
        violation.rule = violation.rule_pointer = violation.source = text;
        violation.expected = "\"" + std::string(2046, 'e') + "\"";
        refused.violations.assign(40, violation);
        auto const body = problem_body(refused, text);
        CHECK(is_json(body));
        CHECK(body.size() < 500'000);
        CHECK(body.find(violation.expected) != std::string::npos);
        auto const count = [&body](std::string_view wanted) {
            std::size_t found = 0;
            for (auto at = body.find(wanted); at != std::string::npos;
                 at = body.find(wanted, at + 1)) {
                ++found;
            }
            return found;
        };
        CHECK(count("\"rule_pointer\":") == 32);

        violation.expected += " ";
        refused.violations.assign(1, violation);
        CHECK(problem_body(refused, "r").find("expected") == std::string::npos);
    }
}

TEST_CASE("short texts fit, whatever must be escaped in them") {
    for (std::size_t size = 0; size < 700; size += 7) {
        auto const text = std::string(size, '\x01');
        auto refused = denial(Reason::bad_request, text);
        Violation violation;
        violation.pointer = text + "/*";
        violation.phrase = text;
        violation.name = violation.missing = text;
        violation.undeclared.assign(2, sallyport::contract::ClientText{text});
        violation.rule = violation.rule_pointer = violation.source = text;
        refused.violations.assign(3, violation);
        CHECK(is_json(problem_body(refused, text)));
    }
}

TEST_CASE("a response to HEAD has the length of its content, but not the content") {
    auto const refused = denial(Reason::method_not_allowed);
    Response const whole{refused, "r-1", Content::send, a_moment};
    Response const head{refused, "r-1", Content::omit, a_moment};
    CHECK(head.body().empty());
    CHECK(head.content_length() == whole.body().size());
    CHECK(whole.content_length() == whole.body().size());
    CHECK(lines_of(head) == lines_of(whole));
    CHECK(head.status() == 405);
}

TEST_CASE("the fields of a refusal are the usual ones and its own") {
    CHECK(lines_of(denial(Reason::bad_request)) == common_lines);

    auto unauthenticated = denial(Reason::unauthenticated);
    unauthenticated.fields = {{"WWW-Authenticate", "Basic realm=\"management\""},
                              {"WWW-Authenticate", "Bearer realm=\"files\""}};
    CHECK(lines_of(unauthenticated)
          == common_lines + "WWW-Authenticate: Basic realm=\"management\"\r\n"s
                 + "WWW-Authenticate: Bearer realm=\"files\"\r\n");

    auto wrong_method = denial(Reason::method_not_allowed);
    wrong_method.fields = {{"Allow", "GET, PATCH"}};
    CHECK(lines_of(wrong_method) == common_lines + "Allow: GET, PATCH\r\n"s);
}

TEST_CASE("the response of an overloaded gateway always has Retry-After") {
    CHECK(lines_of(denial(Reason::overloaded)) == common_lines + "Retry-After: 1\r\n"s);
    auto with_its_own = denial(Reason::overloaded);
    with_its_own.fields = {{"Retry-After", "7"}};
    CHECK(lines_of(with_its_own) == common_lines + "Retry-After: 7\r\n"s);
    CHECK(lines_of(denial(Reason::no_upstream)) == common_lines);
}

TEST_CASE("an invalid field value cannot become a field or end the head") {
    for (auto const& value : {"a\r\nX-Forged: 1"s, "a\nb"s, "\0"s, "\x7F"s}) {
        auto refused = denial(Reason::method_not_allowed);
        refused.fields = {{"Allow", value}};
        CHECK(lines_of(refused) == common_lines);
        CHECK(lines_of(denial(Reason::bad_request), value).find("X-Request-Id")
              == std::string::npos);
    }
}

} // namespace problem_test
