// Composes whole responses and compares.
#include "tests/end_to_end/expectations.h"

#include "tests/support/json.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>

namespace sallyport::test {
namespace {

struct StatusRow {
    int status;
    char const* phrase; // RFC 9110, 15; RFC 6585
    char const* code;
};

StatusRow const& row_of(int status) {
    static std::vector<StatusRow> const rows{
        {400, "Bad Request", "BAD_REQUEST"},
        {401, "Unauthorized", "UNAUTHORIZED"},
        {403, "Forbidden", "FORBIDDEN"},
        {405, "Method Not Allowed", "METHOD_NOT_ALLOWED"},
        {408, "Request Timeout", "REQUEST_TIMEOUT"},
        {413, "Content Too Large", "CONTENT_TOO_LARGE"},
        {415, "Unsupported Media Type", "UNSUPPORTED_MEDIA_TYPE"},
        {417, "Expectation Failed", "EXPECTATION_FAILED"},
        {421, "Misdirected Request", "MISDIRECTED_REQUEST"},
        {431, "Request Header Fields Too Large", "REQUEST_HEADER_FIELDS_TOO_LARGE"},
        {500, "Internal Server Error", "INTERNAL_SERVER_ERROR"},
        {502, "Bad Gateway", "BAD_GATEWAY"},
        {503, "Service Unavailable", "SERVICE_UNAVAILABLE"},
        {504, "Gateway Timeout", "GATEWAY_TIMEOUT"},
    };
    for (auto const& row : rows)
        if (row.status == status) return row;
    throw std::runtime_error("no such refusal: " + std::to_string(status));
}

std::string title_of(std::string_view reason) {
    static std::vector<std::pair<std::string_view, std::string_view>> const titles{
        {"unauthenticated", "Authentication is required"},
        {"forbidden", "The credential does not allow this request"},
        {"address_denied", "The client's address is not allowed"},
        {"origin_denied", "The origin is not allowed"},
        {"unknown_operation", "No such operation"},
        {"method_not_allowed", "The operation does not take this method"},
        {"bad_request", "The request is malformed"},
        {"bad_parameter", "A parameter has a wrong format"},
        {"malformed_body", "The request body is malformed"},
        {"contract_violation", "The request body breaks the contract"},
        {"head_too_large", "The request head is too large"},
        {"body_too_large", "The request body is too large"},
        {"unsupported_media_type", "The media type or coding is not supported"},
        {"expectation_failed", "The expectation cannot be met"},
        {"misdirected", "The host is not served on this connection"},
        {"timeout", "The request took too long"},
        {"upstream_failed", "The upstream failed"},
        {"upstream_invalid", "The upstream's response is invalid"},
        {"upstream_head_too_large", "The head of the upstream's response is too large"},
        {"upstream_too_many_fields", "The upstream's response has too many fields"},
        {"upstream_timeout", "The upstream took too long"},
        {"no_upstream", "No upstream can be reached"},
        {"issuer_unavailable", "The caller cannot be verified now"},
        {"overloaded", "The gateway is overloaded"},
        {"draining", "The gateway is shutting down"},
        {"internal_error", "The gateway failed"},
    };
    for (auto const& [word, title] : titles)
        if (word == reason) return std::string{title};
    throw std::runtime_error("no such reason: " + std::string{reason});
}

std::string violation_json(ExpectedViolation const& violation) {
    auto text = "{\"pointer\":" + quoted(violation.pointer) + ",\"in\":" + quoted(violation.in);
    if (!violation.name.empty()) text += ",\"name\":" + quoted(violation.name);
    text += ",\"rule\":" + quoted(violation.rule);
    if (!violation.expected.empty()) text += ",\"expected\":" + violation.expected;
    text += ",\"message\":" + quoted(violation.message);
    text += ",\"rule_pointer\":" + quoted(violation.rule_pointer);
    if (!violation.source.empty()) text += ",\"source\":" + quoted(violation.source);
    return text + "}";
}

std::string sentence_of(std::vector<ExpectedViolation> const& violations) {
    auto const& first = violations.front();
    auto const place = first.in == "body"    ? "The request body breaks the contract: "
                       : first.in == "path"  ? "The path parameter "
                       : first.in == "query" ? "The query parameter "
                                             : "The header ";
    auto const more = violations.size() - 1;
    return place + first.message + (more == 0 ? "" : " (and " + std::to_string(more) + " more)")
           + ".";
}

} // namespace

std::string problem_body(ExpectedProblem const& expected, std::string_view detail,
                         std::string_view request_id, Members members) {
    auto const detail_text = quoted(detail);
    auto const code = std::string{row_of(expected.status).code};
    auto text = "{\"type\":\"urn:sallyport:problem:" + expected.reason
                + "\",\"title\":" + quoted(title_of(expected.reason))
                + ",\"status\":" + std::to_string(expected.status) + ",\"detail\":" + detail_text;
    if (members == Members::standard) {
        text += ",\"instance\":" + quoted("urn:uuid:" + std::string{request_id});
    } else {
        text += ",\"requestId\":" + quoted(request_id) + ",\"error\":"
                + quoted(code + ": " + std::string{detail}) + ",\"message\":" + detail_text;
    }
    text += ",\"reason\":" + quoted(expected.reason);
    if (!expected.violations.empty()) {
        text += ",\"violations\":[";
        for (std::size_t index = 0; index < expected.violations.size(); ++index)
            text += (index == 0 ? "" : ",") + violation_json(expected.violations[index]);
        text += "]";
    }
    return text + "}";
}

bool is_request_id(std::string_view text) {
    return text.size() >= 32 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
           });
}

