// Documents of several files: relative `$ref`s to what is beside or below the document.
#include "tests/unit/contract/folder.h"
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace sallyport::contract::test::files_beside_test {
namespace {

namespace fs = std::filesystem;

// A document whose only body has the schema.
[[nodiscard]] std::string with_schema(std::string const& schema) {
    return "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a:\n    post:\n      operationId: o\n     "
           " "
           "requestBody: {content: {application/json: {schema: "
           + schema + "}}}\n";
}

// The first problem of a document `api/api.yaml`, without the name of the folder.
[[nodiscard]] std::string first_problem(Folder const& folder, std::string const& schema,
                                        LoadOptions const& options = {}) {
    folder.write("api/api.yaml", with_schema(schema));
    auto const loaded = Contract::load_file(folder.file("api/api.yaml"), options);
    if (loaded.problems.empty()) return "none";
    std::string text = describe(loaded.problems.front());
    std::string const name = folder.path().string() + '/';
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name))
        text.erase(at, name.size());
    return text;
}

[[nodiscard]] std::string verdict(Contract const& contract, std::string_view body) {
    Validator validator;
    auto const& types = contract.operations().front().request_body->media_types;
    return verdict_of(validator.validate(*types.front().schema, Body{body}.view(), {}, {}));
}

std::string const at_ref =
    R"(: paths["/a"].post.requestBody.content["application/json"].schema["$ref"]: )";

TEST_CASE("a file that is missing is an error at the reference") {
    Folder const folder;
    CHECK(
        first_problem(folder, "{$ref: pet.yaml}")
        == "api/api.yaml:7:65" + at_ref
               + R"("pet.yaml" is not a known document: there is no file api/pet.yaml; write its path from the folder of the file that refers to it)");
    // A folder is none.
    fs::create_directories(folder.path() / "api/deep");
    CHECK(first_problem(folder, "{$ref: deep}").find("there is no file api/deep")
          != std::string::npos);
}

TEST_CASE("empty segments and dots in the path of a file lead nowhere else") {
    Folder const folder;
    folder.write("api/deep/schemas/a.yaml", "type: integer\n");
    folder.write("api/b.yaml", "$ref: './deep//schemas///a.yaml'\n");
    folder.write("api/deep/c.yaml", "$ref: '..//deep/./schemas/x/../a.yaml'\n");
    for (auto const* const path :
         {"deep//schemas/a.yaml", "./deep/.//schemas/./a.yaml", "deep/../deep/schemas/a.yaml",
          "deep%2F%2Fschemas/a.yaml", "b.yaml", "deep/c.yaml"}) {
        INFO(path);
        CHECK(first_problem(folder, "{$ref: '" + std::string{path} + "'}") == "none");
        auto const loaded = Contract::load_file(folder.file("api/api.yaml"));
        REQUIRE(loaded.contract != nullptr);
        CHECK(verdict(*loaded.contract, R"("x")")
              == "the body must be an integer, not a string");
    }
    CHECK(first_problem(folder, "{$ref: /api/b.yaml}")
              .find("is an absolute path, which leads to no file: only those in the folder of the "
                    "document are read; write its path from the folder of the file that refers to "
                    "it")
          != std::string::npos);
    CHECK(first_problem(folder, "{$ref: 'a%zz.yaml'}").find("has an invalid escape")
          != std::string::npos);
}

TEST_CASE("no file above the folder of the document is read, nor through a symbolic link") {
    Folder const folder;
    folder.write("outside.yaml", "type: integer\n");
    folder.write("api/near.yaml", "type: integer\n");
    constexpr auto above =
        "is not a path below the folder of the document, and only such files are "
        "read; put the file into that folder, or allow the folder around both: contract_folder of "
        "the API, --folder of a command";
    for (auto const* const path : {"../outside.yaml", "deep/../../outside.yaml",
                                   "%2e%2e/outside.yaml", "..%2Foutside.yaml"}) {
        INFO(path);
        CHECK(first_problem(folder, "{$ref: '" + std::string{path} + "'}").find(above)
              != std::string::npos);
    }
    fs::create_symlink("../outside.yaml", folder.path() / "api/link.yaml");
    fs::create_directory_symlink("..", folder.path() / "api/up");
    for (auto const* const path : {"link.yaml", "up/outside.yaml"}) {
        INFO(path);
        CHECK(first_problem(folder, "{$ref: " + std::string{path} + "}")
                  .find("leads out of the folder of the document, by a symbolic link; put the file "
                        "itself there")
              != std::string::npos);
    }
    // As a folder that Kubernetes mounts is made.
    fs::create_symlink("near.yaml", folder.path() / "api/inside.yaml");
    CHECK(first_problem(folder, "{$ref: inside.yaml}") == "none");
    CHECK(first_problem(folder, "{$ref: 'deep/../near.yaml'}") == "none");
}

