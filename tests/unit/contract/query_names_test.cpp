// Query names that an upstream could read as a declared parameter, which was not validated.
#include "support.h"

#include <catch2/catch.hpp>

#include <string>

namespace query_names_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

constexpr std::string_view document = R"(
openapi: 3.1.0
info: { title: names, version: "1" }
paths:
  /v1/search:
    get:
      operationId: search
      parameters:
        - { name: limit, in: query, schema: { type: integer, maximum: 10 } }
        - { name: page_size, in: query, schema: { type: integer, maximum: 10 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string, maxLength: 3 } } }
        - { name: "ids[]", in: query, schema: { type: array, items: { type: integer } } }
        - { name: "sort[by]", in: query, schema: { enum: [name, age] } }
        - { name: deep, in: query, style: deepObject, schema: { type: object, properties: { n: { type: integer } } } }
        - { name: window, in: query, schema: { type: object, properties: { after: { type: integer } } } }
      responses: { "200": { description: fine } }
)";

std::string check(std::string_view query) {
    static auto const contract = load_document(document);
    Validator validator;
    auto const& report = validator.check_query(*contract->find_operation("search"), query, {}, {});
    if (report.outcome == Outcome::valid) return "valid";
    if (report.violations.front().rule != "name") return message_of(report.violations.front());
    CHECK(message_of(report.violations.front())
          == std::string{report.violations.front().name}
                 + " must have its exact name, and only & may separate it from others");
    return std::string{report.violations.front().name};
}

} // namespace

TEST_CASE("a declared parameter behind a semicolon is refused") {
    CHECK(check("a=1;limit=99") == "limit");
    CHECK(check("a=1;limit=5") == "limit");
    CHECK(check("a;limit") == "limit");
    CHECK(check(";limit=99") == "limit");
    CHECK(check("limit=5;limit=99") == "limit");
    CHECK(check("a=1&amp;limit=99") == "limit");
    CHECK(check("a=1;l%69mit=99") == "limit");
    CHECK(check("a=1;b=2;deep[n]=x") == "deep");
    CHECK(check("a=1;after=x") == "window");
    CHECK(check("a=1;b=2;c") == "valid");
    CHECK(check("a=1;b=2&limit=5") == "valid");
    CHECK(check("tag=a;b") == "valid");
    CHECK(check("a=1%3Blimit=99") == "valid");
}

TEST_CASE("a name that becomes a declared one without its white space is refused") {
    for (auto const name :
         {"+limit", "%20limit", "limit+", "limit%20", "%09limit", "limit%0a", "limit%00",
          "limit%00x", "%00limit", "+%20limit", "limit%7f", "%0Dlimit"}) {
        INFO(name);
        bool const is_cut = std::string_view{name} == "%00limit"; // nothing is left of it
        CHECK(check(std::string{name} + "=99") == (is_cut ? "valid" : "limit"));
        CHECK(check(std::string{name} + "=5") == (is_cut ? "valid" : "limit"));
    }
    CHECK(check("+deep[n]=x") == "deep");
    CHECK(check("+after=x") == "window");
}

TEST_CASE("a name that becomes a declared one without invisible characters is refused") {
    // No-break space, zero-width space, byte-order mark, next line, ideographic space, soft hyphen,
    // word joiner, left-to-right mark.
    for (std::string const unseen : {"%C2%A0", "%E2%80%8B", "%EF%BB%BF", "%C2%85", "%E3%80%80",
                                     "%C2%AD", "%E2%81%A0", "%E2%80%8E", "+%C2%A0%09"}) {
        INFO(unseen);
        for (auto const& name : {unseen + "limit", "limit" + unseen, unseen + "limit" + unseen,
                                 unseen + "LIMIT", "limit" + unseen + "[]"}) {
            INFO(name);
            CHECK(check(name + "=99") == "limit");
            CHECK(check(name + "=5") == "limit");
        }
        CHECK(check("deep" + unseen + "[n]=x") == "deep");
        CHECK(check("deep[" + unseen + "n]=x") == "deep");
        CHECK(check("after" + unseen + "=x") == "window");
    }
    // Letters are visible, and so are invalid characters.
    CHECK(check("limit%C3%A9=99&%E2%82%AClimit=99&limit%C2=99&limit%A0=99&limit%80%8B=99")
          == "valid");
    CHECK(check("li%C2%A0mit=99") == "valid");
}

