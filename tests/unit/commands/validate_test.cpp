// Verdicts of `validate`: its exit codes, its texts, and that no value of a body is ever printed.
#include "folder.h"
#include "gateway/commands/validate.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace validate_test {

using namespace sallyport::commands;
using sallyport::commands::test::Folder;
using sallyport::commands::test::Run;

namespace {

std::string const contract = std::string{SALLYPORT_CONFIG_FOLDER} + "/contracts/management.yaml";

Run validate(ValidateOptions const& options, std::string const& input = {}) {
    std::istringstream in{input};
    std::ostringstream out;
    std::ostringstream err;
    int const exit_code = run_validate(options, in, out, err);
    return {exit_code, out.str(), err.str()};
}

ValidateOptions operation(std::string const& id) {
    ValidateOptions out;
    out.contract = contract;
    out.operation = id;
    return out;
}

ValidateOptions schema(std::string const& path) {
    ValidateOptions out;
    out.schema = path;
    return out;
}

} // namespace

TEST_CASE("a contract that does not load, or lacks the operation, is not a result for the body") {
    Run const unknown = validate(operation("updatePipeSetting"), "{}");
    CHECK(unknown.exit_code == 2);
    CHECK(unknown.out.empty());
    CHECK(unknown.err
          == contract
                 + ": no operation is called \"updatePipeSetting\"; did you mean "
                   "\"updatePipeSettings\"?\n");
    ValidateOptions missing = operation("x");
    missing.contract = "/nonexistent.yaml";
    CHECK(validate(missing, "{}").exit_code == 2);
    CHECK(validate(schema("/nonexistent.json")).exit_code == 2);
    Folder const folder;
    CHECK(validate(schema(folder.write("s.json", R"({"typ": "integer"})")), "1").exit_code == 2);
    for (auto const& none : {std::string{"/nonexistent"}, folder.write("file", "{}")}) {
        ValidateOptions options = schema(folder.write("t.json", "{}"));
        options.schema_folders = {none};
        Run const run = validate(options, "1");
        CHECK(run.exit_code == 2);
        CHECK(run.err == "--schemas: no such folder: " + none + "; write the path of a folder\n");
    }
    ValidateOptions bad_label = operation("createService");
    bad_label.labels = {"tier"};
    CHECK(validate(bad_label, "{}").exit_code == 2);
}

TEST_CASE("a body that violates the contract is refused with each rule, without its values") {
    Run const run =
        validate(operation("updatePipeSettings"),
                 R"({"db_max_threads":65,"db_max_insert_threads":"c4nary","c4nary":1})");
    CHECK(run.exit_code == 1);
    CHECK(run.out.rfind("violated\n", 0) == 0);
    CHECK(run.out.find("  /db_max_threads must be at most 64\n"
                       "    rule /properties/db_max_threads/maximum (management 2.3)\n")
          != std::string::npos);
    CHECK(run.out.find("config/contracts/management.yaml:337\n") != std::string::npos);
    CHECK(run.out.find("/db_max_insert_threads") != std::string::npos);
    CHECK(run.out.find("  properties that the contract does not declare: 1\n")
          != std::string::npos);
    CHECK((run.out + run.err).find("c4nary") == std::string::npos);
}