TEST_CASE("files above the document are read inside the folder that is allowed") {
    Folder const folder;
    folder.write("far.yaml", "type: string\n");
    folder.write("all/common/types.yaml",
                 "properties: {a: {$ref: deep/a.yaml}, b: {$ref: '../api/near.yaml'}}\n");
    folder.write("all/common/deep/a.yaml", "{$ref: '../../other.yaml#/number'}\n");
    folder.write("all/other.yaml", "number: {type: integer}\n");
    folder.write("all/api/near.yaml", "type: boolean\n");
    folder.write("all/api/api.yaml", with_schema("{$ref: '../common/types.yaml'}"));
    LoadOptions options;
    options.outer_folder = folder.file("all");
    auto const loaded = Contract::load_file(folder.file("all/api/api.yaml"), options);
    INFO((loaded.problems.empty() ? "none" : describe(loaded.problems.front())));
    REQUIRE(loaded.contract);
    CHECK(verdict(*loaded.contract, R"({"a": "x", "b": 1})")
          == "/a must be an integer, not a string; /b must be a boolean, not a number");
    for (auto const* const path : {"../../far.yaml", "../api/../../far.yaml", "../link.yaml"}) {
        INFO(path);
        fs::remove(folder.path() / "all/link.yaml");
        fs::create_symlink("../far.yaml", folder.path() / "all/link.yaml");
        folder.write("all/api/api.yaml", with_schema("{$ref: '" + std::string{path} + "'}"));
        auto const refused = Contract::load_file(folder.file("all/api/api.yaml"), options);
        CHECK_FALSE(refused.contract);
        REQUIRE_FALSE(refused.problems.empty());
        CHECK(describe(refused.problems.front()).find("leads out of the folder ")
              != std::string::npos);
    }
}

TEST_CASE("a folder around a document exists, and contains the document's") {
    Folder const folder;
    fs::create_directories(folder.path() / "one/deep");
    fs::create_directories(folder.path() / "one-more");
    CHECK(is_inside(folder.file("one/deep"), folder.file("one")));
    CHECK(is_inside(folder.file("one"), folder.file("one")));
    CHECK_FALSE(is_inside(folder.file("one"), folder.file("one/deep")));
    CHECK_FALSE(is_inside(folder.file("one-more"), folder.file("one")));
    CHECK_FALSE(is_inside(folder.file("one"), folder.file("none")));
}

TEST_CASE("nothing is read over a network, nor by an absolute path") {
    Folder const folder;
    folder.write("api/pet.yaml", "type: integer\n");
    for (std::string const& path :
         {std::string{"http://example.com/pet.yaml"}, std::string{"//example.com/pet.yaml"},
          "file://" + folder.file("api/pet.yaml"), folder.file("api/pet.yaml"),
          std::string{"pet.yaml?x"}}) {
        INFO(path);
        auto const* const why = path.starts_with('/') && !path.starts_with("//")
                                    ? "is an absolute path, which leads to no file"
                                    : "is not a known document; name a folder of schemas";
        CHECK(first_problem(folder, "{$ref: '" + path + "'}").find(why) != std::string::npos);
    }
}

