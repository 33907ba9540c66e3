// Bodies of application/x-www-form-urlencoded, and texts.
#include "tests/unit/contract/form_support.h"

#include "gateway/contract/forms/urlencoded.h"

#include <catch2/catch.hpp>

namespace form_bodies_test {

using namespace sallyport::contract;
using namespace sallyport::contract::test;

namespace {

struct Row {
    std::string body;
    std::string verdict;
};

constexpr std::string_view form = "application/x-www-form-urlencoded";

constexpr std::string_view order = R"({schema: {type: object, additionalProperties: false,
            required: [name], properties: {name: {type: string, maxLength: 4},
            count: {type: integer, maximum: 9}, paid: {type: boolean}, rate: {type: number},
            tags: {type: array, maxItems: 2, items: {type: integer}},
            words: {type: array, items: {type: string}}, bars: {type: array, items: {type: integer}},
            place: {type: object, properties: {zip: {type: integer}}, required: [zip]},
            deep: {type: object, properties: {a: {type: integer}}, additionalProperties: false},
            flat: {type: object, properties: {x: {type: integer}}},
            spread: {type: object, properties: {one: {type: integer}}, additionalProperties: false},
            items: {type: array, items: {type: object, properties: {n: {type: integer}}}},
            any: {}, id: {type: [integer, string]}}},
            encoding: {words: {style: spaceDelimited, explode: false}, bars: {style: pipeDelimited, explode: false},
            deep: {style: deepObject, explode: true}, flat: {style: form, explode: false},
            spread: {style: form, explode: true}}})";

} // namespace

TEST_CASE("a form that parsers could read in two ways is refused") {
    BodyChecker checker{form, order};
    for (auto const& [body, verdict] : std::vector<Row>{
             {"", "malformed: empty"},
             {"name=%", "malformed: field_coding"},
             {"name=%4", "malformed: field_coding"},
             {"name=%zz", "malformed: field_coding"},
             {"n%61%me=a", "malformed: field_coding"},
             {"name=%ff", "malformed: field_coding"},
             {"name=\xff", "malformed: field_coding"},
             {"name=%C0%AF", "malformed: field_coding"},
             {"name=\xC3%A9", "malformed: field_coding"},
             {"name=a%00b", "malformed: nul"},
             {"name=a&name=b", "malformed: duplicate_field"},
             {"name=a&n%61me=b", "malformed: duplicate_field"},
             {"name=a&x=1&x=2", "malformed: duplicate_field"},
             {"name=a&tags=1&t%61gs=2", "malformed: field_spellings"},
             {"name=a&deep[a]=1&deep%5Ba%5D=2", "malformed: duplicate_field"},
             {"name=a&flat=x,1&flat=x,2", "malformed: duplicate_field"},
             {"name=a&flat=x,1,x,2", "malformed: duplicate_field"},
             {"name=a&flat=x", "malformed: field_style"},
             {"name=a&deep=1", "malformed: field_style"},
             {"name=a&deep[a][b]=1", "malformed: field_style"},
             {"name=a&place=1,\"zip\":2", "malformed: field_json"},
             {"name=a&place={\"zip\":1", "malformed: field_json"},
             {"name=a&place={\"zip\":1},\"x\":{}", "malformed: field_json"},
             {"name=a&place={\"zip\":1,\"zip\":2}", "malformed: duplicate_field"},
             {"name=a&items=1,2", "malformed: field_json"},
             {"name=a&name[]=b", "malformed: disguised_field"},
             {"name=a&NAME=b", "malformed: disguised_field"},
             {"name=a;count=3", "malformed: disguised_field"},
             {"name=a&_charset_=utf-7", "malformed: charset"},
             {"%5Fcharset_=iso-8859-1&name=a", "malformed: charset"},
             {"name=a&_Charset_=", "malformed: charset"},
             {"name=%C3%A9&_charset_=us-ascii", "malformed: not_ascii"},
         }) {
        CAPTURE(body);
        CHECK(checker.verdict(body) == verdict);
    }
}

TEST_CASE("a form may say that it is UTF-8, or US-ASCII as long as it is") {
    BodyChecker checker{form, "{schema: {type: object, properties: {a: {type: string}}}}"};
    for (std::string const body : {"a=%C3%A9&_charset_=UTF-8", "_charset_=utf8&a=%C3%A9",
                                   "a=e&_charset_=us-ascii", "a=e&_charset_=ASCII"}) {
        CAPTURE(body);
        CHECK(checker.verdict(body) == "valid");
    }
    Conditions const conditions = checker.contract().conditions_for({});
    for (auto const& [text, verdict] :
         std::vector<Row>{{"a=e", "valid"}, {"a=%C3%A9", "malformed: not_ascii"}}) {
        Body const body{text};
        Validator validator;
        CHECK(verdict_of(validator.validate(checker.type(), {body.view(), {}, true}, conditions, {}))
              == verdict);
    }
}

