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
        {name + "--b--\r\n \r\n", "bytes_outside_parts"},
        {name + "--b--\n", "bytes_outside_parts"},
        {name + "--b--\r\n\r", "bytes_outside_parts"},
        {name + "--b--\r\n\n", "bytes_outside_parts"},
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
        {head + "\r\nX: a\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nContent-ID: <a>\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nContent-Length: 2\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nContent-Length: 01\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nContent-Length: \r\n\r\na\r\n" + last, "part_field"},
        // One reader takes the second field for the text of the first.
        {head + "\r\nContent-Length: 62\r\n\r\na\r\n" + part("count", "1") + last, "part_field"},
        {head + "\r\nContent-Encoding: identity\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\ntransfer-encoding: chunked\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nCONTENT-RANGE: bytes 0-0/1\r\n\r\na\r\n" + last, "part_field"},
        {head + "\r\nX: " + std::string(4096, 'a') + "\r\n\r\na\r\n" + last, "part_head_too_large"},
        {"--b\r\n\r\na\r\n" + last, "part_disposition"},
        {"--b\r\nContent-Disposition: attachment; name=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data;\tname=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data\t; name=\"name\"\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data; name='name'\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data; name=na%6de\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data; name*=UTF-8''name\r\n\r\na\r\n" + last,
         "part_disposition"},
        {"--b\r\nContent-Disposition: form-data\r\n\r\na\r\n" + last, "part_disposition"},
        {part("name", "a", "; name=\"other\"") + last, "part_disposition"},
        {part("name", "a", "; filename*=UTF-8''x") + last, "part_disposition"},
        {name + part("photo", "ab", "; filename*=UTF-8''x") + last, "part_disposition"},
        {name + part("photo", "ab", "; filename=x; filename*=UTF-8''y") + last, "part_disposition"},
        {name + part("photo", "ab", "; filename=x; filename*=x") + last, "part_disposition"},
        {name + part("photo", "ab", "; filename=x; filename*=utf-7''x") + last, "part_disposition"},
        {name + part("photo", "ab", "; filename=x; filename*=\"UTF-8''x\"") + last,
         "part_disposition"},
        {name + part("photo", "ab", "; filename=x; filename*=UTF-8''x; filename*=UTF-8''x") + last,
         "part_disposition"},
        {name + part("photo", "ab", "; filename=\"=?utf-8?B?eA=?=\"; filename*=UTF-8''x") + last,
         "part_disposition"},
        {name + part("photo", "ab", "; filename=\"=?utf-7?B?eA==?=\"; filename*=UTF-8''x") + last,
         "part_disposition"},
        {part("name", "a", file) + last, "part_disposition"},
        {part("na\\\"me", "a") + last, "part_disposition"},
        {part("name", "a", {}, "Content-Type: multipart/mixed; boundary=c\r\n") + last,
         "nested_multipart"},
        {part("name", "YQ==", {}, "Content-Transfer-Encoding: base64\r\n") + last,
         "transfer_encoding"},
        {part("name", "a", {}, "Content-Type: text/plain; charset=latin1\r\n") + last,
         "charset"},
        {part("name", "a", {}, "Content-Type: text/plain; charset=\"utf-7\"\r\n") + last,
         "charset"},
        {part("name", "a", {}, "Content-Type: text/plain; charset*=utf-7''\r\n") + last,
         "charset"},
        {part("name", "a", {}, "Content-Type: text/plain; x=\"charset=utf-7\"\r\n") + last,
         "charset"},
        {part("meta", "{}", "; filename=\"blob\"",
              "Content-Type: application/json; charset=utf-16\r\n")
             + last,
         "charset"},
        {name + part("_charset_", "utf-16") + last, "charset"},
        {name + part("_CHARSET_", "utf-7") + last, "charset"},
        {part("name", "\xc3\xa9", {}, "Content-Type: text/plain; charset=us-ascii\r\n") + last,
         "not_ascii"},
        {part("name", "\xc3\xa9") + part("_charset_", "us-ascii") + last, "not_ascii"},
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
    std::string headers;
    for (int i = 0; i < 15; ++i) {
        fields += "X-" + std::to_string(i) + ": a\r\n";
        headers += "X-" + std::to_string(i) + ": {schema: {type: string}}, ";
    }
    BodyChecker described{"multipart/form-data",
                          "{schema: {type: object, properties: {a: {type: string}}}, "
                          "encoding: {a: {headers: {"
                              + headers + "}}}}"};
    CHECK(described.verdict(part("a", "1", {}, fields) + last, "b") == "valid");
    CHECK(described.verdict(part("a", "1", {}, fields + "Y: a\r\n") + last, "b")
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
             name + "--b--\r\n\r\n",
             part("name", "a", {}, "Content-Type: text/plain;charset=utf8\r\n") + last,
             name + part("photo", "ab", file, png + "Content-Length: 2\r\n") + last,
             part("name", "a", {}, "Content-Length: 1\r\n") + last,
             part("name", "", {}, "Content-Length: 0\r\n") + last,
             name + part("raw", "\xff", file, "Content-Type: text/csv; charset=latin1\r\n") + last,
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

TEST_CASE("a multipart body may say that it is UTF-8, or US-ASCII as long as its texts are") {
    BodyChecker checker{"multipart/form-data",
                        "{schema: {type: object, properties: {a: {type: string}, f: {}}}}"};
    auto const binary = part("f", "\xff", file);
    for (auto const& body :
         {part("a", "\xc3\xa9") + part("_charset_", "UTF8"),
          part("_charset_", "us-ascii") + part("a", "e") + binary}) {
        CAPTURE(body);
        CHECK(checker.verdict(body + last, "b") == "valid");
    }
    Conditions const conditions = checker.contract().conditions_for({});
    for (auto const& [text, verdict] : std::vector<std::pair<std::string, std::string>>{
             {part("a", "e") + binary, "valid"},
             {part("a", "\xc3\xa9") + binary, "malformed: not_ascii"},
             {part("\xc3\xa9", "e"), "malformed: not_ascii"}}) {
        CAPTURE(text);
        Body const body{text + last};
        Validator validator;
        CHECK(verdict_of(validator.validate(checker.type(), {body.view(), "b", true}, conditions,
                                            {}))
              == verdict);
    }
}

TEST_CASE("a part as clients of HTTP write it is read") {
    BodyChecker checker{"multipart/form-data",
                        "{schema: {type: object, required: [token], properties: {token: "
                        "{type: string, maxLength: 3}, file: {type: string, format: binary}}}}"};
    auto const with = [](std::string const& head, std::string const& body = "abc") {
        return "--b\r\n" + head + "\r\n\r\n" + body + "\r\n";
    };
    std::string const disposition = "Content-Disposition: form-data; name=";
    struct Written {
        std::string client;
        std::string parts;
    };
    std::vector<Written> const rows{
        {"curl, browsers, Go, requests, httpx, form-data, axios, reqwest",
         with(disposition + "\"token\"")
             + with(disposition + "\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain")},
        {".NET HttpClient: a text, and a file",
         with("Content-Type: text/plain; charset=utf-8\r\n" + disposition + "token")
             + with(disposition + "file; filename=a.txt; filename*=utf-8''a.txt")},
        {".NET HttpClient: a file name with spaces",
         with(disposition + "token")
             + with(disposition + "file; filename=\"a b.txt\"; filename*=utf-8''a%20b.txt")},
        {".NET HttpClient: a file name beyond ASCII",
         with(disposition + "token")
             + with(disposition
                    + "file; filename=\"=?utf-8?B?w6kudHh0?=\"; filename*=utf-8''%C3%A9.txt")},
        {"Spring: lengths, and a file name as an encoded word",
         with(disposition
              + "\"token\"\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: 3")
             + with(disposition
                    + "\"file\"; filename=\"=?UTF-8?Q?=C3=A9_b.txt?=\"; "
                      "filename*=UTF-8''%C3%A9%20b.txt\r\nContent-Length: 3")},
        {"OkHttp", with(disposition + "\"token\"\r\nContent-Length: 3")
                       + with(disposition
                              + "\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain; "
                                "charset=utf-8\r\nContent-Length: 3")},
        {"Retrofit", with(disposition
                          + "\"token\"\r\nContent-Transfer-Encoding: binary\r\nContent-Type: "
                            "text/plain; charset=UTF-8\r\nContent-Length: 3")},
        {"Apache HttpClient, in UTF-8",
         with(disposition
              + "\"token\"\r\nContent-Type: text/plain; charset=UTF-8\r\n"
                "Content-Transfer-Encoding: 8bit")
             + with(disposition
                    + "\"file\"; filename=\"a.txt\"\r\nContent-Type: "
                      "application/octet-stream\r\nContent-Transfer-Encoding: binary")},
        {"Guzzle", with(disposition + "\"token\"\r\nContent-Length: 3")
                       + with(disposition
                              + "\"file\"; filename=\"a.txt\"\r\nContent-Length: 3\r\n"
                                "Content-Type: text/plain")},
        {"Faraday", with(disposition + "\"token\"")
                        + with(disposition
                               + "\"file\"; filename=\"a.txt\"\r\nContent-Length: 3\r\n"
                                 "Content-Type: text/plain\r\nContent-Transfer-Encoding: "
                                 "binary")},
        {"Ruby Net::HTTP", with(disposition + "\"token\"")
                               + with(disposition
                                      + "\"file\"; filename=\"a.txt\"\r\nContent-Type: "
                                        "application/octet-stream")},
        {"aiohttp", with("Content-Type: text/plain; charset=utf-8\r\n" + disposition + "\"token\"")
                        + with("Content-Type: text/plain\r\n" + disposition
                               + "\"file\"; filename=\"%C3%A9.txt\"")},
    };
    for (auto const& [client, parts] : rows) {
        CAPTURE(client);
        CHECK(checker.verdict(parts + last, "b") == "valid");
        // multipart-post, below Faraday, ended a body so for years.
        CHECK(checker.verdict(parts + "--b--\r\n\r\n", "b") == "valid");
        // The value is read, not skipped.
        auto changed = parts + last;
        changed.insert(changed.find("\r\n\r\nabc") + 4, "x");
        CHECK(checker.verdict(changed, "b") != "valid");
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
             "; boundary=\"charset=utf-7\"", "; boundary*=a", "; boundary*0=a", "; boundary=a; x=\"boundary=b\"",
             "; boundary=a, boundary=b", "; boundary=" + longest + "a"}) {
        CAPTURE(parameters);
        CHECK(found(parameters) == "none");
    }
}

TEST_CASE("a text in another charset than UTF-8 is not read") {
    using sallyport::text::Charset;
    CHECK(charset_of("text/plain") == Charset::utf_8);
    CHECK(charset_of("text/plain; charset=\"UTF-8\"; format=flowed") == Charset::utf_8);
    CHECK(charset_of("text/plain; charset=us-ascii") == Charset::us_ascii);
    for (auto const* const type :
         {"text/plain; charset=latin1", "text/plain; charset=utf-8; charset=utf-7",
          "text/plain; charset*=utf-7''x", "text/plain; charset", "text/plain;",
          "text/plain; xcharset=utf-7", "text/plain; a=\"charset=utf-7\""}) {
        CAPTURE(type);
        CHECK(charset_of(type) == Charset::other);
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
