// Faults of documents that leave nothing open: they are warnings, and the document means what it
// can only mean.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::test::lenient_documents_test {
namespace {

// A document that loads, and its warnings.
struct Read {
    std::shared_ptr<Contract const> contract;
    std::string warnings;
    LevelTable levels;
    Validator validator;

    [[nodiscard]] bool says(std::string_view text) const {
        return warnings.find(text) != std::string::npos;
    }
    [[nodiscard]] std::string operation(std::string_view method, std::string_view path) const {
        auto const* const found = contract->find_operation(contract->route(path), method);
        return found != nullptr ? found->id : "none";
    }
    [[nodiscard]] std::string body(std::string_view text) {
        auto const& types = contract->operations().front().request_body->media_types;
        return verdict_of(validator.validate(*types.front().schema, Body{text}.view(), {}, levels));
    }
    [[nodiscard]] bool takes_path(std::string_view path) {
        auto const match = contract->route(path);
        REQUIRE(match);
        auto const& report =
            validator.check_path(contract->operations().front(), match, {}, levels);
        return report.outcome == Outcome::valid;
    }
};

[[nodiscard]] Read read(std::string const& document) {
    auto loaded = Contract::load_text(document, "api.yaml");
    Read result;
    for (auto const& one : descriptions(loaded.problems))
        result.warnings += one + '\n';
    INFO(result.warnings);
    REQUIRE(loaded.contract != nullptr);
    result.contract = std::move(loaded.contract);
    return result;
}

[[nodiscard]] std::string paths(std::string const& rest, std::string_view version = "3.1.0") {
    return "openapi: " + std::string{version} + "\ninfo: {title: T}\npaths:\n" + rest;
}
[[nodiscard]] std::string with_body(std::string const& schema, std::string_view version) {
    return paths("  /a: {post: {operationId: o, requestBody: {content: {application/json: {schema: "
                     + schema + "}}}}}\n",
                 version);
}
std::string const x = "parameters: [{name: x, in: path, required: true, schema: {type: integer}}]";
std::string const y = "parameters: [{name: y, in: path, required: true, schema: {maxLength: 2}}]";

TEST_CASE("a style that a plain value in a query does not have is a warning") {
    auto const load = [](std::string const& style, std::string const& type) {
        return Contract::load_text(
            "openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {get: {operationId: o, parameters: "
            "[{name: q, in: query, style: "
                + style + ", schema: {type: " + type + "}}]}}}\n",
            "api.yaml");
    };
    struct Row {
        std::string style;
        std::string_view warning;
    };
    for (auto const& [style, warning] :
         {Row{"simple", "the style \"simple\" is none of a query, and is read as \"form\""},
          Row{"deepObject", "the style \"deepObject\" has no effect on a plain value"}}) {
        CAPTURE(style);
        auto const loaded = load(style, "integer");
        REQUIRE(loaded.contract);
        REQUIRE(loaded.problems.size() == 1);
        CHECK(loaded.problems.front().what == warning);
        CHECK(loaded.contract->find_operation("o")->query_parameters.front().style
              == ParameterStyle::form);
    }
    CHECK_FALSE(load("simple", "array").contract);
}

TEST_CASE("a keyword that resembles one about the document is a warning") {
    auto const loaded = Contract::load_schema("{schema: {type: string}, maximum: 5}", "s.yaml");
    REQUIRE(loaded.contract);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(sallyport::config::yaml::describe(loaded.problems.front())
          == "s.yaml:1:2: warning: schema: the keyword \"schema\" is unknown and has no effect; did "
             "you mean \"$schema\"?");
    CHECK_FALSE(Contract::load_schema("{ref: '#/a'}", "s.yaml").contract);
}

TEST_CASE("paths that are equal but for names are one path if their methods differ") {
    auto api =
        read(paths("  /a/{x}: {" + x
                   + ", get: {operationId: g}}\n  /b: {get: {operationId: "
                     "b}}\n  /a/{y}: {"
                   + y
                   + ", put: {operationId: p}, head: {operationId: "
                     "h}}\n  /a/{z}: {parameters: [{name: z, in: path, required: true, schema: "
                     "{}}], post: {operationId: c}}\n"));
    CHECK(api.says("is the same path as /a/{x} of line 4, which has other methods"));
    CHECK(api.operation("GET", "/a/5") == "g");
    CHECK(api.operation("PUT", "/a/5") == "p");
    CHECK(api.operation("HEAD", "/a/5") == "h");
    CHECK(api.operation("POST", "/a/5") == "c");
    CHECK(api.operation("GET", "/b") == "b");
    CHECK(api.contract->route("/a/5").item->allow == "GET, PUT, HEAD, POST");
    // Each operation has its own parameters.
    auto const match = api.contract->route("/a/abc");
    auto const is_valid = [&](std::string_view name) {
        return api.validator.check_path(*api.contract->find_operation(name), match, {}, api.levels)
                   .outcome
               == Outcome::valid;
    };
    CHECK_FALSE(is_valid("g"));
    CHECK_FALSE(is_valid("p"));
    CHECK(is_valid("c"));
    CHECK(api.contract->find_operation("p")->parameter_names == std::vector<std::string>{"y"});
}

TEST_CASE("a parameter of a path is always required, and passes if it is not described") {
    auto flag = read(paths("  /a/{x}: {get: {operationId: g, parameters: [{name: x, in: path, "
                           "schema: {type: integer}}]}}\n"));
    CHECK(flag.says("must have required: true, as every parameter of a path"));
    CHECK(flag.takes_path("/a/5"));
    CHECK_FALSE(flag.takes_path("/a/b"));
    auto none = read(paths("  /a/{x}: {get: {operationId: g}}\n"));
    CHECK(none.says(
        R"(the parameter "x" of the path is not among the parameters: any value passes)"));
    CHECK(none.takes_path("/a/b"));
    CHECK_FALSE(none.takes_path("/a/%ff"));
    CHECK(none.contract->operations().front().path_parameters.front().name == "x");
}

TEST_CASE("a name twice in required is required") {
    auto api = read(with_body("{required: [a, b, a]}", "3.1.0"));
    CHECK(api.says("required[2]: is listed twice"));
    CHECK(api.body("{}") == "/a is required; /b is required");
    CHECK(api.body(R"({"a":1,"b":1})") == "valid");
}

TEST_CASE("types of 3.1 in a document of 3.0 are read as they are meant") {
    auto api = read(with_body("{properties: {a: {type: [string, 'null']}, b: {type: 'null'}, c: "
                              "{type: [integer, string]}}}",
                              "3.0.3"));
    CHECK(api.says("must be one type in OpenAPI 3.0, where null is not a type; it is read as in "
                   "3.1"));
    CHECK(api.body(R"({"a":null,"b":null,"c":"x"})") == "valid");
    CHECK(api.body(R"({"a":1})") == "/a must be a string or null, not a number");
    CHECK(api.body(R"({"b":1})") == "/b must be null, not a number");
    CHECK(api.body(R"({"c":null})") == "/c must be an integer or a string, not null");
}

TEST_CASE("numbers may be written in each way that YAML has") {
    for (auto const& [number, valid, invalid] :
         std::vector<std::tuple<std::string, std::string, std::string>>{
             {"+1", "1", "2"},
             {"+1.5", "1.5", "1.6"},
             {".5", "0.5", "0.6"},
             {"-.5", "-0.5", "-0.4"},
             {"5.", "5", "5.1"},
             {"1e3", "1000", "1001"},
             {"1.E+2", "100", "101"},
             {"0x1F", "31", "32"},
             {"007.50", "7.5", "7.51"},
         }) {
        CAPTURE(number);
        auto api = read(with_body("{maximum: " + number + "}", "3.1.0"));
        CHECK(api.body(valid) == "valid");
        CHECK(api.body(invalid) != "valid");
    }
    CHECK(problems_of(with_body("{maximum: .inf}", "3.1.0")).size() == 1);
    CHECK(problems_of(with_body("{maximum: .nan}", "3.1.0")).size() == 1);
}

TEST_CASE("a media type may be there with and without its charset, for one schema") {
    auto const document = [](std::string const& schema) {
        return paths("  /a: {post: {operationId: o, requestBody: {content: {application/json: "
                     "{schema: {type: integer}}, 'application/json; charset=utf-8': {schema: "
                     + schema + "}}}}}\n");
    };
    auto api = read(document("{type: integer}"));
    CHECK(api.contract->operations().front().request_body->media_types.size() == 1);
    CHECK(api.body("5") == "valid");
    CHECK(problems_of(document("{type: string}")).size() == 1);
    // Unchecked, each body of that type passes.
    auto const loaded = Contract::load_text(document("{type: string}"), "api.yaml",
                                            {{}, {}, Unsupported::unchecked});
    REQUIRE(loaded.contract != nullptr);
    CHECK_FALSE(
        loaded.contract->operations().front().request_body->find("application/json")->schema);
}

TEST_CASE("characters that no path has are read as their escapes") {
    auto api = read(paths("  /a^b/{x}|é: {" + x
                          + ", get: {operationId: g}}\n  '/c d': {get: "
                            "{operationId: s}}\n  /%65%3a: {get: {operationId: e}}\n"));
    CHECK(api.says("is not in its normalized spelling: it is read as /a%5Eb/{x}%7C%C3%A9"));
    CHECK(api.operation("GET", "/a%5Eb/5%7C%C3%A9") == "g");
    CHECK(api.operation("GET", "/c%20d") == "s");
    CHECK(api.operation("GET", "/e:") == "e");
    for (std::string_view const path : {"/a%2Fb", "/a%zz", "/a%00", "'/a\\b'", "/a;b"}) {
        CAPTURE(path);
        CHECK(problems_of(paths("  " + std::string{path} + ": {get: {operationId: g}}\n")).size()
              == 1);
    }
}

TEST_CASE("an operation of TRACE has no effect, because TRACE is never forwarded") {
    auto const loaded = Contract::load_text(
        "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {trace: {operationId: o}, get: {operationId: "
        "g}}}\n",
        "api.yaml");
    REQUIRE(loaded.contract);
    CHECK_FALSE(loaded.contract->find_operation("o"));
    REQUIRE_FALSE(loaded.problems.empty());
    CHECK(loaded.problems.front().path == R"(paths["/a"].trace)");
    CHECK(loaded.problems.front().what == "has no effect: TRACE is never forwarded");
}

} // namespace
} // namespace sallyport::contract::test::lenient_documents_test
