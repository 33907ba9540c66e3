// What the client receives for an invalid body or invalid parameters, and what is logged.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

using namespace std::string_literals;
using sallyport::test::SentText;

namespace sallyport::contract::test::violations_test {
namespace {

// Text of the client cannot be converted to a text that could be logged.
static_assert(!std::is_convertible_v<ClientText, std::string>);
static_assert(!std::is_constructible_v<std::string, ClientText>);
static_assert(!std::is_constructible_v<std::string_view, ClientText>);
static_assert(!std::is_default_constructible_v<ToItsSender>);
static_assert(!std::is_aggregate_v<ToItsSender> && !std::is_aggregate_v<ClientText>);

constexpr std::string_view closed = R"(
type: object
properties: { name: { type: string }, tags: { additionalProperties: { type: object, required: [v],
  properties: { v: { type: integer } }, additionalProperties: false } } }
patternProperties: { "^x-": {} }
additionalProperties: false
)";

// The pointers for the log, joined.
std::string logged(Report const& report) {
    std::string all;
    for (auto const& one : report.violations)
        all += one.pointer + ' ';
    return all;
}

std::size_t count_messages(Report const& report) {
    std::size_t count = 0;
    for (auto const& one : report.violations)
        count += count_for_client(one);
    return count;
}

class Parameters {
public:
    std::string query(std::string_view query) {
        return text(validator_.check_query(operation_, query, {}, {}));
    }
    ParameterReport const& check(std::string_view query) {
        return validator_.check_query(operation_, query, {}, {});
    }
    std::string path(std::string_view path) {
        return text(validator_.check_path(operation_, contract_->route(path), {}, {}));
    }

private:
    static std::string text(ParameterReport const& report) {
        std::string all;
        for (auto const& one : report.violations)
            all += (all.empty() ? "" : "; ") + message_of(one);
        return report.outcome == Outcome::valid ? "valid" : all;
    }

    std::shared_ptr<Contract const> contract_ = load_document(R"(
openapi: 3.1.0
info: { title: T }
paths:
  /a/{one}/{two}:
    get:
      operationId: o
      parameters:
        - { name: one, in: path, required: true, schema: { type: integer } }
        - { name: two, in: path, required: true, schema: { format: uuid } }
        - { name: limit, in: query, schema: { type: integer, maximum: 100 } }
        - { name: need, in: query, required: true, schema: { type: string } }
        - { name: ids, in: query, schema: { type: array, minItems: 2, items: { type: integer } } }
        - { name: filter, in: query, style: deepObject, required: true,
            schema: { type: object, properties: { a: {} }, additionalProperties: false } }
      responses: { default: { description: d } }
)");
    Operation const& operation_ = *contract_->find_operation("o");
    Validator validator_;
};

} // namespace

TEST_CASE("undeclared properties are named in the response, and are * in the log") {
    Checker checker{closed};
    auto const& report = checker.check(R"({"nmae":"a","x-y":1,"tags":{},"a/b~":1})");
    CHECK(verdict_of(report)
          == "/nmae is not a property that the contract allows; "
             "/a~1b~0 is not a property that the contract allows");
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations[0].pointer == "/*");
    CHECK(SentText::pointer(report.violations[0], 1) == "/a~1b~0");
}

TEST_CASE("the path to a value has the client's names") {
    Checker checker{closed};
    auto const& report = checker.check(R"({"tags":{"k/1":{"v":"a"},"k2":{"w":1},"k3":{"v":1}}})");
    CHECK(verdict_of(report)
          == "/tags/k~11/v must be an integer, not a string; "
             "/tags/k2/w is not a property that the contract allows; "
             "/tags/k2/v is required");
    CHECK(logged(report) == "/tags/*/v /tags/*/* /tags/* ");
}

TEST_CASE("unevaluated properties are named like undeclared ones") {
    Checker checker{"{properties: {a: {}}, anyOf: [{properties: {b: {}}}], "
                    "unevaluatedProperties: false}"};
    auto const& report = checker.check(R"({"a":1,"c":1,"b":1,"d":1})");
    CHECK(verdict_of(report)
          == "/c is not a property that the contract allows; "
             "/d is not a property that the contract allows");
    CHECK(logged(report) == "/* ");
}

TEST_CASE("a reported violation has no names of the client") {
    auto const contract = load_document(R"(
openapi: 3.1.0
info: { title: T }
paths:
  /a:
    post:
      operationId: o
      requestBody: { content: { application/json: { schema: { additionalProperties: false } } } }
      responses: { default: { description: d } }
)");
    auto const levels = LevelTable::compile(*contract, {Level::report, Level::off}, {});
    Validator validator;
    auto const& type = contract->operations().front().request_body->media_types.front();
    auto const& report =
        validator.validate(*type.schema, Body{R"({"secret":1})"}.view(), {}, levels.table);
    REQUIRE(report.reported.size() == 1);
    CHECK(report.reported[0].undeclared.empty());
    CHECK(report.reported[0].pointer_as_sent.empty());
    CHECK(message_of(report.reported[0]) == "/* is not a property that the contract allows");
}