TEST_CASE("overlays are applied to the contract before a body is held against it") {
    Folder const folder;
    ValidateOptions options;
    options.operation = "put";
    options.contract = folder.write("c.yaml", R"(
openapi: 3.1.0
info: { title: T, version: '1' }
paths:
  /a:
    put:
      operationId: put
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { default: { description: d } }
)");
    CHECK(validate(options, "{}").exit_code == 0);
    options.overlays = {folder.write("o.overlay.yaml", R"(
overlay: 1.1.0
info: { title: Ours, version: '1' }
actions:
  - target: $.paths['/a'].put.requestBody.content['application/json'].schema
    update: { required: [a] }
)")};
    Run const run = validate(options, "{}");
    CAPTURE(run.out, run.err);
    CHECK(run.exit_code == 1);
    options.overlays = {folder.write("broken.yaml", "overlay: 1.1.0\n")};
    CHECK(validate(options, "{}").exit_code == 2);
}

TEST_CASE("a missing body is malformed") {
    CHECK(validate(operation("updatePipeSettings"), "").out
          == "malformed: " + std::string{"the body is empty"} + "\n");
    CHECK(validate(operation("updatePipeSettings"), "").exit_code == 1);
    CHECK(validate(operation("updatePipeSettings"), "{").exit_code == 1);
    Run const unexpected = validate(operation("getPipe"), "{}");
    CHECK(unexpected.exit_code == 1);
    CHECK(unexpected.out == "malformed: the operation takes no body\n");
    ValidateOptions as_json = operation("getPipe");
    as_json.format = Format::json;
    CHECK(
        validate(as_json, "{}").out
        == R"({"instance":null,"outcome":"malformed","malformed":"unexpected","offset":null,)"
           R"("violations":[],"more_violations":false,"unknown_members":0,"deprecated_members":[]})"
           "\n");
}

TEST_CASE("a body that satisfies the contract is valid") {
    CHECK(validate(operation("updatePipeSettings"), R"({"db_max_threads":64})").exit_code == 0);
    CHECK(validate(operation("getPipe"), "").exit_code == 0);
    CHECK(validate(operation("getPipe"), "").out == "valid\n");
}

TEST_CASE("labels are typed, and one without a rule is reported") {
    ValidateOptions options = operation("createService");
    std::string const body = R"({"maxReplicaMemoryGb":124})";
    options.labels = {"paid=false"};
    CHECK(validate(options, body).exit_code == 1);
    options.labels = {"paid=true"};
    CHECK(validate(options, body).exit_code == 0);
    options.labels = {"paid=0"}; // a number, not the boolean
    CHECK(validate(options, body).exit_code == 0);
    options.labels = {"organization_teir=SCALE"};
    Run const unknown = validate(options, body);
    CHECK(unknown.exit_code == 0);
    CHECK(unknown.err
          == "warning: no rule of the contract asks for the label \"organization_teir\"; did you "
             "mean \"organization_tier\"?\n");
}

TEST_CASE("several files are checked against a schema, and an invalid one decides the exit code") {
    Folder const folder;
    ValidateOptions options = schema(folder.write("s.json", R"({"type":"integer","maximum":5})"));
    std::string const good = folder.write("good.json", "5");
    std::string const bad = folder.write("bad.json", "6");
    options.instances = {good};
    CHECK(validate(options).exit_code == 0);
    options.instances = {good, bad};
    Run const run = validate(options);
    CHECK(run.exit_code == 1);
    CHECK(run.out.find(good + ": valid\n") != std::string::npos);
    CHECK(run.out.find(bad + ": violated\n") != std::string::npos);
    options.instances = {"-"};
    CHECK(validate(options, "4").exit_code == 0);
    options.instances = {good, "/nonexistent.json"};
    CHECK(validate(options).exit_code == 1);
}

TEST_CASE("an instance is read as YAML only if its name ends so") {
    Folder const folder;
    auto options = schema(folder.write(
        "s.json",
        R"({"type": "object", "additionalProperties": {"type": ["integer", "string"]}})"));
    options.instances = {folder.write("broken.yaml", "a: 1\na: 2\n")};
    CHECK(validate(options).exit_code == 1);
    CHECK(validate(options).err
          == options.instances[0]
                 + ": cannot be read: line 2: the key is given twice, first on line 1\n");
    options.instances = {folder.write("wrong.yml", "a: true\n")};
    CHECK(validate(options).exit_code == 1);
    options.instances = {folder.write("none.json", "a: 1\n")};
    CHECK(validate(options).out.find("malformed") != std::string::npos);

    options.instances = {folder.write("right.yaml", "a: 0x1F\nb: off\nc: \"1\"\n")};
    CHECK(validate(options).out == options.instances[0] + ": valid\n");
    options.instances = {folder.write("right.yml", "{}\n")};
    CHECK(validate(options).exit_code == 0);
}

} // namespace validate_test