TEST_CASE("a problem in a file names that file, with its line and column") {
    Folder const folder;
    folder.write("api/schemas/pet.yaml", "type: object\nproperties:\n  age: {maximum: x}\n");
    CHECK(first_problem(folder, "{$ref: schemas/pet.yaml}")
          == "api/schemas/pet.yaml:3:18: properties.age.maximum: must be a number, written as in "
             "JSON");
    folder.write("api/bad.json", "{");
    CHECK(first_problem(folder, "{$ref: bad.json}").find("cannot be read: see api/bad.json")
          != std::string::npos);
    CHECK(first_problem(folder, "{$ref: 'schemas/pet.yaml#/nothing'}")
              .find(R"("schemas/pet.yaml#/nothing" refers to nothing in that document)")
          != std::string::npos);
}

TEST_CASE("a file that is both beside the document and in a folder of schemas is ambiguous") {
    Folder const folder;
    folder.write("api/pet.yaml", "type: integer\n");
    folder.write("schemas/pet.yaml", "type: string\n");
    LoadOptions const options{{folder.file("schemas")}};
    CHECK(first_problem(folder, "{$ref: pet.yaml}", options)
              .find("refers to api/pet.yaml and to schemas/pet.yaml; remove one of the two")
          != std::string::npos);
    CHECK(first_problem(folder, "{$ref: pet.yaml}", {{folder.file("api")}}) == "none");
}

TEST_CASE("the files of a document are bounded") {
    Folder const folder;
    folder.write("api/all.yaml", "allOf: [{$ref: a.yaml}, {$ref: b.yaml}, {$ref: c.yaml}]\n");
    std::string const large = "description: '" + std::string(30 * 1024 * 1024, 'x') + "'\n";
    for (auto const* const name : {"api/a.yaml", "api/b.yaml"})
        folder.write(name, large);
    folder.write("api/c.yaml", "{}\n");
    CHECK(first_problem(folder, "{$ref: all.yaml}") == "none");
    folder.write("api/c.yaml", large);
    CHECK(first_problem(folder, "{$ref: all.yaml}")
              .find("is too much: the files that a contract refers to may have 67108864 bytes "
                    "together; refer to smaller files")
          != std::string::npos);
}

TEST_CASE("paths, parameters, bodies and responses may be in files, which refer to each other") {
    Folder const folder;
    folder.write("api.yaml", R"(openapi: 3.1.0
info: {title: T}
paths:
  /pets/{id}: {$ref: paths/pet.yaml}
components: {schemas: {Name: {type: string, maxLength: 3}}}
)");
    folder.write("paths/pet.yaml", R"(
parameters: [{$ref: ../parameters.json#/id}]
post:
  operationId: o
  requestBody: {$ref: './bodies/pet.yaml'}
  responses:
    '200': {$ref: '../responses.yaml#/ok'}
)");
    folder.write(
        "parameters.json",
        R"({"id": {"name": "id", "in": "path", "required": true, "schema": {"$ref": "#/number"}},
                     "number": {"type": "integer"}})");
    folder.write("paths/bodies/pet.yaml",
                 "content: {application/json: {schema: {$ref: '../../schemas/pet.yaml'}}}\n");
    folder.write("schemas/pet.yaml", "properties: {name: {$ref: '../api.yaml#/components/schemas/"
                                     "Name'}, child: {$ref: pet.yaml}, nick: {$ref: '#/$defs/n'}}\n"
                                     "$defs: {n: {type: string}}\n");
    folder.write("responses.yaml", "ok: {description: d, content: {application/json: {schema: "
                                   "{$ref: schemas/pet.yaml}}}}\n");
    auto const loaded = Contract::load_file(folder.file("api.yaml"));
    INFO((loaded.problems.empty() ? "none" : describe(loaded.problems.front())));
    REQUIRE(loaded.contract);
    CHECK(loaded.problems.empty());
    CHECK(verdict(*loaded.contract, R"({"name": "abcd", "child": {"child": {"nick": 1}}})")
          == "/name must have at most 3 characters; /child/child/nick must be a string, not a "
             "number");
    CHECK(verdict(*loaded.contract, R"({"name": "abc"})") == "valid");
    auto const match = loaded.contract->route("/pets/x");
    Validator validator;
    auto const& operation = loaded.contract->operations().front();
    CHECK(validator.check_path(operation, match, {}, {}).outcome == Outcome::violated);
    CHECK(operation.response_schema(200) != nullptr);
    auto files = loaded.files;
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    CHECK(files
          == std::vector<std::string>{folder.file("api.yaml"), folder.file("parameters.json"),
                                      folder.file("paths/bodies/pet.yaml"),
                                      folder.file("paths/pet.yaml"), folder.file("responses.yaml"),
                                      folder.file("schemas/pet.yaml")});
}

TEST_CASE("the dialect of the document applies in its files") {
    Folder const folder;
    folder.write("s.yaml", "type: integer\nminimum: 1\nexclusiveMinimum: true\nnullable: true\n");
    std::string text = with_schema("{$ref: s.yaml}");
    text.replace(0, text.find('\n'), "openapi: 3.0.3");
    folder.write("api.yaml", text);
    auto const loaded = Contract::load_file(folder.file("api.yaml"));
    REQUIRE(loaded.contract);
    CHECK(loaded.problems.empty());
    CHECK(verdict(*loaded.contract, "1") == "the body must be greater than 1");
    CHECK(verdict(*loaded.contract, "null") == "valid");
}

TEST_CASE("a document that is given as a text has no files beside it unless its folder is named") {
    Folder const folder;
    folder.write("s.yaml", "type: integer\n");
    std::string const text = with_schema("{$ref: s.yaml}");
    CHECK(Contract::load_text(text, folder.file("api.yaml")).contract == nullptr);
    LoadOptions options;
    options.folder = folder.path().string();
    CHECK(Contract::load_text(text, "api.yaml", options).contract != nullptr);
}

TEST_CASE("a file may lead back to the document with its overlays") {
    Folder const folder;
    folder.write("api.yaml",
                 with_schema("{$ref: s.yaml}") + "components: {schemas: {N: {type: integer}}}\n");
    folder.write("s.yaml", "properties: {n: {$ref: 'api.yaml#/components/schemas/N'}}\n");
    folder.write("ours.yaml", "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions:\n"
                              "- {target: $.components.schemas.N, update: {maximum: 5}}\n");
    auto const loaded =
        Contract::load_file(folder.file("api.yaml"), {{}, {folder.file("ours.yaml")}});
    REQUIRE(loaded.contract);
    CHECK(verdict(*loaded.contract, R"({"n": 6})") == "/n must be at most 5");
}

} // namespace
} // namespace sallyport::contract::test::files_beside_test