TEST_CASE("a query may have at most 256 pairs") {
    auto const query = [](std::string_view pair, int count) {
        std::string text{"limit=5"};
        for (int i = 1; i < count; ++i)
            text.append("&").append(pair);
        return text;
    };
    constexpr std::string_view refused = "the query must contain at most 256 names with values";
    CHECK(check(query("tag=a", 256)) == "valid");
    CHECK(check(query("tag=a", 257)) == refused);
    CHECK(check(query("other", 256)) == "valid");
    CHECK(check(query("other", 257)) == refused);
    CHECK(check(query("", 257)) == refused); // empty pairs count too
    CHECK(check(query("a;b", 129)) == refused);
    CHECK(check(query("a;b", 128)) == "valid");
    // Values with semicolons count, too: some parsers separate pairs there.
    CHECK(check("x=" + std::string(255, ';')) == "valid");
    CHECK(check("x=" + std::string(256, ';')) == refused);
    CHECK(check("x=" + std::string(4'000, 'y')) == "valid");
}

TEST_CASE("a name is found among any number of declared ones") {
    std::string text = "openapi: 3.1.0\ninfo: { title: names }\npaths:\n  /v1/search:\n    get:\n"
                       "      operationId: search\n      parameters:\n";
    for (int i = 0; i < 300; ++i) {
        text += "        - { name: parameter" + std::to_string(i)
                + ", in: query, schema: { type: integer, maximum: " + std::to_string(i) + " } }\n";
    }
    text += "        - { name: deep, in: query, style: deepObject, schema: { type: object, "
            "properties: { n: { type: integer } } } }\n"
            "        - { name: spread, in: query, schema: { type: object, additionalProperties: "
            "{ maxLength: 2 }, properties: { one: { type: integer } } } }\n";
    auto const contract = load_document(text);
    auto const& operation = *contract->find_operation("search");
    Validator validator;
    auto const check_many = [&](std::string const& query) {
        auto const& report = validator.check_query(operation, query, {}, {});
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    };
    for (int i = 0; i < 300; ++i) {
        std::string const name = "parameter" + std::to_string(i);
        CHECK(check_many(name + '=' + std::to_string(i)) == "valid");
        CHECK(check_many(name + '=' + std::to_string(i + 1))
              == name + " must be at most " + std::to_string(i));
        CHECK(operation.query_parameter_of(name) == name);
        CHECK(check_many("Parameter" + std::to_string(i) + "=1")
                  .find(name + " must have its exact name")
              == 0);
    }
    CHECK(check_many("deep[n]=x") == "deep/n must be an integer, not a string");
    CHECK(check_many("one=x") == "spread/one must be an integer, not a string");
    CHECK(check_many("any=long").find("spread/") == 0);
    CHECK(operation.query_parameter_of("any") == "spread");
    CHECK(operation.query_parameter_of("deep[x]") == "deep");
}

TEST_CASE("a name that becomes a declared one without its brackets is refused") {
    CHECK(check("limit[]=99") == "limit");
    CHECK(check("limit%5B%5D=99") == "limit");
    CHECK(check("limit[0]=99") == "limit");
    CHECK(check("limit[a][b]=99") == "limit");
    CHECK(check("limit[=99") == "limit");
    CHECK(check("limit=5&limit[]=99") == "limit");
    CHECK(check("tag[]=long") == "tag");
    CHECK(check("after[]=x") == "window");
    // Declared names that contain brackets.
    CHECK(check("ids=x") == "ids[]");
    CHECK(check("ids[0]=x") == "ids[]");
    CHECK(check("ids[]=x") == "ids[]/0 must be an integer, not a string");
    CHECK(check("ids[]=1&ids[]=2") == "valid");
    CHECK(check("sort[by]x=other") == "sort[by]");
    for (auto const name : {"sort[by][]", "sort%5Bby%5D%5B%5D", "sort[by][x]", "sort[by][0]",
                            "sort[][by]", "a;sort[by][]", "Sort[By]", "sort[+by]", "+sort[by]"}) {
        INFO(name);
        CHECK(check("sort[by]=age&" + std::string{name} + "=zzz") == "sort[by]");
    }
    CHECK(check("sort[by]=age&sort[order]=up&sort=x&sort[bye]=1") == "valid");
    CHECK(check("deep[n]=1") == "valid");
    CHECK(check("[]=1&=1&[=1&[[]]=1") == "valid");
    CHECK(check("[limit]=1") == "limit");
}

TEST_CASE(
    "a name that differs from a declared one in letter case or by PHP's conversion is refused") {
    CHECK(check("LIMIT=99") == "limit");
    CHECK(check("Limit=99") == "limit");
    CHECK(check("page.size=99") == "page_size");
    CHECK(check("page+size=99") == "page_size");
    CHECK(check("page%20size=99") == "page_size");
    CHECK(check("page[size=99") == "page_size");
    CHECK(check("Deep[n]=x") == "deep");
    CHECK(check("page-size=99&pagesize=99") == "valid");
}

TEST_CASE(
    "a name that parsers of dots, or of an object's name, take for a declared one is refused") {
    CHECK(check("sort.by=zzz") == "sort[by]");
    CHECK(check("deep.n=x") == "deep");
    CHECK(check("tag.0=long") == "tag");
    CHECK(check("tag+[]=long") == "tag");
    CHECK(check("deep+[n]=x") == "deep");
    CHECK(check("deep%09[n]=x") == "deep");
    CHECK(check("window.after=x") == "window");
    CHECK(check("window[after]=x") == "window");
    CHECK(check("Window.After=x") == "window");
    // For the contract it is an undeclared property.
    CHECK(check("deep[N]=x") == "deep");
    CHECK(check("deep[+n]=x") == "deep");
    CHECK(check("deep[n]=1&deep[m]=x&deep[nn]=x") == "valid");
    CHECK(check("window.before=1&window=1&sort.order=1&x.limit=99") == "valid");
}

TEST_CASE("other names pass, and declared ones are validated") {
    CHECK(check("limit=99") == "limit must be at most 10");
    CHECK(check("l%69mit=99") == "limit must be at most 10");
    CHECK(check("limit=5&page_size=5&tag=a&tag=b&other=x&limits=99&xlimit=99&limit.x=99")
          == "valid");
    CHECK(check("%ff=1&%=1&a%zz=1&%00=1&+=1") == "valid");
    CHECK(check("") == "valid");
    CHECK(check("&&") == "valid");
}

} // namespace query_names_test
