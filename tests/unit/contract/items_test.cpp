// Bodies that are a series of items.
#include "gateway/contract/items.h"

#include "gateway/contract/forms/event_stream.h"
#include "tests/unit/contract/form_support.h"

#include <catch2/catch.hpp>

#include <utility>

namespace items_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view row = R"({itemSchema: {type: object, required: [n],
            properties: {n: {type: integer, maximum: 9}}}})";

// The bodies of one type, in pieces: each in an allocation of its own.
class Pieces {
public:
    explicit Pieces(std::string_view media_type, Level level = Level::enforce,
                    std::string_view content = row)
        : contract_{load_document(document_with(media_type, content))},
          type_{contract_->find_operation("send")->request_body->media_types.front()},
          levels_{LevelTable::compile(*contract_, {level, level, level}, {}).table}, items_{type_} {
    }

    // The bytes that pass after the next piece.
    std::string take(std::string_view piece, MoreFollow more = MoreFollow::yes) {
        held_ += piece;
        Body const body{held_};
        auto const valid =
            items_.take(body.view(), more, {validator_, contract_->conditions_for({}), levels_});
        auto passed = held_.substr(0, valid);
        held_.erase(0, valid);
        return passed;
    }
    [[nodiscard]] Report& report() { return items_.report(); }

private:
    std::shared_ptr<Contract const> contract_;
    MediaType const& type_;
    LevelTable levels_;
    Validator validator_;
    ItemValidator items_;
    std::string held_;
};

} // namespace

TEST_CASE("each line is validated by itself") {
    BodyChecker lines{"application/x-ndjson", row};
    CHECK(lines.verdict("") == "valid");
    CHECK(lines.verdict("{\"n\":1}") == "valid");
    CHECK(lines.verdict("{\"n\":1}\n{\"n\":2}\n") == "valid");
    CHECK(lines.verdict("{\"n\":1}\r\n {\"n\":2}\t\r\n") == "valid");
    CHECK(lines.verdict("{\"n\":1}\n{\"n\":10}\n{\"n\":11}") == "/1/n must be at most 9");
    CHECK(lines.verdict("{\"n\":1}\n[]") == "/1 must be an object, not an array");
    // What some readers skip, others do not.
    CHECK(lines.verdict("{\"n\":1}\n\n{\"n\":2}") == "malformed: empty_item");
    CHECK(lines.verdict("{\"n\":1}\n \r\n") == "malformed: empty_item");
    CHECK(lines.verdict("\n") == "malformed: empty_item");
    CHECK(lines.verdict("{\"n\":1} {\"n\":2}\n") == "malformed: trailing_bytes");
    CHECK(lines.verdict("{\"n\":1}\r{\"n\":2}\n") == "malformed: trailing_bytes");
    CHECK(lines.verdict("{\"n\":\n1}\n") == "malformed: not_json");
    CHECK(lines.verdict("\xEF\xBB\xBF{\"n\":1}\n") == "malformed: byte_order_mark");
    CHECK(lines.verdict("{\"n\":1,\"n\":2}") == "malformed: duplicate_member");
}

TEST_CASE("each text of a sequence is validated by itself") {
    BodyChecker sequence{"application/geo+json-seq", row};
    CHECK(sequence.verdict("") == "valid");
    CHECK(sequence.verdict("\x1E{\"n\":1}\n") == "valid");
    CHECK(sequence.verdict("\x1E{\"n\":\n1}\n\x1E{\"n\":2}\r\n") == "valid");
    CHECK(sequence.verdict("\x1E{\"n\":1}\n\x1E{\"n\":10}\n") == "/1/n must be at most 9");
    CHECK(sequence.verdict("{\"n\":1}\n") == "malformed: no_record_separator");
    CHECK(sequence.verdict("\n\x1E{\"n\":1}\n") == "malformed: no_record_separator");
    CHECK(sequence.verdict("\x1E{\"n\":1}") == "malformed: unfinished_record");
    CHECK(sequence.verdict("\x1E{\"n\":1}\x1E{\"n\":2}\n") == "malformed: unfinished_record");
    CHECK(sequence.verdict("\x1E") == "malformed: unfinished_record");
    CHECK(sequence.verdict("\x1E\x1E{\"n\":1}\n") == "malformed: unfinished_record");
    CHECK(sequence.verdict("\x1E\n") == "malformed: empty_item");
    CHECK(sequence.verdict("\x1E{\"n\":1}\n{\"n\":2}\n") == "malformed: trailing_bytes");
}