void check_problem(Response const& response, ExpectedProblem const& expected, Members members) {
    CAPTURE(response.head, response.body, expected.reason);
    REQUIRE(response.status == expected.status);
    CHECK(response.reason == row_of(expected.status).phrase);
    CHECK(response.framing == Framing::length);

    Fields names{{"Cache-Control", ""},
                 {"Content-Length", ""},
                 {"Content-Type", ""},
                 {"Date", ""},
                 {"X-Request-Id", ""}};
    names.insert(names.end(), expected.fields.begin(), expected.fields.end());
    if (response.fields.count("Connection") == 1) {
        names.push_back({"Connection", ""});
        CHECK(response.fields.one("Connection") == "close");
    }
    CHECK(response.fields.names() == names.names());
    CHECK(response.fields.find("Content-Type") == "application/problem+json");
    CHECK(response.fields.find("Cache-Control") == "no-store");
    for (auto const& field : expected.fields)
        CHECK(response.fields.find(field.name) == field.value);

    auto const id = response.fields.find("X-Request-Id").value_or("");
    CHECK(is_request_id(id));
    auto detail = expected.detail;
    if (detail.empty() && !expected.violations.empty()) detail = sentence_of(expected.violations);
    if (detail.empty()) detail = Json::parse(response.body).text("detail");
    // Any sentence.
    REQUIRE(detail.size() > 1);
    CHECK((detail.front() >= 'A' && detail.front() <= 'Z'));
    CHECK(detail.back() == '.');
    CHECK(detail.find("..") == std::string::npos);
    CHECK(response.body == problem_body(expected, detail, id, members));
}

ExpectedProblem unauthenticated_basic() {
    auto problem = refused(401, "unauthenticated");
    problem.fields = {{"WWW-Authenticate", "Basic realm=\"management\", charset=\"UTF-8\""}};
    return problem;
}

ExpectedProblem unauthenticated_bearer() {
    auto problem = refused(401, "unauthenticated");
    problem.fields = {{"WWW-Authenticate", "Bearer realm=\"observability\""}};
    return problem;
}

ExpectedProblem bad_uuid(std::string const& parameter) {
    auto problem = refused(400, "bad_parameter");
    problem.violations = {{"", "format", R"("uuid")", "/parameters/" + parameter + "/format",
                           "management 4", parameter + " must be a uuid", "path", parameter}};
    return problem;
}

ExpectedProblem refused(int status, std::string_view reason) {
    ExpectedProblem problem;
    problem.status = status;
    problem.reason = reason;
    return problem;
}

ExpectedProblem refused_for_now(int status, std::string_view reason) {
    auto problem = refused(status, reason);
    problem.fields = {{"Retry-After", "1"}};
    return problem;
}

} // namespace sallyport::test
