// The names of operations that a document gives no usable operationId.
#include "tests/unit/contract/support.h"

#include <catch2/catch.hpp>

namespace sallyport::contract::test::load_names_test {
namespace {

[[nodiscard]] Loaded load(std::string const& paths) {
    return Contract::load_text("openapi: 3.1.0\ninfo: {title: T}\npaths:\n" + paths, "api.yaml");
}

// METHOD path = name, in the order of the document.
[[nodiscard]] std::vector<std::string> names_of(std::string const& paths) {
    auto const loaded = load(paths);
    std::vector<std::string> names;
    if (!loaded.contract) return {describe(loaded.problems.at(0))};
    for (auto const& operation : loaded.contract->operations())
        names.push_back(operation.method + ' ' + operation.path + " = " + operation.id);
    return names;
}

[[nodiscard]] std::vector<std::string> problems_in(std::string const& paths) {
    std::vector<std::string> all;
    for (auto const& problem : load(paths).problems)
        all.push_back(describe(problem));
    return all;
}

constexpr auto with_id = "parameters: [{name: id, in: path, required: true, schema: {}}], ";

TEST_CASE("the second operation of one operationId has a name of method and path") {
    for (std::string const id : {"o", "a b"}) {
        std::string const paths = "  /a: {get: {operationId: " + id + "}, put: {operationId: " + id
                                  + "}}\n  /put/a: {get: {operationId: put_a}}\n";
        auto const problems = problems_in(paths);
        REQUIRE_FALSE(problems.empty());
        CHECK(problems.back().find(": warning: paths[\"/a\"].put.operationId: \"" + id
                                   + "\" is also the name of paths[\"/a\"].get: this operation is "
                                     "named put_a_")
              != std::string::npos);
        auto const contract = load(paths).contract;
        REQUIRE(contract != nullptr);
        CHECK(contract->find_operation(id == "o" ? "o" : "a_b")->method == "GET");
        CHECK(contract->find_operation("put_a")->path == "/put/a");
    }
    // It depends on no other operation.
    CHECK(names_of("  /b: {get: {operationId: o}, put: {operationId: o}}\n")
          == names_of("  /b: {get: {operationId: o}, put: {}}\n"));
}

TEST_CASE("an operation without an operationId is named by its method and path") {
    CHECK(names_of("  /: {get: {}}\n  /v1/users.d/{id}/me-too: {" + std::string{with_id}
                   + "get: {}, patch: {}}\n  /caf%C3%A9: {delete: {}}\n")
          == std::vector<std::string>{"GET / = get",
                                      "GET /v1/users.d/{id}/me-too = get_v1_users.d_id_me-too",
                                      "PATCH /v1/users.d/{id}/me-too = patch_v1_users.d_id_me-too",
                                      "DELETE /caf%C3%A9 = delete_caf_C3_A9"});
    CHECK(problems_in("  /a: {get: {}, put: {}}\n  /b: {get: {operationId: o}}\n")
          == std::vector<std::string>{
              "api.yaml:4:3: warning: paths: 2 operations have no operationId, and a name of "
              "method and path, such as get_a; write an operationId for each: a made name changes "
              "with its path"});
}

TEST_CASE("an operationId with other characters is written with underscores for them") {
    CHECK(names_of("  /a: {get: {operationId: repos/list all}, put: {operationId: 5},\n"
                   "       post: {operationId: '\xE4\xB8\x80'}}\n")
          == std::vector<std::string>{"GET /a = repos_list_all", "PUT /a = 5", "POST /a = post_a"});
    CHECK(problems_in("  /a: {get: {operationId: repos/list}}\n")
          == std::vector<std::string>{
              "api.yaml:4:3: warning: paths: 1 operationId has other characters than letters, "
              "digits, _, - and ., and is written like repos_list; write that name in the "
              "configuration"});
}

TEST_CASE("made names that are equal all get a distinction, which no other operation changes") {
    std::string const both = "  /a/b: {get: {}}\n  /a-b: {get: {}}\n  /a_b: {get: {}}\n";
    auto const names = names_of(both);
    REQUIRE(names.size() == 3);
    CHECK(names[0] == "GET /a/b = get_a_b_4894037c");
    CHECK(names[1] == "GET /a-b = get_a-b");
    CHECK(names[2] == "GET /a_b = get_a_b_277f3f0c");
    // In another order, and with a written name in place of one of them.
    CHECK(names_of("  /a_b: {get: {}}\n  /a/b: {get: {}}\n").at(1) == names[0]);
    CHECK(names_of("  /a/b: {get: {}}\n  /c: {get: {operationId: get_a_b}}\n")
          == std::vector<std::string>{names[0], "GET /c = get_a_b"});
    CHECK(names_of("  /a/b: {get: {}}\n  /c: {get: {operationId: get a b}}\n").at(0) == names[0]);
    // A name that was written to be equal even so.
    auto const problems =
        problems_in("  /a/b: {get: {}}\n  /c: {get: {operationId: get_a_b}, put: {operationId: "
                    "get_a_b_4894037c}}\n");
    REQUIRE_FALSE(problems.empty());
    CHECK(problems[0].find("the name \"get_a_b_4894037c\" would be made for GET /a/b, and is also "
                           "that of paths[\"/c\"].put; write an operationId")
          != std::string::npos);
}

} // namespace
} // namespace sallyport::contract::test::load_names_test