TEST_CASE("where a body is cut makes no difference") {
    for (auto const& [type, body] : std::initializer_list<std::pair<std::string_view, std::string>>{
             {"application/jsonl", "{\"n\":1}\n {\"n\":2}\r\n{\"n\":3}\n{\"n\":4}"},
             {"application/json-seq", "\x1E{\"n\":1}\n\x1E{\"n\":\n2}\n\x1E{\"n\":3}\n"}}) {
        for (std::size_t size = 1; size <= body.size(); ++size) {
            CAPTURE(type, size);
            Pieces pieces{type};
            std::string passed;
            for (std::size_t at = 0; at < body.size(); at += size)
                passed += pieces.take(body.substr(at, size));
            passed += pieces.take("", MoreFollow::no);
            CHECK(passed == body);
            CHECK(pieces.report().outcome == Outcome::valid);
        }
    }
}

TEST_CASE(
    "an item passes when it is complete and valid, and nothing passes after one that is not") {
    Pieces lines{"application/jsonl"};
    CHECK(lines.take("{\"n\":").empty());
    CHECK(lines.take("1}").empty());
    CHECK(lines.take("\n{\"n\":2}\n{\"n") == "{\"n\":1}\n{\"n\":2}\n");
    CHECK(lines.take("\":3}\n{\"n\":10}\n{\"n\":4}\n") == "{\"n\":3}\n");
    REQUIRE(lines.report().outcome == Outcome::violated);
    CHECK(verdict_of(lines.report()) == "/3/n must be at most 9");
}

TEST_CASE("the place of what is malformed is its offset in the whole body") {
    Pieces lines{"application/jsonl"};
    CHECK(lines.take("{\"n\":1}\n") == "{\"n\":1}\n");
    CHECK(lines.take("{\"n\":2}\n{\"n\":x}\n") == "{\"n\":2}\n");
    CHECK(lines.report().malformed == Malformed::not_json);
    CHECK(lines.report().offset == 21);

    Pieces sequence{"application/json-seq"};
    CHECK(sequence.take("\x1E{\"n\":1}\n\x1E{\"n\":x}\n", MoreFollow::no) == "\x1E{\"n\":1}\n");
    CHECK(sequence.report().offset == 15);
}

TEST_CASE("violations of many items that are only reported are bounded and counted") {
    Pieces lines{"application/jsonl", Level::report};
    constexpr std::size_t count = 1000;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(lines.take("{\"n\":10,\"other\":1}\n").size() == 19);
        kept += lines.report().reported.size();
        if (i == 1) CHECK(lines.report().reported.at(0).pointer == "/1/n");
        lines.report().reported.clear(); // as if they were recorded
    }
    CHECK(lines.report().outcome == Outcome::valid);
    CHECK(kept == max_violations);
    REQUIRE(lines.report().not_kept.size() == 1);
    CHECK(lines.report().not_kept[0].count == count - max_violations);
    CHECK(lines.report().more_reported);
    CHECK(lines.report().unknown_members == count);
}

TEST_CASE("an undeclared name has its place for its sender too") {
    BodyChecker lines{"application/jsonl",
                      "{itemSchema: {type: object, additionalProperties: {type: integer}}}"};
    auto const& report = lines.check("{\"a\":1}\n{\"b\":\"x\"}");
    REQUIRE(report.violations.size() == 1);
    CHECK(report.violations[0].pointer == "/1/*");
    CHECK(message_of(report.violations[0]) == "/1/b must be an integer, not a string");
}

TEST_CASE(
    "the schema of an array of items is that of each item, and other schemas of all are not") {
    // Before 3.2 documents have nothing but `schema`.
    BodyChecker array{"application/jsonl", "{schema: {type: array, items: {type: integer}}}"};
    CHECK(array.verdict("1\n2") == "valid");
    CHECK(array.verdict("1\n[2]") == "/1 must be an integer, not an array");
    BodyChecker object{"application/jsonl", "{schema: {type: object, required: [n]}}"};
    CHECK(object.verdict("{\"n\":1}\n{}") == "/1/n is required");
    BodyChecker bytes{"application/jsonl", "{schema: {type: string}}"};
    CHECK_FALSE(bytes.type().schema);
    BodyChecker both{"application/jsonl", "{schema: {}, itemSchema: {type: integer}}"};
    CHECK(both.verdict("x") == "malformed: not_json");
    using Problems = std::vector<std::string>;
    CHECK(problems_of(
              document_with("application/jsonl", "{schema: {type: array, minItems: 2, items: {}}}"))
          == Problems{
              R"(api.yaml:9:39: paths["/v1/a"].post.requestBody.content["application/jsonl"].)"
              R"(schema: rules for bodies of "application/jsonl" are not implemented; )"
              R"(write itemSchema)"});
    CHECK(problems_of(document_with("application/json", "{itemSchema: {type: object}}"))
          == Problems{
              R"(api.yaml:9:42: paths["/v1/a"].post.requestBody.content["application/json"].)"
              R"(itemSchema: the items of "application/json" are not checked against it; )"
              R"(it is for JSON Lines, JSON text sequences, event streams and multipart without )"
              R"(names)"});
}