TEST_CASE("a form has at most 1,000 fields") {
    BodyChecker checker{form, "{schema: {type: object}}"};
    std::string body;
    for (int i = 0; i < 1000; ++i)
        body += (i == 0 ? "f" : "&f") + std::to_string(i) + "=1";
    CHECK(checker.verdict(body) == "valid");
    CHECK(checker.verdict(body + "&more=1") == "malformed: too_many_fields");
}

TEST_CASE("the fields of a form are the properties of its schema") {
    BodyChecker checker{form, order};
    for (auto const& [body, verdict] : std::vector<Row>{
             {"name=abcde", "/name must have at most 4 characters"},
             {"count=1", "/name is required"},
             {"name=a&count=10", "/count must be at most 9"},
             {"name=a&count=x", "/count must be an integer, not a string"},
             {"name=a&count=1.5", "/count must be an integer, not a number with a fraction"},
             {"name=a&count=", "/count must be an integer, not a string"},
             {"name=a&paid=1", "/paid must be a boolean, not a number"},
             {"name=a&tags=1&tags=2&tags=3", "/tags must have at most 2 items"},
             {"name=a&tags=1&tags=x", "/tags/1 must be an integer, not a string"},
             {"name=a&bars=1|x", "/bars/1 must be an integer, not a string"},
             {"name=a&place={}", "/place/zip is required"},
             {"name=a&place=%7B%22zip%22%3A%22x%22%7D",
              "/place/zip must be an integer, not a string"},
             {"name=a&deep[a]=x", "/deep/a must be an integer, not a string"},
             {"name=a&flat=x,y", "/flat/x must be an integer, not a string"},
             {"name=a&one=x", "/spread/one must be an integer, not a string"},
             {"name=a&items={\"n\":1}&items={\"n\":\"x\"}",
              "/items/1/n must be an integer, not a string"},
             {"name=a&other=1", "/other is not a property that the contract allows"},
         }) {
        CAPTURE(body);
        CHECK(checker.verdict(body) == verdict);
    }
}

TEST_CASE("a valid form passes in each style") {
    BodyChecker checker{form, order};
    for (auto const* const body : {"name=abcd",
                                   "name=%C3%A9t%C3%A9",
                                   "name=a+b",
                                   "name=a%20b",
                                   "name=\xC3\xA9",
                                   "n%61me=a",
                                   "name=a&count=9&paid=true&rate=1.5e3",
                                   "name=a&&count=1&",
                                   "name",
                                   "name=",
                                   "name=a&tags=1&tags=2",
                                   "name=a&words=a+b+c",
                                   "name=a&words=a%20b",
                                   "name=a&bars=1%7C2",
                                   "name=a&bars=1|2",
                                   "name=a&place=%7B%22zip%22%3A1%7D",
                                   "name=a&deep%5Ba%5D=1",
                                   "name=a&deep[a]=1",
                                   "name=a&flat=x%2C1",
                                   "name=a&flat=x,1",
                                   "name=a&one=1",
                                   "name=a&items={}&items={\"n\":1}",
                                   "name=a&any=%7B",
                                   "name=a&id=1",
                                   "name=a&id=x",
                                   "name=a%0D%0Ab"}) {
        CAPTURE(body);
        CHECK(checker.verdict(body) == "valid");
    }
}

TEST_CASE("the levels of a form are those of its rules") {
    BodyChecker checker{form, order};
    checker.set(Level::report);
    auto const& report = checker.check("name=abcde&count=10");
    CHECK(report.outcome == Outcome::valid);
    CHECK(report.reported.size() == 2);
    CHECK(checker.verdict("name=a&name=b") == "malformed: duplicate_field");
}

TEST_CASE("properties of any name and of a pattern have the types of their schemas") {
    BodyChecker checker{form, "{schema: {type: object, patternProperties: {'^n': {type: integer}}, "
                              "additionalProperties: {type: array, items: {type: boolean}}}}"};
    CHECK(checker.verdict("n1=1&x=true&x=false") == "valid");
    CHECK(checker.verdict("n1=a") == "/n1 must be an integer, not a string");
    CHECK(checker.verdict("x=true&x=2") == "/x/1 must be a boolean, not a number");
}

