// The owner of each pair of a query: exploded objects, brackets, and undeclared names.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::query_test {
namespace {

std::string document_with(std::string const& parameters) {
    return "openapi: 3.1.0\ninfo: { title: T }\npaths:\n  /v1/{id}:\n    get:\n"
           "      operationId: read\n      parameters:\n"
           "        - { name: id, in: path, required: true, schema: { type: integer, maximum: 5 } "
           "}\n"
           + parameters;
}

std::string query_parameter(std::string const& rest) {
    return "        - { in: query, " + rest + " }\n";
}

class Api {
public:
    explicit Api(std::string const& parameters, std::vector<LevelOverride> const& overrides = {})
        : contract_{load_document(document_with(parameters))}, levels_{LevelTable::compile(
                                                                   *contract_, {}, overrides)} {
        CHECK(levels_.problems.empty());
    }

    ParameterReport const& check(std::string_view query) {
        return validator_.check_query(operation(), query, {}, levels_.table);
    }
    ParameterReport const& check_path(std::string_view path) {
        return validator_.check_path(operation(), contract_->route(path), {}, levels_.table);
    }
    std::string query(std::string_view query) {
        auto const& report = check(query);
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }
    Operation const& operation() const { return *contract_->find_operation("read"); }

private:
    std::shared_ptr<Contract const> contract_;
    CompiledLevels levels_;
    Validator validator_;
};

TEST_CASE("an exploded object with any names takes every pair of no other parameter") {
    Api api{query_parameter("name: limit, schema: { type: integer }")
            + query_parameter("name: page, schema: { type: object, properties: { size: { type: "
                              "integer } } }")
            + query_parameter("name: deep, style: deepObject, schema: { type: object }")
            + query_parameter("name: p, schema: { type: object, additionalProperties: { type: "
                              "integer, maximum: 5 } }")};
    CHECK(api.query("a=99") == "p/a must be at most 5");
    CHECK(api.query("a=1&b=x") == "p/b must be an integer, not a string");
    CHECK(api.query("a=1&a=2") == "p must contain each property once");
    CHECK(api.query("%61=99") == "p/a must be at most 5");
    CHECK(api.query("nested[0][a]=x") == "p/nested[0][a] must be an integer, not a string");
    CHECK(api.query("%FF=1") == "p must be percent-encoded UTF-8 text");
    CHECK(api.query("a%00b=1") == "p must not contain control characters");
    CHECK(api.query("a=1&limit=99&size=7&deep[x]=99&b=5") == "valid");
    CHECK(api.query("&&limit=1&") == "valid");
    CHECK(api.query("") == "valid");
}

TEST_CASE("patterns of names apply to such pairs, too") {
    Api api{query_parameter("name: p, schema: { type: object, patternProperties: { '^x_': { type: "
                            "integer } } }")};
    CHECK(api.query("x_a=b") == "p/x_a must be an integer, not a string");
    CHECK(api.query("x_a=1&b=c") == "valid");
    Api names{query_parameter("name: p, schema: { type: object, maxProperties: 1, propertyNames: { "
                              "maxLength: 2 } }")};
    CHECK(names.query("a=1&b=2") == "p must have at most 1 property");
    CHECK(names.query("abc=1") != "valid");
    CHECK(names.query("ab=1") == "valid");
}

TEST_CASE("a required object with any names is present if one pair belongs to it") {
    Api api{query_parameter("name: limit, schema: {}")
            + query_parameter("name: params, required: true, schema: { type: object, "
                              "additionalProperties: { type: string } }")};
    CHECK(api.query("") == "params is required");
    CHECK(api.query("limit=1") == "params is required");
    CHECK(api.query("a=1") == "valid");
    Api any{query_parameter("name: params, required: true, schema: { type: object }")};
    CHECK(any.query("") == "params is required");
    CHECK(any.query("a=1") == "valid");
}

TEST_CASE("an exploded object without additional properties refuses pairs of no parameter") {
    auto const closed =
        query_parameter("name: page, schema: { type: object, required: [size], properties: { size: "
                        "{ type: integer } }, additionalProperties: false }")
        + query_parameter("name: limit, schema: {}");
    Api api{closed};
    CHECK(api.query("sise=1") == "page/sise is not a property that the contract allows");
    CHECK(api.query("size=1&x=1") == "page/x is not a property that the contract allows");
    CHECK(api.check("x=1").violations.front().pointer == "/*");
    CHECK(api.check("x=1").violations.front().rule_pointer == "/parameters/page/additionalProperties");
    CHECK(api.query("size=1&limit=2") == "valid");
    CHECK(api.query("limit=2") == "valid");

    // At a lower level of that rule the pairs pass, and the object is not present because of them.
    Api off{closed, {{"read", "/parameters/page/additionalProperties", Level::off}}};
    CHECK(off.query("x=1") == "valid");
    Api reported{closed, {{"read", "/parameters/page/additionalProperties", Level::report}}};
    CHECK(reported.query("x=1&y=2") == "valid");
    REQUIRE(reported.check("x=1&y=2").reported.size() == 1);
    CHECK(reported.check("x=1").reported.front().level == Level::report);
    Api silent{closed, {{"read", "", Level::off}}};
    CHECK(silent.query("x=1") == "valid");

    // Pairs without an owner belong to the object that takes them, if there is one.
    Api both{closed
             + query_parameter("name: p, schema: { type: object, additionalProperties: { type: "
                               "integer } }")};
    CHECK(both.query("x=y") == "p/x must be an integer, not a string");
    CHECK(both.query("x=1") == "valid");
    Api unevaluated{query_parameter("name: page, schema: { type: object, anyOf: [{ properties: { "
                                    "size: {} } }], unevaluatedProperties: false }")};
    CHECK(unevaluated.query("x=1") == "page/x is not a property that the contract allows");
    CHECK(unevaluated.query("size=1") == "valid");
}

TEST_CASE("an exploded object has the properties of all parts of its schema") {
    Api api{query_parameter("name: p, schema: { type: object, oneOf: [{ properties: { a: { type: "
                            "integer } }, required: [a] }, { properties: { b: { type: integer } }, "
                            "required: [b] }] }")};
    CHECK(api.query("a=x") != "valid");
    CHECK(api.query("b=1&a=1") != "valid");
    CHECK(api.query("b=1") == "valid");
}

TEST_CASE("pairs that begin like a deepObject and are not a property of it are refused") {
    Api api{query_parameter("name: f, style: deepObject, schema: { type: object, properties: { n: "
                            "{ type: integer } }, additionalProperties: false }")
            + query_parameter("name: fo, schema: { type: integer }")};
    for (std::string_view const query :
         {"f[evil][x]=1", "f[n][]=1", "f[]=2", "f=5", "f", "f[=1", "f[n=1", "f[n]x=1", "f[[n]]=1",
          "%66=5", "f%5Bn%5D%5Bx%5D=1", "f[n][x]=1&fo=1"}) {
        INFO(query);
        CHECK(api.query(query) == "f must be written as f[property]=value");
        CHECK(api.check(query).violations.front().rule == "style");
    }
    CHECK(api.query("f[%FF]=1") == "f must be percent-encoded UTF-8 text");
    CHECK(api.query("f[x]=1") == "f/x is not a property that the contract allows");
    CHECK(api.query("f[n]=1&fo=2&foo=3&fx[y]=4") == "valid");
}

TEST_CASE("a parameter that no style can express does not load") {
    std::string const nested =
        " may be a list or an object, which no style of parameters can nest; write "
        "plain types, or content: {application/json: {schema: ...}} in place of schema";
    struct Row {
        std::string parameter;
        std::string what;
    };
    for (auto const& row : std::vector<Row>{
             {"name: q, schema: { type: object, patternProperties: { a: { type: array, items: { "
             "type: array } } } }",
              "a property that matches a pattern"},
             {"name: q, explode: false, schema: { type: object, allOf: [{ properties: { a: { type: "
              "object } } }] }",
              "the property \"a\""},
             {"name: q, schema: { type: array, items: { type: array } }", "an item"},
             {"name: q, style: pipeDelimited, explode: false, schema: { type: array, items: { "
              "type: object } }",
              "an item"},
             {"name: q, style: spaceDelimited, explode: false, schema: { type: array, prefixItems: "
              "[{ type: array }] }",
              "an item"},
         }) {
        INFO(row.parameter);
        auto const problems = problems_of(document_with(query_parameter(row.parameter)));
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].rfind("api.yaml:9:", 0) == 0);
        auto const begin = problems[0].find("schema: ") + 8;
        CHECK(problems[0].substr(begin) == row.what + nested);
    }
    // A plain value, or an object whose properties are pairs of any name.
    auto const problems =
        problems_of(document_with(query_parameter("name: q, schema: { properties: { a: {} } }")));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("an object of several pairs, or else another value")
          != std::string::npos);
}