namespace {

// As in OpenAPI 3.2, 4.14.4, and limits to violate.
constexpr std::string_view event = R"({itemSchema: {type: object, required: [data],
            additionalProperties: false, properties: {data: {type: string, maxLength: 9},
            event: {enum: [add, remove]}, id: {type: string}, retry: {type: integer,
            maximum: 99}}}})";

} // namespace

TEST_CASE("each event of a stream is validated as an object of its fields") {
    BodyChecker events{"text/event-stream", event};
    CHECK(events.verdict("") == "valid");
    CHECK(events.verdict("data: a\n\n") == "valid");
    CHECK(events.verdict("data: a\nevent: add\nid: 1\nretry: 5\n\ndata: b\n\n") == "valid");
    CHECK(events.verdict("data: a\r\nevent: remove\r\n\r\ndata:b\r\n\r\n") == "valid");
    CHECK(events.verdict("data: a\n\nevent: put\ndata: a\n\n")
          == "/1/event must be \"add\" or \"remove\"");
    CHECK(events.verdict("data: a\r\n\r\nevent: put\r\ndata: a\r\n\r\n")
          == "/1/event must be \"add\" or \"remove\"");
    CHECK(events.verdict("data: a\nretry: 100\n\n") == "/0/retry must be at most 99");
    // All values but `retry` are strings.
    BodyChecker number{"text/event-stream",
                       "{itemSchema: {properties: {data: {type: integer}, id: {const: '5'}}}}"};
    CHECK(number.verdict("data: 5\n\n") == "/0/data must be an integer, not a string");
    CHECK(number.verdict("id: 5\n\n") == "valid");
}

TEST_CASE("the lines of an event are read as browsers read them") {
    // HTML Living Standard, 9.2.6
    auto const as_json = [](std::string_view lines) {
        std::string json;
        auto const fault = read_event(lines, json);
        return fault == Malformed::none ? json : std::string{name_of(fault)};
    };
    CHECK(as_json("data: a\ndata:b\ndata:  c\n\n") == R"({"data":"a\u000ab\u000a c"})");
    CHECK(as_json("data\n\n") == R"({"data":""})");
    CHECK(as_json("data\ndata\n\n") == R"({"data":"\u000a"})");
    CHECK(as_json("data: a: b\n") == R"({"data":"a: b"})");
    CHECK(as_json("data: \"\\\n") == R"({"data":"\"\\"})");
    CHECK(as_json("event:e\nid\ndata:d\n") == R"({"event":"e","data":"d","id":""})");
    CHECK(as_json(": data: a\n\n").empty());
    CHECK(as_json("\n").empty());
    CHECK(as_json("\r\n").empty());
    CHECK(as_json("other: a\nx\n\n").empty());
    CHECK(as_json("retry: 0070\n") == R"({"retry":70})");
    CHECK(as_json("retry: 000\n") == R"({"retry":0})");
    // Ignored: not digits alone.
    for (auto const* const value : {"", " ", "5 ", "-5", "5.0", "+5", "five"})
        CHECK(as_json("retry:"s + value + "\n\n").empty());
}

