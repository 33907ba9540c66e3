// Multipart bodies without names: their parts by position (OpenAPI 3.2, 4.14.5.2).
#include "tests/unit/contract/form_support.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/rule_list.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace parts_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::string_literals;

namespace {

constexpr std::string_view mixed = "multipart/mixed";
std::string const last = "--b--\r\n";

std::string part(std::string_view body, std::string_view fields = {}) {
    return "--b\r\n" + std::string{fields} + "\r\n" + std::string{body} + "\r\n";
}
std::string typed(std::string_view type, std::string_view body, std::string_view fields = {}) {
    return part(body, "Content-Type: " + std::string{type} + "\r\n" + std::string{fields});
}

// Bodies of one media type with the boundary `b`.
class Parts {
public:
    explicit Parts(std::string_view content, std::string_view media_type = mixed)
        : checker_{media_type, content, "3.2.0"} {}

    std::string verdict(std::string_view parts) {
        return checker_.verdict(std::string{parts} + last, "b");
    }
    BodyChecker& operator*() { return checker_; }
    BodyChecker* operator->() { return &checker_; }

private:
    BodyChecker checker_;
};

std::vector<std::string> problems_with(std::string_view content,
                                       std::string_view media_type = mixed) {
    auto const loaded =
        Contract::load_text(document_with(media_type, content, "3.2.0"), "api.yaml");
    std::vector<std::string> all;
    for (auto const& problem : loaded.problems) {
        auto const text = describe(problem);
        auto const at = text.find("multipart/");
        if (at != std::string::npos) all.push_back(text.substr(text.find("\"]", at) + 2));
    }
    return all;
}

using Problems = std::vector<std::string>;

// OpenAPI 3.2, 4.15.4.3.4: a document that describes an image, and the image.
constexpr std::string_view ordered = R"({schema: {type: array, minItems: 2, maxItems: 3,
            prefixItems: [{type: object, required: [author], properties: {author: {type: string}}},
            {minLength: 2, maxLength: 5}], items: {type: integer, maximum: 9}},
            prefixEncoding: [{}, {contentType: image/*, headers: {Content-Location:
            {required: true, schema: {type: string, maxLength: 4}}}}]})";

} // namespace

TEST_CASE("the parts of a multipart body without names are an array") {
    Parts parts{ordered};
    auto const author = typed("application/json", R"({"author":"a"})");
    auto const image = typed("image/png", "\xFF\xD8\0"s, "Content-Location: /a\r\n");
    CHECK(parts.verdict(author + image) == "valid");
    CHECK(parts.verdict(part(R"({"author":"a"})") + image + part("9")) == "valid");
    CHECK(parts.verdict(typed("application/json", "{}") + image) == "/0/author is required");
    CHECK(parts.verdict(author) == "the body must have at least 2 items");
    CHECK(parts.verdict("") == "the body must have at least 2 items");
    CHECK(parts.verdict(author + image + part("10")) == "/2 must be at most 9");
    CHECK(parts.verdict(author + image + part("x")) == "/2 must be an integer, not a string");
    CHECK(parts.verdict(author + image + part("1") + part("1"))
          == "the body must have at most 3 items");
    CHECK(parts.verdict(author + typed("text/css", "abc", "Content-Location: /a\r\n"))
          == "/1 must have the media type image/*");
    CHECK(parts.verdict(author + typed("image/png", "abc"))
          == "/1 (its field Content-Location) is required");
    CHECK(parts.verdict(author + typed("image/png", "abc", "Content-Location: /abcd\r\n"))
          == "/1 (its field Content-Location) must have at most 4 characters");
    CHECK(parts.verdict(author + typed("image/png", "a", "Content-Location: /\r\n"))
          == "/1 must have at least 2 bytes");
    CHECK(parts.verdict(author + typed("image/png", "abcdef", "Content-Location: /\r\n"))
          == "/1 must have at most 5 bytes");
    CHECK(parts.verdict(typed("application/json", R"({"author":)") + image)
          == "malformed: field_json");
    CHECK(parts.verdict(typed("application/json", R"({"author":"a","author":"b"})") + image)
          == "malformed: duplicate_member");
    CHECK(parts.verdict(author + image + part("\xFF")) == "malformed: field_coding");
    CHECK(parts.verdict(author + image + typed("text/plain; charset=utf-16", "1"))
          == "malformed: charset");
    for (std::string const field :
         {"Content-Encoding: gzip", "Transfer-Encoding: chunked", "Content-Length: 2"}) {
        CAPTURE(field);
        CHECK(parts.verdict(author + image + typed("text/plain", "1", field + "\r\n"))
              == "malformed: part_field");
    }
}

TEST_CASE("each part is validated by itself against itemSchema") {
    Parts objects{"{itemSchema: {type: object, required: [n], properties: {n: {maximum: 9}}}}"};
    CHECK(objects.verdict("") == "valid");
    CHECK(objects.verdict(part("{\"n\":1}") + part("{\"n\":2}")) == "valid");
    CHECK(objects.verdict(part("{\"n\":1}") + part("{\"n\":10}") + part("{}"))
          == "/1/n must be at most 9");
    CHECK(objects.verdict(part("[]")) == "/0 must be an object, not an array");
    // The array has no such rule.
    Parts texts{"{itemSchema: {type: string, maxLength: 2}}"};
    CHECK(texts.verdict(part("ab") + part("ab") + part("ab")) == "valid");
    CHECK(texts.verdict(part("ab") + part("abc")) == "/1 must have at most 2 characters");
    CHECK(texts.verdict(part("12") + part("{}")) == "valid");
    CHECK(texts.verdict(part("a\0"s)) == "malformed: nul");
    // A text that is a number for its schema too.
    Parts either{"{itemSchema: {type: [integer, string], maximum: 5, pattern: '^[0-9]$'}}"};
    CHECK(either.verdict(part("7") + part("5")) == "valid");
    // What is malformed is so behind a part that is not valid too.
    CHECK(objects.verdict(part("{}") + part("{\"n\"")) == "malformed: field_json");
}

TEST_CASE("the rules of many parts are reported with their positions") {
    Parts parts{R"({itemSchema: {type: object, required: [n]},
                itemEncoding: {contentType: application/json}})"};
    parts->set(Level::report);
    auto const& report = parts->check(part("{}") + part("{}") + last, "b");
    CHECK(report.outcome == Outcome::valid);
    REQUIRE(report.reported.size() == 4);
    std::vector<std::string> found;
    for (auto const& one : report.reported)
        found.push_back(message_of(one));
    CHECK(found
          == std::vector<std::string>{"/0/n is required", "/1/n is required",
                                      "/0 must have the media type application/json",
                                      "/1 must have the media type application/json"});
    std::vector<std::string> rules;
    for (auto const& rule : list_rules(parts->contract(), 0))
        rules.emplace_back(rule.pointer);
    CHECK(std::find(rules.begin(), rules.end(), "/itemEncoding/contentType") != rules.end());
}

TEST_CASE("encodings belong to positions: those of prefixEncoding, then itemEncoding") {
    // As in OpenAPI 3.2, 4.15.4.3.6 to 4.15.4.3.7.
    Parts images{"{itemSchema: {$comment: an image}, itemEncoding: {contentType: image/jpg}}"};
    CHECK(images.verdict(typed("image/jpg", "\xFF") + typed("image/jpg", "")) == "valid");
    CHECK(images.verdict(typed("image/jpg", "a") + typed("image/png", "a"))
          == "/1 must have the media type image/jpg");
    CHECK(images.verdict(part("a")) == "/0 must have the media type image/jpg");
    Parts first{R"({itemSchema: {}, prefixEncoding: [{contentType: application/json},
                {contentType: text/html}], itemEncoding: {contentType: image/png}})"};
    auto const page = typed("application/json", "{}") + typed("text/html", "<p>");
    CHECK(first.verdict(page) == "valid");
    CHECK(first.verdict(page + typed("image/png", "\xFF") + typed("image/png", "")) == "valid");
    CHECK(first.verdict(page + page)
          == "/2 must have the media type image/png; /3 must have the media type image/png");
    CHECK(first.verdict(typed("application/json", "{}")) == "valid");
    CHECK(first.verdict(typed("application/json", "{")) == "malformed: field_json");
    CHECK(first.verdict(typed("text/html", "{}"))
          == "/0 must have the media type application/json");
    // It is for all parts without prefixEncoding, also for those of prefixItems.
    Parts all{R"({schema: {prefixItems: [{type: string}], items: {type: string}},
              itemEncoding: {contentType: text/css}})"};
    CHECK(all.verdict(part("a") + part("b"))
          == "/0 must have the media type text/css; /1 must have the media type text/css");
    Parts ranges{R"({itemSchema: {}, itemEncoding: {contentType: video/mp4, headers: {Content-Range:
                 {required: true, content: {text/plain: {schema: {type: string}}}}}}})",
                 "multipart/byteranges"};
    CHECK(ranges.verdict(typed("video/mp4", "\xFF", "Content-Range: bytes 0-1/9\r\n")) == "valid");
    CHECK(ranges.verdict(typed("video/mp4", "\xFF"))
          == "/0 (its field Content-Range) is required");
}

TEST_CASE("a field that a header forbids, and text beside bytes, as in the example of OpenAPI") {
    // OpenAPI 3.2, 4.15.4.3.5
    Parts page{R"({schema: {prefixItems: [{type: string}], items: {anyOf: [{type: string},
               {$comment: binary}]}}, prefixEncoding: [{contentType: text/html, headers:
               {Content-ID: {schema: false}, Content-Location: {required: true,
               content: {text/plain: {schema: {type: string, format: uri}}}}}}],
               itemEncoding: {contentType: 'text/css,text/javascript,image/*'}})",
               "multipart/related"};
    auto const html = typed("text/html", "<p>", "Content-Location: https://a/b\r\n");
    CHECK(page.verdict(html + typed("image/png", "\xFF\0"s) + typed("text/css", "a")) == "valid");
    CHECK(page.verdict(typed("text/html", "<p>", "Content-Location: https://a/b\r\n"
                                                 "Content-ID: <a@b>\r\n"))
          == "/0 (its field Content-ID) must not be present");
    CHECK(page.verdict(typed("text/html", "<p>", "Content-Location: b\r\n"))
          == "/0 (its field Content-Location) must be a URI");
    CHECK(page.verdict(html + typed("video/mp4", ""))
          == "/1 must have the media type text/css or text/javascript or image/*");
}

TEST_CASE("a multipart body without names that parsers could split in two ways is refused") {
    Parts parts{"{itemSchema: {type: string}}"};
    BodyChecker& checker = *parts;
    std::vector<std::pair<std::string, std::string>> const rows{
        {"", "empty"},
        {"preamble\r\n" + part("a") + last, "bytes_outside_parts"},
        {part("a") + last + "epilogue", "bytes_outside_parts"},
        {part("a"), "no_last_boundary"},
        {"--b\r\na\r\n" + last, "part_head"},
        {"--b\n\na\n" + last, "boundary"},
        {part("a--b") + last, "boundary"},
        {part("a", "X: 1\r\nx: 2\r\n") + last, "part_head"},
        {typed("multipart/mixed; boundary=c", "--c--") + last, "nested_multipart"},
        {part("YQ==", "Content-Transfer-Encoding: base64\r\n") + last, "transfer_encoding"},
    };
    for (auto const& [body, reason] : rows) {
        CAPTURE(body);
        CHECK(checker.verdict(body, "b") == "malformed: " + reason);
    }
    CHECK(checker.verdict("\r\n" + part("a") + last, "b") == "valid");
    // RFC 2183: a part may have any disposition, which names nothing here.
    CHECK(parts.verdict(part("a", "Content-Disposition: attachment; filename=a.txt\r\n"))
          == "valid");
    std::string many;
    for (int i = 0; i < 1001; ++i)
        many += part("a");
    CHECK(parts.verdict(many) == "malformed: too_many_fields");
    // The last part of those that were read before it is not one of this body.
    CHECK(parts.verdict(part("a")) == "valid");
}

TEST_CASE("the boundary of types that have other parameters") {
    CHECK(find_boundary("multipart/related; type=\"text/html\"; boundary=b; start=\"<a@b>\"")
          == "b");
    CHECK(find_boundary("multipart/mixed;boundary=\"b c\"") == "b c");
    CHECK_FALSE(find_boundary("multipart/mixed"));
    CHECK_FALSE(find_boundary("multipart/mixed; boundary=b; boundary=c"));
    CHECK_FALSE(find_boundary("multipart/mixed; boundary=b; boundary*0=c"));
    CHECK_FALSE(find_boundary("multipart/mixed; boundary=b; type*=c"));
    CHECK_FALSE(find_boundary("multipart/form-data; boundary=b; type=c"));
    CHECK_FALSE(find_boundary("Multipart/Form-Data; boundary=b; type=c"));
}

TEST_CASE("encodings by position that break the specification are errors") {
    CHECK(problems_with("{itemEncoding: {}}")
          == Problems{": has encodings of parts, and no schema for them; write itemSchema, or the "
                      "schema of an array"});
    CHECK(problems_with("{schema: {type: object}, prefixEncoding: []}")
          == Problems{".schema: accepts no array, which the parts are; write the schema of an "
                      "array, or itemSchema"});
    CHECK(problems_with("{itemSchema: {}, prefixEncoding: {}}")
          == Problems{".prefixEncoding: must be a list of encodings"});
    CHECK(problems_with("{itemSchema: {}, itemEncoding: {}, encoding: {}}")
          == Problems{".encoding: cannot be used beside prefixEncoding and itemEncoding; remove "
                      "it"});
    CHECK(problems_with("{itemSchema: {}, itemEncoding: {contentType: image}}")
          == Problems{".itemEncoding.contentType: must be media types, separated by commas"});
    CHECK(problems_with("{itemSchema: {}, itemEncoding: []}").size() == 1);
}

TEST_CASE("what of parts cannot be enforced is told, and their bodies pass as bytes without it") {
    std::vector<std::pair<std::string_view, std::string_view>> const rows{
        // OpenAPI 3.2, 4.15.4.3.8: nested parts.
        {"{schema: {items: {type: array}}, itemEncoding: {contentType: multipart/mixed}}",
         ".schema.items: parts that consist of parts are not implemented"},
        {"{itemSchema: {type: array}, itemEncoding: {prefixEncoding: [{}]}}",
         ".itemEncoding.prefixEncoding: \"prefixEncoding\" of an encoding is not implemented; "
         "remove it"},
        {"{itemSchema: {type: [string, object]}}",
         ".itemSchema: parts that may be plain values, lists or objects are not implemented; write "
         "contentType: application/json"},
        {"{itemSchema: {type: object}, itemEncoding: {contentType: application/xml}}",
         ".itemSchema: lists and objects are not read from parts that may be of other media types "
         "than JSON; write contentType: application/json"},
        {"{itemSchema: {type: string}, itemEncoding: {contentType: 'application/json, text/css'}}",
         ".itemSchema: parts that may be JSON or of another media type are not implemented; write "
         "one of them, or a schema without rules"},
        {"{itemSchema: {pattern: a}}",
         ".itemSchema: files with pattern are not implemented; write minLength and maxLength "
         "alone"},
        {"{itemSchema: {maxLength: 5}, prefixEncoding: [{contentType: text/css}]}",
         ".itemSchema: a length for parts that are bytes and for others is not implemented; write "
         "one schema for each of them"},
        {"{schema: {items: {}, uniqueItems: true}}",
         ".schema: rules that look at all parts are not implemented for parts that are bytes; "
         "write prefixItems and items alone"},
    };
    for (auto const& [content, problem] : rows) {
        CAPTURE(content);
        CHECK(problems_with(content) == Problems{std::string{problem}});
        auto const lenient =
            Contract::load_text(document_with(mixed, content, "3.2.0"), "api.yaml",
                                {{}, {}, Unsupported::unchecked});
        REQUIRE(lenient.contract);
        CHECK_FALSE(lenient.contract->unchecked().empty());
        auto const* const operation = lenient.contract->find_operation("send");
        CHECK_FALSE(operation->request_body->media_types.front().schema);
        for (auto const& rule : list_rules(*lenient.contract, operation->index))
            CHECK(rule.pointer.starts_with("/responses/"));
    }
    // The schema of all parts is left out alone.
    auto const both = document_with(
        mixed, "{itemSchema: {type: string}, schema: {type: array, minItems: 1}}", "3.2.0");
    auto const loaded =
        Contract::load_text(both, "api.yaml", {{}, {}, Unsupported::unchecked}).contract;
    REQUIRE(loaded);
    CHECK(loaded->unchecked().size() == 1);
    CHECK(loaded->find_operation("send")->request_body->media_types.front().schema);
    CHECK(problems_with("{schema: {type: array}, prefixEncoding: [{}]}", "multipart/form-data")
          == Problems{".prefixEncoding: is not implemented for \"multipart/form-data\"; write "
                      "encoding"});
    auto const named = document_with("multipart/form-data",
                                     "{schema: {type: array}, prefixEncoding: [{}]}", "3.2.0");
    auto const unread =
        Contract::load_text(named, "api.yaml", {{}, {}, Unsupported::unchecked}).contract;
    REQUIRE(unread);
    CHECK_FALSE(unread->find_operation("send")->request_body->media_types.front().schema);
    CHECK(problems_with("{itemSchema: {}, itemEncoding: {}}", "multipart/digest")
          == Problems{".itemEncoding: is not implemented for \"multipart/digest\""});
}

TEST_CASE("a length for several parts with one schema is checked for each of them") {
    Parts parts{"{itemSchema: {maxLength: 2}, prefixEncoding: [{}, {contentType: image/png}]}"};
    CHECK(parts.verdict(part("ab") + typed("image/png", "ab") + part("ab")) == "valid");
    CHECK(parts.verdict(part("abc") + typed("image/png", "abc") + part("abc"))
          == "/0 must have at most 2 bytes; /1 must have at most 2 bytes; /2 must have at most 2 "
             "bytes");
}

TEST_CASE("what has no effect on parts is a warning") {
    CHECK(problems_with("{itemSchema: {}, encoding: {a: {}}}")
          == Problems{".encoding: has no effect: the parts have no names; write prefixEncoding or "
                      "itemEncoding"});
    CHECK(problems_with("{itemSchema: {}, itemEncoding: {style: form, headers: {Content-Type: "
                        "{schema: {}}}}}")
          == Problems{".itemEncoding.style: has no effect: it is for forms",
                      ".itemEncoding.headers.Content-Type: has no effect: use contentType"});
    for (std::string_view const word : {"itemEncoding", "prefixEncoding"}) {
        CAPTURE(word);
        auto const loaded = Contract::load_text(
            document_with("application/jsonl", "{" + std::string{word} + ": {}}", "3.2.0"), "a");
        REQUIRE(loaded.contract);
        REQUIRE(loaded.problems.size() == 1);
        CHECK(loaded.problems.front().what == "has no effect: it is for multipart bodies");
    }
}

TEST_CASE("before OpenAPI 3.2 an array says nothing about parts, and itemSchema does") {
    BodyChecker items{mixed, "{itemSchema: {type: integer}}"};
    CHECK(items.verdict(part("x") + last, "b") == "/0 must be an integer, not a string");
    BodyChecker array{mixed, "{schema: {type: array, items: {type: integer}}}"};
    CHECK_FALSE(array.type().schema);
    CHECK(array.contract().unchecked().size() == 1);
    BodyChecker counted{mixed, "{schema: {type: array, minItems: 1}}", "3.2.0"};
    CHECK(counted.verdict(part("\xFF") + last, "b") == "valid");
    CHECK(counted.verdict(last, "b") == "the body must have at least 1 item");
    BodyChecker named{mixed, "{schema: {type: object, properties: {a: {}}}}", "3.2.0"};
    CHECK_FALSE(named.type().schema);
    CHECK(named.contract().unchecked().size() == 1);
    BodyChecker free{mixed, "{}", "3.2.0"};
    CHECK_FALSE(free.type().schema);
    CHECK(free.contract().unchecked().empty());
}

TEST_CASE("the parts of responses are not checked, and told so") {
    auto const contract = load_document(
        "openapi: 3.2.0\ninfo: {title: T}\npaths:\n  /a:\n    get:\n      operationId: o\n"
        "      responses: {'200': {description: d, content: {multipart/mixed: {itemSchema: "
        "{type: string}, itemEncoding: {contentType: image/png}}}}}\n");
    REQUIRE(contract->unchecked().size() == 2);
    std::vector<std::string> places{contract->unchecked()[0].what, contract->unchecked()[1].what};
    std::sort(places.begin(), places.end());
    CHECK(places[0] == R"(the items of "multipart/mixed" are not checked against it in responses)");
    CHECK(places[1] == R"(the parts of "multipart/mixed" are not checked in responses)");
    CHECK_FALSE(contract->find_operation("o")->response_schema(200, mixed));
}

} // namespace parts_test