TEST_CASE("two parameters that one pair could belong to do not load") {
    auto const any = query_parameter("name: a, schema: { type: object }")
                     + query_parameter("name: b, schema: { type: object, additionalProperties: { "
                                       "type: integer } }");
    auto const problems = problems_of(document_with(any));
    REQUIRE(problems.size() == 1);
    CHECK(
        problems[0]
        == R"(api.yaml:10:11: paths["/v1/{id}"].get.parameters[2]: takes pairs of any name, and so does "a": it is ambiguous which of them a pair belongs to; write style: deepObject, or additionalProperties: false)");

    auto const page = query_parameter(
        "name: page, schema: { type: object, properties: { size: {}, 'd[x]': {} } }");
    for (std::string const other :
         {"name: size, schema: {}",
          "name: other, schema: { type: object, properties: { size: {} } }",
          "name: size, style: deepObject, schema: { type: object }",
          "name: d, style: deepObject, schema: { type: object }"}) {
        for (auto const& both : {page + query_parameter(other), query_parameter(other) + page}) {
            INFO(both);
            auto const found = problems_of(document_with(both));
            REQUIRE(found.size() == 1);
            CHECK(found[0].find(" would belong to this parameter and to ") != std::string::npos);
        }
    }
    // The name of an exploded object does not occur in a query.
    CHECK_NOTHROW(load_document(document_with(
        page + query_parameter("name: size2, style: deepObject, schema: { type: object }"))));
}