TEST_CASE("an event that readers could take for another one is refused") {
    BodyChecker events{"text/event-stream", event};
    CHECK(events.verdict("data: a\revent: add\n\n") == "malformed: bare_cr");
    CHECK(events.verdict("data: a\r\r\n\n") == "malformed: bare_cr");
    CHECK(events.verdict("data: a\r") == "malformed: bare_cr");
    CHECK(events.verdict(": a\rb\n\n") == "malformed: bare_cr");
    CHECK(events.verdict("event: add\nevent: add\ndata: a\n\n") == "malformed: duplicate_field");
    CHECK(events.verdict("id: 1\nid: 1\ndata: a\n\n") == "malformed: duplicate_field");
    CHECK(events.verdict("retry: x\nretry: 1\ndata: a\n\n") == "malformed: duplicate_field");
    CHECK(events.verdict("id: a\0b\ndata: a\n\n"s) == "malformed: nul");
    CHECK(events.verdict("\xEF\xBB\xBF" "data: a\n\n") == "malformed: byte_order_mark");
    CHECK(events.verdict("data: \xFF\n\n") == "malformed: invalid_utf8");
    for (auto const* const name : {"Data", "EVENT", " id", "retry ", "\tdata", "data\x0B"}) {
        CAPTURE(name);
        CHECK(events.verdict("data: a\n"s + name + ": 1\n\n") == "malformed: disguised_field");
    }
    CHECK(events.verdict("data: a\nData\n\n") == "malformed: disguised_field");
    CHECK(events.verdict("data: a\ndata-x: 1\nda ta: 2\n\n") == "valid");
    // Browsers ignore both; other readers do not.
    CHECK(events.verdict("event: add\n\n") == "/0/data is required");
    CHECK(events.verdict("data: a\n\nevent: put\ndata: a\n")
          == "/1/event must be \"add\" or \"remove\"");
    CHECK(events.verdict("data: a") == "valid");
}

TEST_CASE("comments pass, and are no events") {
    BodyChecker events{"text/event-stream", event};
    CHECK(events.verdict(": hello\n\n\n: again\nunknown: 1\n\ndata: 1234567890\n\n")
          == "/0/data must have at most 9 characters");
    CHECK(events.verdict("\n\n: end") == "valid");
}

TEST_CASE("where an event stream is cut makes no difference") {
    auto const body =
        ": c\r\n\r\ndata: a\ndata: b\n\nid: 1\r\ndata: c\r\n\r\n\ndata: d\n"s;
    for (std::size_t size = 1; size <= body.size(); ++size) {
        CAPTURE(size);
        Pieces pieces{"text/event-stream", Level::enforce, event};
        std::string passed;
        for (std::size_t at = 0; at < body.size(); at += size)
            passed += pieces.take(body.substr(at, size));
        CHECK(passed == body.substr(0, body.size() - 8));
        passed += pieces.take("", MoreFollow::no);
        CHECK(passed == body);
        CHECK(pieces.report().outcome == Outcome::valid);
    }
}

TEST_CASE("an event passes with its blank line, and nothing passes after one that is not valid") {
    Pieces events{"text/event-stream", Level::enforce, event};
    CHECK(events.take("data: a\n").empty());
    CHECK(events.take("\ndata: b\n\nda") == "data: a\n\ndata: b\n\n");
    CHECK(events.take("ta: 1234567890\n").empty());
    CHECK(events.take("\ndata: c\n\n").empty());
    CHECK(verdict_of(events.report()) == "/2/data must have at most 9 characters");
    Pieces malformed{"text/event-stream", Level::enforce, event};
    CHECK(malformed.take("data: a\n\ndata: \xFF\n\n") == "data: a\n\n");
    CHECK(malformed.report().offset == 9);
}

TEST_CASE("events are described by itemSchema, or by an array in OpenAPI 3.2") {
    constexpr std::string_view array = "{schema: {type: array, items: {required: [id]}}}";
    BodyChecker now{"text/event-stream", array, "3.2.0"};
    CHECK(now.verdict("data: a\n\n") == "/0/id is required");
    BodyChecker before{"text/event-stream", array};
    CHECK_FALSE(before.type().schema);
    CHECK(before.contract().unchecked().size() == 1);
    BodyChecker text{"text/event-stream", "{schema: {type: string, maxLength: 3}}", "3.2.0"};
    CHECK(text.verdict("data: a\n\n") == "the body must have at most 3 characters");
}

TEST_CASE("the items of other bodies, and of event streams in responses, are told as unchecked") {
    auto const csv = load_document(document_with("text/csv", "{itemSchema: {type: object}}"));
    REQUIRE(csv->unchecked().size() == 1);
    CHECK(csv->unchecked().front().what == R"(the items of "text/csv" are not checked against it)");
    auto const response = load_document(
        "openapi: 3.2.0\ninfo: {title: T}\npaths:\n  /a:\n    get:\n      operationId: o\n"
        "      responses: {'200': {description: d, content: {text/event-stream: {itemSchema: "
        "{required: [data]}}}}}\n");
    REQUIRE(response->unchecked().size() == 1);
    CHECK(response->unchecked().front().what
          == R"(the items of "text/event-stream" are not checked against it in responses)");
    CHECK(response->find_operation("o")->unchecked_in_responses.size() == 1);
    CHECK_FALSE(response->find_operation("o")->response_schema(200, "text/event-stream"));
}

} // namespace items_test
