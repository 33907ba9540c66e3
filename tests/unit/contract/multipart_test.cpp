// Bodies of multipart/form-data.
#include "tests/unit/contract/form_support.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/multipart.h"

#include <catch2/catch.hpp>

namespace multipart_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;
using namespace std::string_literals;

namespace {

std::string part(std::string_view name, std::string_view body, std::string_view rest = {},
                 std::string_view fields = {}) {
    std::string text = "--b\r\nContent-Disposition: form-data; name=\"";
    text.append(name).append("\"").append(rest).append("\r\n").append(fields);
    return text.append("\r\n").append(body).append("\r\n");
}
std::string const last = "--b--\r\n";
constexpr std::string_view file = "; filename=\"a.png\"";

constexpr std::string_view upload = R"({schema: {type: object, additionalProperties: false,
            required: [name], properties: {name: {type: string, maxLength: 4},
            count: {type: integer, maximum: 9}, tags: {type: array, items: {type: integer}},
            meta: {type: object, properties: {n: {type: integer}}},
            rows: {type: array, items: {type: object, properties: {n: {type: integer}}}},
            photo: {type: string, format: binary, minLength: 2, maxLength: 5},
            files: {type: array, maxItems: 2, items: {type: string, format: binary, maxLength: 3}},
            raw: {}}},
            encoding: {photo: {contentType: 'image/png, image/*', headers: {X-Rate: {required: true,
            schema: {type: integer, maximum: 3}}}}}})";

} // namespace

TEST_CASE("a multipart body that parsers could split in two ways is refused") {
    BodyChecker checker{"multipart/form-data", upload};
    auto const name = part("name", "a");
    std::string const head = "--b\r\nContent-Disposition: form-data; name=\"name\"";
    std::vector<std::pair<std::string, std::string>> const rows{
        {"", "empty"},
        {"x", "boundary"},
        {"x" + name + last, "bytes_outside_parts"},
        {"\n" + name + last, "bytes_outside_parts"},
        {"\r\n\r\n" + name + last, "bytes_outside_parts"},
        {name, "no_last_boundary"},
        {name + "--b", "boundary"},
        {name + "--b-", "boundary"},
        {name + "--b--x", "bytes_outside_parts"},
        {name + "--b--\r\n\r\n", "bytes_outside_parts"},
        {name + "--b--\n", "bytes_outside_parts"},
        {"--b \r\n" + name.substr(5) + last, "boundary"},
        {"--b\n" + name.substr(5) + last, "boundary"},
        {head + "\n\r\na\r\n" + last, "part_head"},
        {head + "\r\n\na\r\n" + last, "part_head"},
        {head + "\r\n\r\na\n" + last, "boundary"},
        {head + "\r\n\r\na--b\r\n" + last, "boundary"},
        {head + "\r\n\r\na\r\n--bc\r\n" + last, "boundary"},
        {head + "\r\n\r\n" + last, "boundary"},
        {head + ";\r\n\r\na\r\n" + last, "part_disposition"},
        {head + "\r\n x: y\r\n\r\na\r\n" + last, "part_head"},
        {head + "\r\nx y: z\r\n\r\na\r\n" + last, "part_head"},
        {head + "\r\nnothing\r\n\r\na\r\n" + last, "part_head"},
        {head + "\r\nX: a\r\nx: b\r\n\r\na\r\n" + last, "part_head"},
        {head + "\r\nX: " + std::string(4096, 'a') + "\r\n\r\na\r\n" + last, "part_head_too_large"},
        {"--b\r\n\r\na\r\n" + last, "part_disposition"},
        {"--b\r\nContent-Disposition: attachment; name=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data;\tname=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data\t; name=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data; name=name\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data\r\n\r\na\r\n" + last, "part_disposition"},
        {part("name", "a", "; name=\"other\"") + last, "part_disposition"},
        {part("name", "a", "; filename*=UTF-8''x") + last, "part_disposition"},
        {part("name", "a", file) + last, "part_disposition"},
        {part("na\\\"me", "a") + last, "part_disposition"},
        {part("name", "a", {}, "Content-Type: multipart/mixed; boundary=c\r\n") + last,
         "nested_multipart"},
        {part("name", "YQ==", {}, "Content-Transfer-Encoding: base64\r\n") + last,
         "transfer_encoding"},
        {part("name", "a", {}, "Content-Type: text/plain; charset=latin1\r\n") + last,
         "part_charset"},
        {name + part("_charset_", "utf-16") + last, "part_charset"},
        {part("name", "\xff") + last, "field_coding"},
        {part("na\xffme", "a") + last, "part_head"},
        {part("name", std::string(1, '\0')) + last, "nul"},
        {name + name + last, "duplicate_field"},
        {name + part("photo", "ab", file) + part("photo", "ab", file) + last, "duplicate_field"},
        {name + part("name[]", "a") + last, "disguised_field"},
        {name + part("meta", "{") + last, "field_json"},
        {name + part("meta", "{},\"x\":1") + last, "field_json"},
    };
    for (auto const& [body, reason] : rows) {
        CAPTURE(body);
        CHECK(checker.verdict(body, "b") == "malformed: " + reason);
    }
}

