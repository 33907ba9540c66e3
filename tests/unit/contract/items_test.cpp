// Bodies that are a series of JSON texts.
#include "gateway/contract/items.h"

#include "tests/unit/contract/form_support.h"

#include <catch2/catch.hpp>

#include <utility>

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view row = R"({itemSchema: {type: object, required: [n],
            properties: {n: {type: integer, maximum: 9}}}})";

// The bodies of one type, in pieces: each in an allocation of its own.
class Pieces {
public:
    explicit Pieces(std::string_view media_type, Level level = Level::enforce)
        : contract_{load_document(document_with(media_type, row))},
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
              R"(it is for JSON Lines and JSON text sequences)"});
    auto const events =
        load_document(document_with("text/event-stream", "{itemSchema: {type: object}}"));
    REQUIRE(events->unchecked().size() == 1);
    CHECK(events->unchecked().front().what
          == R"(the items of "text/event-stream" are not checked against it)");
}