TEST_CASE("a client's name is cut after 64 characters, never within one") {
    auto const repeated = [](std::string_view unit, std::size_t times) {
        std::string text;
        for (std::size_t i = 0; i < times; ++i)
            text += unit;
        return text;
    };
    for (std::string_view const unit : {"a", "\u00e9", "\u20ac", "\U0001F600"}) {
        CHECK(cut_name(repeated(unit, 64)) == repeated(unit, 64));
        CHECK(cut_name(repeated(unit, 65)) == repeated(unit, 64) + "\u2026");
        CHECK(cut_name(repeated(unit, 100'000)) == repeated(unit, 64) + "\u2026");
    }
    CHECK(cut_name("").empty());
    // Names in a query may not be UTF-8: bytes that begin no character.
    CHECK(cut_name(repeated("\x80", 100'000)).size() == 4 * 64 + "\u2026"s.size());
}

TEST_CASE("a message is one line in one direction, whatever the client's names contain") {
    Checker checker{closed};
    auto const& report = checker.check("{\"a\\n\\u001b\\u0000\x7f\u0085\u2028\u202e\u2069\u2070\u00a0\":1}");
    REQUIRE(report.violations.size() == 1);
    CHECK(message_of(report.violations[0])
          == "/a\\u000a\\u001b\\u0000\\u007f\\u0085\\u2028\\u202e\\u2069\u2070\u00a0"
             " is not a property that the contract allows");
    // The pointer is unchanged: it is for programs.
    CHECK(SentText::pointer(report.violations[0])
          == "/a\n\x1b\0\x7f\u0085\u2028\u202e\u2069\u2070\u00a0"s);
}

TEST_CASE("at most thirty-two names are sent, however many and large there are") {
    Checker checker{closed};
    std::string body = "{";
    for (int number = 0; number < 40; ++number)
        body += '"' + std::to_string(number) + std::string(20'000, 'n') + "\":1,";
    // Further objects, each with one more: there is no room for their names, but they are
    // violations.
    body += R"("tags":{)";
    for (int number = 0; number < 40; ++number)
        body += (number == 0 ? "\"" : ",\"") + std::to_string(number) + R"(":{"v":1,"w":1})";
    body += "}}";
    auto const& report = checker.check(body);
    CHECK(report.violations.size() == max_violations);
    CHECK(report.more_violations);
    CHECK(count_messages(report) <= 2 * max_violations);
    std::size_t bytes = 0;
    for (auto const& one : report.violations)
        for (std::size_t which = 0; which < count_for_client(one); ++which)
            bytes += SentText::pointer(one, which).size();
    CHECK(bytes < 2 * max_violations * 200);

    auto const& flat = checker.check("{" + body.substr(1, body.find(R"("tags")") - 2) + "}");
    REQUIRE(flat.violations.size() == 1);
    CHECK(flat.violations[0].undeclared.size() == max_violations);
    CHECK(flat.violations[0].undeclared_left == 40 - max_violations);
}

TEST_CASE("a path that is too long to be sent stays the one of the log") {
    Checker checker{R"({additionalProperties: {$ref: '#'}, type: object})"};
    std::string const name(64, 'n');
    std::string body = "1";
    std::string as_logged;
    for (int level = 0; level < 40; ++level) {
        body = "{\"" + name + "\":" + body + "}";
        as_logged += "/*";
    }
    auto const& report = checker.check(body);
    REQUIRE(report.violations.size() == 1);
    CHECK(SentText::pointer(report.violations[0]) == as_logged);
}

TEST_CASE("all invalid parameters of a place are reported, each once") {
    Parameters api;
    CHECK(api.path("/a/x/y") == "one must be an integer, not a string; two must be a uuid");
    CHECK(api.path("/a/1/y") == "two must be a uuid");
    CHECK(api.query("limit=900&ids=1&ids=x&filter[b]=1&filter[c]=1")
          == "limit must be at most 100; ids/1 must be an integer, not a string; "
             "filter/b is not a property that the contract allows; "
             "filter/c is not a property that the contract allows; need is required");
    // A refused parameter is not missing, and is not validated as a whole.
    CHECK(api.query("filter=1&need=%FF&ids=%FF")
          == "filter must be written as filter[property]=value; "
             "need must be percent-encoded UTF-8 text; ids must be percent-encoded UTF-8 text");
    CHECK(api.query("need=a&need=b&need=c&filter[a]=1") == "need must be given once");

    auto const& report = api.check("limit=x");
    for (auto const& one : report.violations)
        CHECK(one.in == ValuePlace::query);
    CHECK(report.violations.at(0).name == "limit");
}

TEST_CASE("violations of parameters are kept up to the limit of a report") {
    Parameters api;
    std::string query = "need=a&filter[a]=1";
    for (int number = 0; number < 100; ++number)
        query += "&ids=x" + std::to_string(number);
    auto const& report = api.check(query);
    CHECK(report.violations.size() == max_violations);
    std::size_t left = 0;
    for (auto const& one : report.not_kept)
        left += one.count;
    CHECK(left == 100 - max_violations);
}

TEST_CASE("each invalid parameter beyond that limit is counted once") {
    std::string text = "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  /v1/search:\n    get:\n"
                       "      operationId: search\n      parameters:\n";
    std::string query;
    for (std::string const value : {"=x", "=%FF"})
        for (int i = 0; i < 40; ++i)
            query += "&p" + std::to_string(i) + value;
    for (int i = 0; i < 40; ++i)
        text += "        - { name: p" + std::to_string(i)
                + ", in: query, schema: { type: integer } }\n";
    text += "        - { name: need, in: query, required: true, schema: {} }\n";
    auto const contract = load_document(text);
    Validator validator;
    auto const& report = validator.check_query(*contract->find_operation("search"), query, {}, {});
    CHECK(report.violations.size() == max_violations);
    REQUIRE(report.not_kept.size() == 2);
    CHECK(report.not_kept[0].rule == "type");
    CHECK(report.not_kept[0].count == 40 - max_violations);
    CHECK(report.not_kept[1].rule == "required");
    CHECK(report.not_kept[1].count == 1);
}

} // namespace sallyport::contract::test::violations_test