TEST_CASE("a multipart body has at most 1,000 parts, and a part 16 fields") {
    BodyChecker checker{"multipart/form-data", "{schema: {type: object}}"};
    std::string body;
    for (int i = 0; i < 1000; ++i)
        body += part("f" + std::to_string(i), "1");
    CHECK(checker.verdict(body + last, "b") == "valid");
    CHECK(checker.verdict(body + part("g", "1") + last, "b") == "malformed: too_many_fields");
    std::string fields;
    for (int i = 0; i < 15; ++i)
        fields += "X-" + std::to_string(i) + ": a\r\n";
    CHECK(checker.verdict(part("a", "1", {}, fields) + last, "b") == "valid");
    CHECK(checker.verdict(part("a", "1", {}, fields + "Y: a\r\n") + last, "b")
          == "malformed: part_head");
}

TEST_CASE("the parts of a multipart body are the properties of its schema") {
    BodyChecker checker{"multipart/form-data", upload};
    auto const name = part("name", "a");
    std::string const png = "Content-Type: image/png\r\nX-Rate: 1\r\n";
    std::vector<std::pair<std::string, std::string>> const rows{
        {part("name", "abcde"), "/name must have at most 4 characters"},
        {part("count", "1"), "/name is required"},
        {name + part("count", "10"), "/count must be at most 9"},
        {name + part("tags", "1") + part("tags", "x"), "/tags/1 must be an integer, not a string"},
        {name + part("meta", R"({"n":"x"})"), "/meta/n must be an integer, not a string"},
        {name + part("rows", R"({"n":1})") + part("rows", R"({"n":"x"})"),
         "/rows/1/n must be an integer, not a string"},
        {name + part("photo", "a", file, png), "/photo must have at least 2 bytes"},
        {name + part("photo", "abcdef", file, png), "/photo must have at most 5 bytes"},
        {name + part("photo", "abc", file, "X-Rate: 1\r\n"),
         "/photo must have the media type image/png or image/*"},
        {name + part("photo", "abc", file, "X-Rate: 1\r\nContent-Type: text/plain\r\n"),
         "/photo must have the media type image/png or image/*"},
        {name + part("photo", "abc", file, "Content-Type: image/png\r\n"),
         "/photo (its field X-Rate) is required"},
        {name + part("photo", "abc", file, "Content-Type: image/png\r\nX-Rate: 4\r\n"),
         "/photo (its field X-Rate) must be at most 3"},
        {name + part("files", "abc", file) + part("files", "abcd", file),
         "/files/1 must have at most 3 bytes"},
        {name + part("files", "a", file) + part("files", "", file) + part("files", "a", file),
         "/files must have at most 2 items"},
        {name + part("other", "a"), "/other is not a property that the contract allows"},
    };
    for (auto const& [body, verdict] : rows) {
        CAPTURE(body);
        CHECK(checker.verdict(body + last, "b") == verdict);
    }
}

