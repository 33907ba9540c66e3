// Lists and objects whose text could be two of them: as the upstream is said to read them.
#include "tests/unit/contract/form_support.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::lists_test {
namespace {

std::string const document = R"(openapi: 3.1.0
info: {title: T}
paths:
  /v1/{ids}:
    get:
      operationId: read
      parameters:
        - {name: ids, in: path, required: true, schema: {type: array, items: {type: string, maxLength: 3}}}
        - {name: n, in: query, explode: false, schema: {type: array, maxItems: 3, items: {type: integer}}}
        - {name: word, in: query, explode: false, schema: {type: array, maxItems: 2, items: {type: string, maxLength: 3}}}
        - {name: kind, in: query, explode: false, schema: {type: array, items: {enum: [eel, carp, "eel,carp"]}}}
        - {name: box, in: query, explode: false, schema: {type: object, properties: {w: {type: string, maxLength: 3}}}}
        - {name: f, in: query, style: deepObject, schema: {type: object, properties: {
            site: {type: array, maxItems: 2, items: {type: string}}, one: {type: string},
            time: {anyOf: [{type: integer}, {type: array, items: {type: integer}}]}}}}
        - {name: page, in: query, schema: {type: object, additionalProperties: false, required: [size], properties: {
            size: {type: integer}, tags: {type: array, maxItems: 2, items: {type: integer}}}}}
)";

class Api {
public:
    explicit Api(Lists lists) : lists_{lists} {}
    [[nodiscard]] std::string query(std::string_view query) {
        return text(validator_.check_query(*contract_->find_operation("read"), query, {}, {}, lists_));
    }
    [[nodiscard]] std::string path(std::string_view path) {
        auto const match = contract_->route(path);
        return text(validator_.check_path(*contract_->find_operation("read"), match, {}, {}, lists_));
    }

private:
    static std::string text(ParameterReport const& report) {
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }

    std::shared_ptr<Contract const> contract_ = load_document(document);
    Lists lists_;
    Validator validator_;
};

} // namespace

TEST_CASE("an encoded comma passes if the list is valid with one value and with two, and the refusal "
          "names the key") {
    Api api{Lists::both};
    std::string const refused = " has an encoded comma (%2C), and is not valid both as a part of a "
                                "value and as the end of one: lists (strict or decoded) of the API "
                                "says which it is";
    CHECK(api.query("n=1%2C2") == "n" + refused);
    CHECK(api.query("n=1%2Cx") == "n" + refused);
    CHECK(api.query("word=ab%2cc") == "word" + refused); // one of 4 characters
    CHECK(api.query("word=a,b%2Cc") == "word" + refused); // three
    CHECK(api.query("kind=eel%2Ccod") == "kind" + refused);
    CHECK(api.query("box=w,a%2Cb,x,1") == "box" + refused);
    CHECK(api.path("/v1/ab%2Ccd") == "ids" + refused);
    CHECK(api.query("word=a%2Cb") == "valid");
    CHECK(api.query("kind=eel%2Ccarp") == "valid");
    CHECK(api.path("/v1/a%2Cb") == "valid");
    // Encoded twice it is text for both.
    CHECK(api.query("word=%252C") == "valid");
    CHECK(api.query("n=1,2") == "valid");
}

TEST_CASE("an upstream that decodes first ends a value at an encoded comma") {
    Api api{Lists::decoded};
    CHECK(api.query("n=1%2C2,3") == "valid");
    CHECK(api.query("n=1%2c2%2Cx") == "n/2 must be an integer, not a string");
    CHECK(api.query("n=1%2C2%2C3%2C4") == "n must have at most 3 items");
    CHECK(api.query("word=abc%2Cdef") == "valid");
    CHECK(api.query("word=a%2Cb%2Cc") == "word must have at most 2 items");
    CHECK(api.query("kind=eel%2Ccod") != "valid");
    CHECK(api.query("box=w%2Cabc") == "valid");
    CHECK(api.query("box=w%2Cabcd") == "box/w must have at most 3 characters");
    CHECK(api.path("/v1/abc%2Cdef") == "valid");
    CHECK(api.path("/v1/abc%2Cdefg") == "ids/1 must have at most 3 characters");
}

