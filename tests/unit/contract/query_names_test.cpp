// Query names that an upstream could read as a declared parameter, which was not validated.
#include "support.h"

#include <catch2/catch.hpp>

#include <string>

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

std::string judge(std::string_view query) {
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
    CHECK(judge("a=1;limit=99") == "limit");
    CHECK(judge("a=1;limit=5") == "limit");
    CHECK(judge("a;limit") == "limit");
    CHECK(judge(";limit=99") == "limit");
    CHECK(judge("limit=5;limit=99") == "limit");
    CHECK(judge("a=1&amp;limit=99") == "limit");
    CHECK(judge("a=1;l%69mit=99") == "limit");
    CHECK(judge("a=1;b=2;deep[n]=x") == "deep");
    CHECK(judge("a=1;after=x") == "window");
    CHECK(judge("a=1;b=2;c") == "valid");
    CHECK(judge("a=1;b=2&limit=5") == "valid");
    CHECK(judge("tag=a;b") == "valid");
    CHECK(judge("a=1%3Blimit=99") == "valid");
}

TEST_CASE("a name that becomes a declared one without its white space is refused") {
    for (auto const name :
         {"+limit", "%20limit", "limit+", "limit%20", "%09limit", "limit%0a", "limit%00",
          "limit%00x", "%00limit", "+%20limit", "limit%7f", "%0Dlimit"}) {
        INFO(name);
        bool const is_cut = std::string_view{name} == "%00limit"; // nothing is left of it
        CHECK(judge(std::string{name} + "=99") == (is_cut ? "valid" : "limit"));
        CHECK(judge(std::string{name} + "=5") == (is_cut ? "valid" : "limit"));
    }
    CHECK(judge("+deep[n]=x") == "deep");
    CHECK(judge("+after=x") == "window");
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
            CHECK(judge(name + "=99") == "limit");
            CHECK(judge(name + "=5") == "limit");
        }
        CHECK(judge("deep" + unseen + "[n]=x") == "deep");
        CHECK(judge("deep[" + unseen + "n]=x") == "deep");
        CHECK(judge("after" + unseen + "=x") == "window");
    }
    // Letters are visible, and so are invalid characters.
    CHECK(judge("limit%C3%A9=99&%E2%82%AClimit=99&limit%C2=99&limit%A0=99&limit%80%8B=99")
          == "valid");
    CHECK(judge("li%C2%A0mit=99") == "valid");
}