TEST_CASE("the parameter that each pair belongs to is found") {
    Api api{query_parameter("name: limit, schema: {}")
            + query_parameter("name: page, schema: { type: object, properties: { size: {} } }")
            + query_parameter("name: deep, style: deepObject, schema: { type: object }")};
    auto const& operation = api.operation();
    CHECK(operation.query_parameter_of("limit") == "limit");
    CHECK(operation.query_parameter_of("lim%69t") == "limit");
    CHECK(operation.query_parameter_of("size") == "page");
    CHECK(operation.query_parameter_of("deep[k]") == "deep");
    CHECK(operation.query_parameter_of("deep%5Bk%5D") == "deep");
    CHECK(operation.query_parameter_of("deep") == "deep");
    CHECK(operation.query_parameter_of("page").empty());
    CHECK(operation.query_parameter_of("other").empty());
    CHECK(operation.query_parameter_of("%zz").empty());
    CHECK(operation.query_parameter_of("id").empty());
    Api any{query_parameter("name: params, schema: { type: object }")};
    CHECK(any.operation().query_parameter_of("canary") == "params");
}

TEST_CASE("a text that is refused before its rules is reported with its parameter") {
    Api api{query_parameter("name: limit, required: true, schema: { type: integer }")
            + query_parameter("name: 'a/b~c', schema: { type: integer, maximum: 5 }")
            + query_parameter("name: id, schema: { type: integer, maximum: 3 }")};
    CHECK(api.check("").violations.front().rule == "required");
    CHECK(api.check("").violations.front().rule_pointer == "/parameters/limit");
    CHECK(api.check("limit=1&limit=2").violations.front().rule_pointer == "/parameters/limit");
    CHECK(api.check("limit=%FF").violations.front().rule_pointer == "/parameters/limit");
    CHECK(api.check("limit=x").violations.front().rule_pointer == "/parameters/limit/type");
    CHECK(api.check("a/b~c=6").violations.front().rule_pointer == "/parameters/a~1b~0c/maximum");
    CHECK(api.check("a/b~c=%FF").violations.front().rule_pointer == "/parameters/a~1b~0c");
}

TEST_CASE("the rules of two parameters with one name have different pointers") {
    auto const other = query_parameter("name: id, schema: { type: integer, maximum: 3 }");
    Api api{other};
    CHECK(api.check("id=9").violations.front().rule_pointer == "/parameters/query/id/maximum");
    CHECK(api.check_path("/v1/9").violations.front().rule_pointer == "/parameters/path/id/maximum");
    Api one{other, {{"read", "/parameters/query/id/maximum", Level::off}}};
    CHECK(one.query("id=9") == "valid");
    CHECK(one.check_path("/v1/9").outcome == Outcome::violated);
}

TEST_CASE("tabs and line ends are allowed in a query, other control characters are not") {
    Api api{query_parameter("name: txt, schema: { type: string, maxLength: 3 }")
            + query_parameter("name: word, schema: { type: string, pattern: '^[a-z]+$' }")
            + query_parameter("name: l, explode: false, schema: { type: array, items: { type: "
                              "string, maxLength: 3 } }")};
    CHECK(api.query("txt=a%0Ab") == "valid");
    CHECK(api.query("txt=%09%0D%0A") == "valid");
    CHECK(api.query("txt=a%0Abc") == "txt must have at most 3 characters");
    CHECK(api.query("word=a%0A").rfind("word must match", 0) == 0);
    CHECK(api.query("l=a%0A,%09b") == "valid");
    for (std::string_view const escape : {"%00", "%01", "%0B", "%1F", "%7F"}) {
        INFO(escape);
        CHECK(api.query("txt=" + std::string{escape}) == "txt must not contain control characters");
        CHECK(api.query("l=a," + std::string{escape}) == "l must not contain control characters");
    }
    CHECK(message_of(api.check_path("/v1/%09").violations.front())
          == "id must not contain control characters");
}

} // namespace
} // namespace sallyport::contract::test::query_test
