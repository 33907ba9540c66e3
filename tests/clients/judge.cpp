// The comparisons, each with the name of its case.
#include "tests/clients/judge.h"

#include "tests/clients/arrival.h"
#include "tests/clients/callers.h"
#include "tests/support/encodings.h"
#include "tests/support/json.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

namespace sallyport::test {
namespace {

std::vector<Broken> violations_of(Json const& problem) {
    std::vector<Broken> violations;
    if (problem.has("violations"))
        for (auto const& one : problem["violations"].items)
            violations.push_back({one.text("pointer"), one.text("rule")});
    return violations;
}

std::string text_of(Fields const& fields) {
    std::string text;
    for (auto const& field : fields)
        text += field.name + ": " + field.value + "\n";
    return text;
}

// The order of rules is up to the validator.
std::string text_of(std::vector<Broken> violations) {
    std::sort(violations.begin(), violations.end(), [](Broken const& left, Broken const& right) {
        return std::tie(left.pointer, left.rule) < std::tie(right.pointer, right.rule);
    });
    std::string text;
    for (auto const& one : violations)
        text += "[" + one.pointer + ", " + one.rule + "] ";
    return text;
}

std::string authorization_for(std::string_view target) {
    return target.find("/v1/") != std::string_view::npos ? sandbox_basic() : sandbox_bearer();
}

// An absolute form (RFC 9112, 3.2.2) arrives in origin form.
std::string origin_form(std::string const& target) {
    constexpr std::string_view scheme = "https://";
    if (!target.starts_with(scheme)) return target;
    return target.substr(target.find('/', scheme.size()));
}

std::string in_base64(std::string const& bytes) {
    return bytes.empty() ? std::string{} : base64(bytes);
}

} // namespace

void Judge::judge_response(Case const& one, std::string const& method,
                           ClientResponse const& response) {
    INFO(text_of(response.fields) << response.body.substr(0, 2000));
    CHECK(response.status == one.expected.status);
    CHECK(response.fields.count("X-Request-Id") == 1);
    auto const type = response.fields.find("Content-Type").value_or("");
    CHECK(type == (one.expected.passes() ? "application/json" : "application/problem+json"));
    reasons_[response.fields.find("X-Request-Id").value_or("")] = one.expected.reason;
    for (auto const& field : one.expected.fields) {
        // RFC 9113, 8.2.2: HTTP/2 has none.
        if (stage_.version == ClientVersion::http_2 && field.name == "Connection") {
            CHECK(response.fields.count("Connection") == 0);
            continue;
        }
        CHECK(field.name + ": " + response.fields.find(field.name).value_or("")
              == field.name + ": " + field.value);
    }
    if (method == "HEAD") return; // RFC 9110, 9.3.2: no body to compare
    REQUIRE_FALSE(response.body.empty());
    auto const body = Json::parse(response.body);
    if (one.expected.passes()) return;
    CHECK(body.text("reason") == one.expected.reason);
    CHECK(text_of(violations_of(body)) == text_of(one.expected.violations));
}

void Judge::judge_arrival(Case const& one, Request const& sent, ClientResponse const& response,
                          Recorded const& arrived) {
    CHECK(arrived.method == sent.method);
    CHECK(arrived.target == origin_form(sent.target));
    CHECK(arrived.body_base64 == in_base64(one.content));
    Hop const hop{stage_.sandbox.authority(), authorization_for(sent.target),
                  response.fields.find("X-Request-Id").value_or(""),
                  stage_.version == ClientVersion::http_2 ? "2.0" : "1.1"};
    CHECK(text_of(arrived.fields)
          == text_of(side_by_side(fields_that_arrive(sent, one.content, hop))));
}

void Judge::judge(Case const& one, Request const& sent, ClientResponse const& response) {
    INFO(one.label() << "\n" << one.why << "\n" << one.bytes().substr(0, 2000));
    judge_response(one, sent.method, response);
    auto const arrived = stage_.sandbox.record().next();
    CHECK(arrived.size() == (one.expected.passes() ? 1 : 0));
    if (one.expected.passes() && arrived.size() == 1)
        judge_arrival(one, sent, response, arrived[0]);
}

void Judge::judge_group(std::vector<Case> const& cases, std::vector<Request> const& sent,
                        std::vector<ClientResponse> const& responses) {
    auto const arrived = stage_.sandbox.record().next();
    REQUIRE(responses.size() == cases.size());
    REQUIRE(arrived.size() == cases.size());
    for (std::size_t index = 0; index < cases.size(); ++index) {
        INFO(cases[index].label());
        REQUIRE(cases[index].expected.passes());
        judge_response(cases[index], sent[index].method, responses[index]);
        judge_arrival(cases[index], sent[index], responses[index], arrived[index]);
    }
}

void Judge::finish() {
    auto const lines = stage_.gateway.wait_for_log_lines(reasons_.size());
    CHECK(lines.size() == reasons_.size());
    for (auto const& line : lines) {
        auto const id = line.text("request_id");
        REQUIRE(reasons_.count(id) == 1);
        CHECK(line.text("reason") == reasons_[id]);
        if (stage_.version == ClientVersion::http_2) CHECK(line.text("protocol") == "HTTP/2.0");
    }
    CHECK(stage_.sandbox.record().next().empty());
    auto const record = stage_.sandbox.record().whole();
    CHECK_FALSE(record.empty());
    for (auto const& secret : secrets_of_callers())
        CHECK(record.find(secret) == std::string::npos);
    CHECK(stage_.gateway.stop() == 0);
}

} // namespace sallyport::test