TEST_CASE("a field of several shapes is the first of them that is valid") {
    BodyChecker checker{
        form, "{schema: {type: object, properties: {a: {oneOf: [{type: string, pattern: '^[a-z]+$'},"
              " {type: array, items: {type: integer}}, {type: object, required: [n]}]},"
              " b: {type: [integer, object], maximum: 5}}}}"};
    for (auto const* const body :
         {"a=x", "a=1", "a=1&a=2", "a=%7B%22n%22:1%7D", "b=5", "b=%7B%7D", "a=x&b=5"}) {
        CAPTURE(body);
        CHECK(checker.verdict(body) == "valid");
    }
    for (auto const* const body :
         {"a=X", "a=x&a=y", "a=1&a=x", "a=%7B%22m%22:1%7D", "a=%7B%22n%22", "b=6", "b=x",
          "b=1&b=2"}) {
        CAPTURE(body);
        CHECK(checker.verdict(body) != "valid");
    }
}

TEST_CASE("a plain field is read as such, whatever style of objects encoding gives it") {
    std::string const content = "{schema: {properties: {a: {type: string, maxLength: 2}}}, "
                                "encoding: {a: {style: deepObject, explode: true}}}";
    BodyChecker checker{form, content};
    CHECK(checker.verdict("a=xy") == "valid");
    CHECK(checker.verdict("a=xyz") == "/a must have at most 2 characters");
    CHECK(checker.verdict("a[]=x") != "valid");
    auto const loaded = Contract::load_text(document_with(form, content), "api.yaml");
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems.front().what == "the style \"deepObject\" has no effect on a plain value");
}

TEST_CASE("a form that cannot be read as its schema says does not load") {
    auto const first = [](std::string_view content) {
        auto const problems = problems_of(document_with(form, content));
        return problems.front().substr(problems.front().find("content"));
    };
    CHECK(first("{schema: {properties: {a: {type: [string, array], items: {type: object}}}}}")
              .find("fields that may be a list of lists or objects, or something else")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {type: string}}}, encoding: {a: {style: tabbed}}}")
              .find("the style \"tabbed\" is unknown")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {type: array, items: {type: string}}}}, encoding: {a: "
                "{style: deepObject, explode: false}}}")
              .find("this style is not defined for the type of the property")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {type: object}}}, encoding: {a: {explode: true}}}")
              .find("takes fields of any name, and so does the form")
          != std::string::npos);
    CHECK(first("{schema: {properties: {a: {type: object, properties: {b: {type: [array, "
                "object]}}}}}, encoding: {a: {style: deepObject}}}")
              .find("may be a list or an object, which names with brackets do not show")
          != std::string::npos);
    CHECK(
        first("{schema: {properties: {a: {type: object, properties: {b: {type: string}}, "
              "additionalProperties: false}, b: {type: string}}}, encoding: {a: {explode: true}}}")
            .find("would belong to this parameter and to")
        != std::string::npos);
}

TEST_CASE("a text is a string in UTF-8, or the plain value of its schema") {
    BodyChecker text{"text/csv", "{schema: {type: string, maxLength: 3, pattern: '^[^x]*$'}}"};
    CHECK(text.verdict("a,b") == "valid");
    CHECK(text.verdict("\xC3\xA9\xC3\xA9\xC3\xA9") == "valid");
    CHECK(text.verdict("a,bc") == "the body must have at most 3 characters");
    CHECK(text.verdict("x").find("pattern") != std::string::npos);
    CHECK(text.verdict("a\xff") == "malformed: invalid_utf8");
    CHECK(text.check("a\xff").offset == 1U);
    CHECK(text.verdict("") == "malformed: empty");
    BodyChecker number{"text/plain", "{schema: {type: integer, maximum: 9}}"};
    CHECK(number.verdict("9") == "valid");
    CHECK(number.verdict("10") == "the body must be at most 9");
    CHECK(number.verdict("a") == "the body must be an integer, not a string");
    BodyChecker both{"text/plain", "{schema: {type: [integer, string], maximum: 9}}"};
    CHECK(both.verdict("10") == "valid");
}

TEST_CASE("a body of bytes has no schema") {
    for (auto const* const content :
         {"{}", "{schema: {}}", "{schema: true}", "{schema: {type: string}}",
          "{schema: {type: string, format: binary}}",
          "{schema: {$ref: '#/paths/~1v1~1a/post/x-bytes'}}"}) {
        CAPTURE(content);
        auto document = document_with("text/plain", content);
        document += "      x-bytes: {type: string, format: binary}\n";
        auto const contract = load_document(document);
        CHECK_FALSE(contract->find_operation("send")->request_body->media_types.front().schema);
    }
    auto const contract = load_document(
        document_with("image/png", "{schema: {type: string, format: binary, maxLength: 9}}"));
    CHECK_FALSE(contract->find_operation("send")->request_body->media_types.front().schema);
    CHECK(contract->unchecked().size() == 1);
}

} // namespace form_bodies_test
