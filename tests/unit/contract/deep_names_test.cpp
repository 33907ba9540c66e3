// Names of style deepObject with several pairs of brackets: what the schema says that they are, and
// what is refused because readers differ.
#include "tests/unit/contract/form_support.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::deep_names_test {
namespace {

struct Row {
    std::string_view sent;
    std::string_view verdict;
};

[[nodiscard]] std::string document(std::string const& parameters) {
    return "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /v1/a:\n    get:\n      operationId: read\n"
           "      parameters:\n"
           + parameters;
}

// The schema of `filter`, in a query or a form.
std::string const filter =
    "{type: object, additionalProperties: false, properties: {"
    "a: {type: object, properties: {b: {type: integer, maximum: 5}, c: {type: string}}},"
    "tags: {type: array, maxItems: 3, items: {type: integer}},"
    "rows: {type: array, items: {type: object, required: [x], properties: {x: {type: integer}, y: "
    "{type: array, items: {type: string}}}}},"
    "time: {anyOf: [{type: integer}, {type: object, properties: {gt: {type: integer}}}]},"
    "more: {type: object, additionalProperties: {type: string, maxLength: 2}}, n: {type: boolean}}}";

class Api {
public:
    explicit Api(std::string const& parameters) : contract_{load_document(document(parameters))} {}
    [[nodiscard]] std::string query(std::string_view query) {
        auto const& report =
            validator_.check_query(*contract_->find_operation("read"), query, {}, levels_);
        return report.outcome == Outcome::valid ? "valid" : message_of(report.violations.front());
    }

private:
    std::shared_ptr<Contract const> contract_;
    LevelTable levels_;
    Validator validator_;
};

std::string const misspelt =
    "f must be written as f[property]=value, with [] for an item of a list, or [0], [1], ...";

TEST_CASE("nested names of a query are values of the schema") {
    Api api{"        - {name: f, in: query, style: deepObject, schema: " + filter + "}\n"
            + "        - {name: fo, in: query, schema: {type: integer}}\n"};
    for (auto const& [sent, verdict] : std::vector<Row>{
             {"f[a][b]=5&f[a][c]=5", "valid"},
             {"f[a][b]=6", "f/a/b must be at most 5"},
             {"f[a][b]=x", "f/a/b must be an integer, not a string"},
             {"f%5Ba%5D%5Bb%5D=6", "f/a/b must be at most 5"},
             {"f[x]=1", "f/x is not a property that the contract allows"},
             {"f[tags][]=1&f[tags][]=2", "valid"},
             {"f[tags][0]=1&f[tags][1]=2", "valid"},
             {"f[tags][]=1&f[tags][]=x", "f/tags/1 must be an integer, not a string"},
             {"f[tags][]=1&f[tags][]=1&f[tags][]=1&f[tags][]=1", "f/tags must have at most 3 items"},
             {"f[rows][0][x]=1&f[rows][1][x]=2&f[rows][0][y][]=s", "valid"},
             {"f[rows][0][x]=1&f[rows][1][y][]=2", "f/rows/1/x is required"},
             {"f[time]=5", "valid"},
             {"f[time][gt]=5", "valid"},
             {"f[more][any]=ab", "valid"},
             {"f[more][any]=abc", "f/more/any must have at most 2 characters"},
             {"f[n]=true&fo=1&fx[a]=1", "valid"},
         }) {
        CAPTURE(sent);
        CHECK(api.query(sent) == verdict);
    }
    CHECK(api.query("f[time]=x") != "valid");
    CHECK(api.query("f[time][gt]=x") != "valid");
}

TEST_CASE("nested names that readers take for different values are refused") {
    Api api{"        - {name: f, in: query, style: deepObject, schema: " + filter + "}\n"};
    for (std::string_view const sent : {
             "f=1",
             "f[]=1",
             "f[a]=1",
             "f[a][]=1",
             "f[a][b",
             "f[a][b]x=1",
             "f[a]b]=1",
             "f[a][[b]]=1",
             "f[a][b][c]=1",
             "f[tags][1]=1",
             "f[tags][00]=1",
             "f[tags][x]=1",
             "f[tags][0]=1&f[tags][]=1",
             "f[tags][]=1&f[tags][1]=1",
             "f[rows][][x]=1",
             "f[rows][0]=1",
             "f[time]=1&f[time][gt]=1",
             "f[time][gt]=1&f[time]=1",
             "f[time][]=1",
         }) {
        CAPTURE(sent);
        CHECK(api.query(sent) == misspelt);
    }
    CHECK(api.query("f[a][b]=1&f[a][b]=2") == "f must contain each property once");
    CHECK(api.query("f[tags][0]=1&f[tags][0]=2") == "f must contain each property once");
    // An upstream that ignores letter case, or trims, takes it for the declared one.
    CHECK(api.query("f[a][B]=9") == "f must have properties with their exact names");
    CHECK(api.query("f[a][b%20]=9") == "f must have properties with their exact names");
    CHECK(api.query("f[A][b]=9") == "f must have properties with their exact names");
    CHECK(api.query("F[a][b]=9") != "valid");
    CHECK(api.query("f.a.b=9") != "valid");
    CHECK(api.query("f[a][b]=%FF") == "f must be percent-encoded UTF-8 text");
}

TEST_CASE("a list may be a deepObject of its own, and a value beside it") {
    Api api{"        - {name: expand, in: query, style: deepObject, explode: true, schema: {type: "
            "array, maxItems: 2, items: {type: string, maxLength: 3}}}\n"
            "        - {name: created, in: query, style: deepObject, explode: true, schema: {anyOf: "
            "[{type: object, properties: {gt: {type: integer}}}, {type: integer}]}}\n"
            "        - {name: must, in: query, required: true, style: deepObject, schema: {type: "
            "array, items: {type: string}}}\n"};
    CHECK(api.query("expand[]=abc&expand[]=b&must[]=1&created=5") == "valid");
    CHECK(api.query("expand[0]=abc&expand[1]=b&must[]=1&created[gt]=5") == "valid");
    CHECK(api.query("expand[]=abcd&must[]=1") == "expand/0 must have at most 3 characters");
    CHECK(api.query("expand=abc&must=1") == "valid");
    CHECK(api.query("expand=a&expand=abcd&must[]=1") == "expand/1 must have at most 3 characters");
    CHECK(api.query("expand=a&expand[]=b&must[]=1").find("expand must be written as") == 0);
    CHECK(api.query("created=x&must[]=1") != "valid");
    CHECK(api.query("created=1&created[gt]=5&must[]=1").find("created must be written as") == 0);
    CHECK(api.query("expand[]=a") == "must is required");
}

TEST_CASE("names are nested as deep as the schema says, and 16 times at most") {
    Api api{"        - {name: f, in: query, style: deepObject, schema: {$ref: "
            "'#/components/schemas/S'}}\ncomponents: {schemas: {S: {type: object, properties: {s: "
            "{$ref: '#/components/schemas/S'}, n: {type: integer}}}}}\n"};
    auto const at = [](std::size_t depth) {
        std::string name = "f";
        for (std::size_t i = 1; i < depth; ++i)
            name += "[s]";
        return name + "[n]=";
    };
    CHECK(api.query(at(3) + "1") == "valid");
    CHECK(api.query(at(3) + "x") == "f/s/s/n must be an integer, not a string");
    CHECK(api.query(at(16) + "1") == "valid");
    CHECK(api.query(at(17) + "1") == misspelt);
}

TEST_CASE("fields of forms have nested names with style deepObject") {
    BodyChecker checker{"application/x-www-form-urlencoded",
                        "{schema: {type: object, additionalProperties: false, properties: {f: "
                            + filter + "}}, encoding: {f: {style: deepObject, explode: true}}}"};
    for (auto const& [sent, verdict] : std::vector<Row>{
             {"f[a][b]=5&f[tags][]=1&f[tags][]=2", "valid"},
             {"f[a][b]=6", "/f/a/b must be at most 5"},
             {"f[rows][0][x]=1&f[rows][1][y][]=2", "/f/rows/1/x is required"},
             {"f[time]=7", "valid"},
             {"f[x]=7", "/f/x is not a property that the contract allows"},
             {"f=7", "malformed: field_style"},
             {"f[tags][2]=1", "malformed: field_style"},
             {"f[a][b]=1&f[a][b]=1", "malformed: duplicate_field"},
             {"f[a][B]=1", "malformed: disguised_field"},
             {"f[tags][]=1&f%5Btags%5D[]=1", "malformed: field_spellings"},
             {"f[tags][]=1&%66[tags][]=1", "malformed: field_spellings"},
             {"f[a][b]=%", "malformed: field_coding"},
         }) {
        CAPTURE(sent);
        CHECK(checker.verdict(sent) == verdict);
    }
}

TEST_CASE("a name with brackets is what a schema describes, where a branch leaves it open") {
    BodyChecker checker{
        "application/x-www-form-urlencoded",
        "{schema: {properties: {card: {anyOf: [{type: string, maxLength: 3}, {type: object, "
        "properties: {metadata: {anyOf: [{type: object, additionalProperties: {type: string, "
        "maxLength: 2}}, {enum: ['']}]}, kinds: {anyOf: [{type: array, maxItems: 2, items: {type: "
        "string}}, {enum: ['']}]}}}]}}}, encoding: {card: {style: deepObject, explode: true}}}"};
    for (auto const& [sent, verdict] : std::vector<Row>{
             {"card=abc", "valid"},
             {"card=abcd", "/card must have at most 3 characters"},
             {"card[metadata][a]=xy&card[kinds][]=1&card[kinds][]=2", "valid"},
             {"card[metadata]=&card[kinds]=", "valid"},
             {"card[metadata][a]=xyz", "/card/metadata/a must have at most 2 characters"},
             {"card[kinds][0]=1&card[kinds][1]=2&card[kinds][2]=3",
              "/card/kinds must have at most 2 items"},
             {"card[metadata][]=x", "malformed: field_style"},
             {"card[kinds][a]=x", "malformed: field_style"},
         }) {
        CAPTURE(sent);
        CHECK(checker.verdict(sent) == verdict);
    }
}

TEST_CASE("the only branch for an object says how its properties are read") {
    Api api{"        - {name: f, in: query, style: deepObject, schema: {anyOf: [{type: object, "
            "properties: {n: {type: integer}}}, {enum: ['']}]}}\n"};
    CHECK(api.query("f[n]=5") == "valid");
    CHECK(api.query("f=") == "valid");
    CHECK(api.query("f[n]=5e0").find("f/n must be an integer") != std::string::npos);
}

TEST_CASE("what a branch for another type says of a property does not count") {
    std::string const branch = "{type: object, properties: {p: {type: object}}}";
    Api api{"        - {name: f, in: query, style: deepObject, schema: {anyOf: [" + branch + ", "
            + branch + ", {type: string, properties: {p: {type: array}}}]}}\n"};
    CHECK(api.query("f[p][a]=1") == "valid");
    CHECK(api.query("f=text") == "valid");
}

TEST_CASE("what a name does not show stays unsupported") {
    auto const problem = [](std::string const& schema) {
        auto const all = problems_of(
            document("        - {name: f, in: query, style: deepObject, schema: " + schema + "}\n"));
        return all.empty() ? std::string{} : all.front().substr(all.front().find("schema: ") + 8);
    };
    std::string const hint =
        ", which names with brackets do not show; write one type, or content: {application/json: "
        "{schema: ...}} in place of schema";
    CHECK(problem("{type: object, properties: {p: {type: [array, object]}}}")
          == "the property \"p\" may be a list or an object" + hint);
    CHECK(problem("{type: array, prefixItems: [{type: object}]}")
          == "the value has items of different schemas" + hint);
}

} // namespace
} // namespace sallyport::contract::test::deep_names_test