TEST_CASE("a valid multipart body passes, whatever its files contain") {
    BodyChecker checker{"multipart/form-data", upload};
    auto const name = part("name", "a");
    std::string const png = "Content-Type: image/png\r\nX-Rate: 1\r\n";
    for (auto const& body : std::vector<std::string>{
             name + last,
             name + "--b--",
             "\r\n" + name + last,
             part("name", "") + last,
             part("name", "a\nb") + last,
             part("name", "a", {}, "content-type: Text/Plain; charset=US-ASCII\r\n") + last,
             part("name", "a", {}, "Content-Transfer-Encoding: 8BIT\r\n") + last,
             name + part("count", "9") + part("tags", "1") + part("tags", "2") + last,
             name
                 + part("meta", "{\"n\":1}", "; filename=\"blob\"",
                        "Content-Type: application/json\r\n")
                 + last,
             name + part("photo", "\xff\0\n"s, file, png) + last,
             name + part("photo", "ab", file, "Content-Type: image/gif\r\nX-Rate: 3\r\n") + last,
             name + part("files", "") + part("files", "a\r\n", file) + last,
             name + part("raw", "\xff\xff", file, "Content-Type: x/y\r\n") + last,
         }) {
        CAPTURE(body);
        CHECK(checker.verdict(body, "b") == "valid");
    }
}

TEST_CASE("the level of a rule for a part is that of the configuration") {
    BodyChecker checker{"multipart/form-data", upload};
    checker.set(Level::report);
    auto const body = part("name", "a") + part("photo", "a", file, "X-Rate: 9\r\n") + last;
    auto const& report = checker.check(body, "b");
    CHECK(report.outcome == Outcome::valid);
    CHECK(report.reported.size() == 3);
    checker.set(Level::off);
    CHECK(checker.check(body, "b").reported.empty());
}

TEST_CASE("the parts of a body are views of it, with their decoded names") {
    std::string const body = part("a%22%0D%0A%41", "x\r\n\r\ny", file) + last;
    Multipart parts{body, "b"};
    MultipartPart one;
    REQUIRE(parts.next(one) == Multipart::Next::part);
    CHECK(one.body == "x\r\n\r\ny");
    CHECK(one.body.data() > body.data());
    CHECK(one.file_name == "a.png");
    std::string name;
    CHECK(decode_part_name(one.name, name) == Malformed::none);
    CHECK(name == "a\"\r\n%41");
    CHECK(parts.next(one) == Multipart::Next::end);
}

TEST_CASE("a boundary has 1 to 70 characters, and all readers find the same") {
    auto const found = [](std::string_view parameters) {
        auto const value = "multipart/form-data" + std::string{parameters};
        return std::string{find_boundary(value).value_or("none")};
    };
    std::string const longest(70, 'a');
    CHECK(found("; boundary=abc") == "abc");
    CHECK(found(";boundary=\"a b:c\"") == "a b:c");
    CHECK(found("; BOUNDARY=a; charset=utf-8") == "a");
    CHECK(found("; boundary=" + longest) == longest);
    for (auto const& parameters : std::vector<std::string>{
             "", ";", "; boundary", "; boundary=", "; boundary=\"\"", "; boundary=\"a ",
             "; boundary=\"a \"", "; boundary=a b", "; boundary=a:b", "; boundary=\"a\\b\"",
             "; boundary=\"a\xc3\xa9\"", "; boundary=a; boundary=a", "; boundary=a;",
             "; boundary*=a", "; boundary*0=a", "; boundary=a; x=\"boundary=b\"",
             "; boundary=a, boundary=b", "; boundary=" + longest + "a"}) {
        CAPTURE(parameters);
        CHECK(found(parameters) == "none");
    }
}

TEST_CASE("a text in another charset than UTF-8 is not read") {
    CHECK(is_utf8_text("text/plain"));
    CHECK(is_utf8_text("text/plain; charset=\"UTF-8\"; format=flowed"));
    CHECK(is_utf8_text("text/plain; charset=us-ascii"));
    for (auto const* const type :
         {"text/plain; charset=latin1", "text/plain; charset=utf-8; charset=utf-7",
          "text/plain; charset*=utf-7''x", "text/plain; charset", "text/plain;"}) {
        CAPTURE(type);
        CHECK_FALSE(is_utf8_text(type));
    }
}

TEST_CASE("a file has no rules for its text") {
    auto const first = [](std::string_view content) {
        return problems_of(document_with("multipart/form-data", content)).front();
    };
    CHECK(first("{schema: {properties: {a: {type: string, format: binary, pattern: x}}}}")
              .find("files with pattern are not implemented")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {type: string, format: binary, enum: [x]}}}}")
              .find("files with enum or const are not implemented")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {}}}, encoding: {a: {contentType: png}}}")
              .find("must be media types, separated by commas")
          != std::string::npos);
}

} // namespace multipart_test