TEST_CASE("a query may have at most 256 pairs") {
    auto const query = [](std::string_view pair, int count) {
        std::string text{"limit=5"};
        for (int i = 1; i < count; ++i)
            text.append("&").append(pair);
        return text;
    };
    constexpr std::string_view refused = "the query must contain at most 256 names with values";
    CHECK(judge(query("tag=a", 256)) == "valid");
    CHECK(judge(query("tag=a", 257)) == refused);
    CHECK(judge(query("other", 256)) == "valid");
    CHECK(judge(query("other", 257)) == refused);
    CHECK(judge(query("", 257)) == refused); // empty pairs count too
    CHECK(judge(query("a;b", 129)) == refused);
    CHECK(judge(query("a;b", 128)) == "valid");
    // Values with semicolons count, too: some parsers separate pairs there.
    CHECK(judge("x=" + std::string(255, ';')) == "valid");
    CHECK(judge("x=" + std::string(256, ';')) == refused);
    CHECK(judge("x=" + std::string(4'000, 'y')) == "valid");
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
    auto const ask = [&](std::string const& query) {
        auto const& report = validator.check_query(operation, query, {}, {});
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    };
    for (int i = 0; i < 300; ++i) {
        std::string const name = "parameter" + std::to_string(i);
        CHECK(ask(name + '=' + std::to_string(i)) == "valid");
        CHECK(ask(name + '=' + std::to_string(i + 1))
              == name + " must be at most " + std::to_string(i));
        CHECK(operation.query_parameter_of(name) == name);
        CHECK(ask("Parameter" + std::to_string(i) + "=1").find(name + " must have its exact name")
              == 0);
    }
    CHECK(ask("deep[n]=x") == "deep/n must be an integer, not a string");
    CHECK(ask("one=x") == "spread/one must be an integer, not a string");
    CHECK(ask("any=long").find("spread/") == 0);
    CHECK(operation.query_parameter_of("any") == "spread");
    CHECK(operation.query_parameter_of("deep[x]") == "deep");
}

TEST_CASE("a name that becomes a declared one without its brackets is refused") {
    CHECK(judge("limit[]=99") == "limit");
    CHECK(judge("limit%5B%5D=99") == "limit");
    CHECK(judge("limit[0]=99") == "limit");
    CHECK(judge("limit[a][b]=99") == "limit");
    CHECK(judge("limit[=99") == "limit");
    CHECK(judge("limit=5&limit[]=99") == "limit");
    CHECK(judge("tag[]=long") == "tag");
    CHECK(judge("after[]=x") == "window");
    // Declared names that contain brackets.
    CHECK(judge("ids=x") == "ids[]");
    CHECK(judge("ids[0]=x") == "ids[]");
    CHECK(judge("ids[]=x") == "ids[]/0 must be an integer, not a string");
    CHECK(judge("ids[]=1&ids[]=2") == "valid");
    CHECK(judge("sort[by]x=other") == "sort[by]");
    for (auto const name : {"sort[by][]", "sort%5Bby%5D%5B%5D", "sort[by][x]", "sort[by][0]",
                            "sort[][by]", "a;sort[by][]", "Sort[By]", "sort[+by]", "+sort[by]"}) {
        INFO(name);
        CHECK(judge("sort[by]=age&" + std::string{name} + "=zzz") == "sort[by]");
    }
    CHECK(judge("sort[by]=age&sort[order]=up&sort=x&sort[bye]=1") == "valid");
    CHECK(judge("deep[n]=1") == "valid");
    CHECK(judge("[]=1&=1&[=1&[[]]=1") == "valid");
    CHECK(judge("[limit]=1") == "limit");
}

TEST_CASE(
    "a name that differs from a declared one in letter case or by PHP's conversion is refused") {
    CHECK(judge("LIMIT=99") == "limit");
    CHECK(judge("Limit=99") == "limit");
    CHECK(judge("page.size=99") == "page_size");
    CHECK(judge("page+size=99") == "page_size");
    CHECK(judge("page%20size=99") == "page_size");
    CHECK(judge("page[size=99") == "page_size");
    CHECK(judge("Deep[n]=x") == "deep");
    CHECK(judge("page-size=99&pagesize=99") == "valid");
}

TEST_CASE(
    "a name that parsers of dots, or of an object's name, take for a declared one is refused") {
    CHECK(judge("sort.by=zzz") == "sort[by]");
    CHECK(judge("deep.n=x") == "deep");
    CHECK(judge("tag.0=long") == "tag");
    CHECK(judge("tag+[]=long") == "tag");
    CHECK(judge("deep+[n]=x") == "deep");
    CHECK(judge("deep%09[n]=x") == "deep");
    CHECK(judge("window.after=x") == "window");
    CHECK(judge("window[after]=x") == "window");
    CHECK(judge("Window.After=x") == "window");
    // For the contract it is an undeclared property.
    CHECK(judge("deep[N]=x") == "deep");
    CHECK(judge("deep[+n]=x") == "deep");
    CHECK(judge("deep[n]=1&deep[m]=x&deep[nn]=x") == "valid");
    CHECK(judge("window.before=1&window=1&sort.order=1&x.limit=99") == "valid");
}

TEST_CASE("other names pass, and declared ones are validated") {
    CHECK(judge("limit=99") == "limit must be at most 10");
    CHECK(judge("l%69mit=99") == "limit must be at most 10");
    CHECK(judge("limit=5&page_size=5&tag=a&tag=b&other=x&limits=99&xlimit=99&limit.x=99")
          == "valid");
    CHECK(judge("%ff=1&%=1&a%zz=1&%00=1&+=1") == "valid");
    CHECK(judge("") == "valid");
    CHECK(judge("&&") == "valid");
}