TEST_CASE("a strict upstream reads an encoded comma as part of a value") {
    Api api{Lists::strict};
    CHECK(api.query("n=1%2C2") == "n/0 must be an integer, not a string");
    CHECK(api.query("word=ab%2Cc") == "word/0 must have at most 3 characters");
    CHECK(api.query("word=a%2Cb,c%2Cd") == "valid");
    CHECK(api.path("/v1/a%2Cb") == "valid");
    CHECK(api.path("/v1/ab%2Ccd") == "ids/0 must have at most 3 characters");
}

TEST_CASE("a list in an object may be its name several times, unless the upstream is strict") {
    for (auto const lists : {Lists::both, Lists::decoded}) {
        Api api{lists};
        CHECK(api.query("f[site]=a&f[site]=b") == "valid");
        CHECK(api.query("f%5Bsite%5D=a") == "valid");
        CHECK(api.query("f[site]=a&f[site]=b&f[site]=c") == "f/site must have at most 2 items");
        CHECK(api.query("f[time]=1") == "valid");
        CHECK(api.query("f[time]=1&f[time]=2") == "valid");
        CHECK(api.query("f[time]=1&f[time]=x") != "valid");
        CHECK(api.query("f[one]=a&f[one]=b") == "f must contain each property once");
        for (auto const* const mixed : {"f[site]=a&f[site][]=b", "f[site][]=a&f[site]=b",
                                        "f[site]=a&f[site][0]=b", "f[site][0]=a&f[site]=b"}) {
            CAPTURE(mixed);
            CHECK(api.query(mixed).find("f must be written as f[property]=value") == 0);
        }
        CHECK(api.query("size=1&tags=1&tags=2") == "valid");
        CHECK(api.query("tags=1&size=1") == "valid");
        CHECK(api.query("size=1&tags=1&tags=x") == "page/tags/1 must be an integer, not a string");
        CHECK(api.query("size=1&tags=1&tags=2&tags=3") == "page/tags must have at most 2 items");
        CHECK(api.query("size=1&size=2") == "page must contain each property once");
        CHECK(api.query("tags=1") == "page/size is required");
        CHECK(api.query("size=1&tags[]=1") != "valid");
        CHECK(api.query("size=1&more=1") != "valid");
    }
    Api strict{Lists::strict};
    for (auto const* const repeated : {"f[site]=a", "f[site]=a&f[site]=b", "size=1&tags=1"}) {
        CAPTURE(repeated);
        CHECK(strict.query(repeated).find("lists: decoded") != std::string::npos);
    }
    CHECK(strict.query("f[site][]=a&f[site][]=b&f[time]=1&size=1") == "valid");
    CHECK(strict.query("f[time]=1&f[time]=2") == "f must contain each property once");
}

TEST_CASE("a form repeats the names of its lists as a query does") {
    BodyChecker checker{"application/x-www-form-urlencoded",
                        "{schema: {type: object, properties: {f: {type: object, properties: {site: "
                        "{type: array, items: {type: integer}}}}}}, encoding: {f: {style: deepObject, "
                        "explode: true}}}"};
    auto const verdict = [&](std::string_view text, Lists lists) {
        Body const body{text};
        Validator validator;
        return verdict_of(validator.validate(checker.type(), {body.view(), {}, false, lists},
                                             checker.contract().conditions_for({}), {}));
    };
    CHECK(verdict("f[site]=1&f[site]=2", Lists::both) == "valid");
    CHECK(verdict("f[site]=1&f[site]=x", Lists::decoded)
          == "/f/site/1 must be an integer, not a string");
    CHECK(verdict("f[site]=1&f[site]=2", Lists::strict) == "malformed: field_style");
}

TEST_CASE("x-lists is strict, decoded or both") {
    auto const with = [](std::string const& word) {
        return "openapi: 3.1.0\ninfo: {title: T}\npaths: {/v1/a: {get: {operationId: read, x-lists: "
               + word + "}}}\n";
    };
    CHECK(load_document(with("strict"))->find_operation("read")->lists == Lists::strict);
    CHECK(load_document(with("decoded"))->find_operation("read")->lists == Lists::decoded);
    CHECK(load_document(with("both"))->find_operation("read")->lists == Lists::both);
    auto const problems = problems_of(with("split"));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().find("must be strict, decoded or both; write x-lists: decoded if the "
                                "server decodes a list before it splits it")
          != std::string::npos);
}

} // namespace sallyport::contract::test::lists_test
