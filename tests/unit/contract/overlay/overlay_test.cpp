// Overlays: what they change, what is refused, and the places of problems.
#include "gateway/contract/overlay/overlay.h"

#include "config/yaml_print.h"
#include "gateway/contract/contract.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract::overlay_test {
namespace {

namespace yaml = config::yaml;
using sallyport::test::TemporaryFolder;

constexpr std::string_view head_1_1 = "overlay: 1.1.0\ninfo: {title: O, version: '1'}\n";
constexpr std::string_view head_1_0 = "overlay: 1.0.0\ninfo: {title: O, version: '1'}\n";

[[nodiscard]] yaml::Document applied(std::string_view document,
                                     std::vector<std::string> const& overlays) {
    std::vector<yaml::Document> read;
    for (std::string const& overlay : overlays) {
        std::string const name = read.empty() ? "o.yaml" : "p.yaml";
        read.push_back(yaml::load_text(overlay, name));
    }
    return with_overlays(yaml::load_text(document, "api.yaml"), std::move(read));
}

// The result as YAML in one line, and the problems, each on a line of its own.
[[nodiscard]] std::string result_of(std::string_view document,
                                    std::vector<std::string> const& overlays) {
    auto const result = applied(document, overlays);
    std::string out = result.is_whole() ? yaml::to_yaml(result.root()) : "not whole\n";
    for (yaml::Problem const& problem : result.problems())
        out += (problem.severity == yaml::Severity::warning ? "" : "error: ") + describe(problem)
               + '\n';
    return out;
}

// Of the overlay's actions, of version 1.1.
[[nodiscard]] std::string changed(std::string_view document, std::string_view actions) {
    return result_of(document,
                     {std::string{head_1_1} + "actions:\n" + std::string{actions} + '\n'});
}
[[nodiscard]] std::string changed_1_0(std::string_view document, std::string_view actions) {
    return result_of(document,
                     {std::string{head_1_0} + "actions:\n" + std::string{actions} + '\n'});
}

TEST_CASE("an invalid overlay is an error with its place, and nothing is applied") {
    struct Case {
        std::string overlay;
        std::string problem;
    };
    std::string const action = "actions: [{target: $.a, update: 2}]\n";
    std::string const info = "info: {title: O, version: '1'}\n";
    for (
        auto const& [overlay, problem] : std::vector<Case>{
            {"", "o.yaml:1:1: must be a mapping, and is null"},
            {"[]", "o.yaml:1:1: must be a mapping, and is a list"},
            {info + action, "o.yaml:1:1: overlay: must be version 1.0 or 1.1 of the Overlay "
                            "Specification; write overlay: 1.1.0"},
            {"overlay: 1.1\n" + info + action,
             "o.yaml:1:10: overlay: must be version 1.0 or 1.1 of the Overlay Specification; "
             "write overlay: 1.1.0"},
            {"overlay: 1.2.0\n" + info + action,
             "o.yaml:1:10: overlay: must be version 1.0 or 1.1 of the Overlay Specification; "
             "write overlay: 1.1.0"},
            {"overlay: 1.1.0\n" + action,
             "o.yaml:1:1: info: is missing; write info: {title: ..., version: ...}"},
            {"overlay: 1.1.0\ninfo: {title: O}\n" + action,
             "o.yaml:2:7: info.version: is missing; write version: ..."},
            {"overlay: 1.1.0\ninfo: {title: O, version: 1}\n" + action,
             "o.yaml:2:27: info.version: must be a string, and is an integer; write it in "
             "quotes"},
            {"overlay: 1.1.0\ninfo: {title: O, version: '1', verzion: '2'}\n" + action,
             R"(o.yaml:2:32: info.verzion: "verzion" of info is unknown; did you mean "version"?)"},
            {"overlay: 1.1.0\n" + info,
             "o.yaml:1:1: actions: must be a list of at least one action; write - target: "
             "$.paths"},
            {"overlay: 1.1.0\n" + info + "actions: []",
             "o.yaml:3:10: actions: must be a list of at least one action; write - target: "
             "$.paths"},
            {"overlay: 1.1.0\n" + info + "action: []\n" + action,
             R"(o.yaml:3:1: action: "action" of an overlay is unknown; did you mean "actions"?)"},
            {"overlay: 1.1.0\nextends: 1\n" + info + action,
             "o.yaml:2:10: extends: must be a string, and is an integer; write it in quotes"},
        }) {
        CAPTURE(overlay);
        CHECK(result_of("a: 1", {overlay}) == "not whole\nerror: " + problem + '\n');
    }
}

TEST_CASE("an invalid action is an error with its place") {
    struct Case {
        std::string action;
        std::string problem;
    };
    for (auto const& [action, problem] : std::vector<Case>{
             {"- $.a", "4:3: actions[0]: must be a mapping, and is a string"},
             {"- {update: 2}", "4:3: actions[0].target: is missing; write the JSONPath of what is "
                               "changed, such as $.paths['/a'].get"},
             {"- {target: 1, update: 2}",
              "4:12: actions[0].target: must be a string, and is an integer; write it in quotes"},
             {"- {target: a, update: 2}",
              "4:12: actions[0].target: is no JSONPath (RFC 9535): at character 1: a query begins "
              "with $, which is the whole document; write $ in front of it"},
             {"- {target: \"$.ä.b-c\", update: 2}",
              "4:12: actions[0].target: is no JSONPath (RFC 9535): at character 6: neither '.' nor "
              "'[' nor the end of the query; put names with other characters than letters, digits "
              "and _ in brackets: ['a-b']"},
             {"- {target: $.a, updat: 2, update: 2}",
              R"(4:17: actions[0].updat: "updat" of an action is unknown; did you mean "update"?)"},
             {"- {target: $.a, remove: 'yes'}",
              "4:25: actions[0].remove: must be a boolean, and is a string; write true or false"},
             {"- {target: $.a, update: 2, description: 1}",
              "4:41: actions[0].description: must be a string, and is an integer; write it in "
              "quotes"},
             {"- {target: $.a, copy: $.}",
              "4:23: actions[0].copy: is no JSONPath (RFC 9535): at character 3: a name or * is "
              "missing; put other names in brackets: ['a-b']"},
             {"- {target: $.a, copy: $.b, update: 1}",
              "4:3: actions[0]: has update and copy, of which each takes the effect of the other; "
              "write two actions"},
         }) {
        CAPTURE(action);
        CHECK(changed("a: 1", action).find("not whole\n") == 0);
        CHECK(changed("a: 1", action).find("error: o.yaml:" + problem + '\n') != std::string::npos);
    }
    CHECK(changed_1_0("a: 1", "- {target: $.a, copy: $.b}")
              .find("actions[0].copy: is not part of version 1.0; write overlay: 1.1.0")
          != std::string::npos);
    // All problems of all overlays at once, also those of YAML.
    auto const both = result_of("a: 1", {"overlay: 1.1.0\n", "overlay: [\n"});
    CHECK(both.find("o.yaml:1:1: info: is missing") != std::string::npos);
    CHECK(both.find("error: p.yaml:") != std::string::npos);
}

TEST_CASE("update merges mappings, appends to lists and replaces other values") {
    CHECK(
        changed("a: {b: 1, c: {d: [1]}}",
                "- {target: $.a, update: {b: 2, c: {d: [2, 3], e: 4}, f: {g: 5}}}")
        == "a:\n  b: 2\n  c:\n    d:\n      - 1\n      - 2\n      - 3\n    e: 4\n  f:\n    g: 5\n");
    CHECK(changed("a: {b: 1}", "- {target: $, update: {c: 2, a: {b: text}}}")
          == "a:\n  b: text\nc: 2\n");
    CHECK(changed("a: [1]", "- {target: $.a, update: [2]}") == "a:\n  - 1\n  - 2\n");
    CHECK(changed("a: [1]", "- {target: $.a, update: {b: 2}}") == "a:\n  - 1\n  - b: 2\n");
    CHECK(changed("a: [1]", "- {target: $.a, update: 2}") == "a:\n  - 1\n  - 2\n");
    CHECK(changed("a: 1", "- {target: $.a, update: 'true'}") == "a: \"true\"\n");
    CHECK(changed("a: [{b: x}, {b: z}]", "- {target: \"$.a[?@.b == 'z']\", update: {c: 1}}")
          == "a:\n  - b: x\n  - b: z\n    c: 1\n");
    // Each selected value once, also if the query selects it twice.
    CHECK(changed("a: [1]", "- {target: \"$['a', 'a']\", update: 2}") == "a:\n  - 1\n  - 2\n");
    // Actions see the result of those before them, and overlays too.
    CHECK(result_of("a: {}",
                    {std::string{head_1_1}
                         + "actions: [{target: $.a, update: {b: {}}}, {target: $.a.b, update: {c: "
                           "1}}]",
                     std::string{head_1_1} + "actions: [{target: $.a.b, update: {d: 2}}]"})
          == "a:\n  b:\n    c: 1\n    d: 2\n");
}

TEST_CASE("values of different kinds cannot be merged") {
    CHECK(changed("a: {b: [1]}", "- {target: $.a, update: {b: 2}}")
          == "not whole\nerror: o.yaml:4:29: actions[0].update.b: an integer cannot be merged into "
             "a list, the one at api.yaml:1:8; remove that one in an action before this\n");
    CHECK(changed("a: {b: 1}", "- {target: $.a, update: 2}").find("not whole\n") == 0);
    CHECK(changed("a: {b: 1}", "- {target: $.a.b, update: {c: 1}}").find("not whole\n") == 0);
    CHECK(changed("a: {b: 1, c: []}", "- {target: $.a.*, update: 2}")
          == "not whole\nerror: o.yaml:4:12: actions[0].target: selects values of different kinds, "
             "at api.yaml:1:8 and api.yaml:1:14; write an action for each kind\n");
    // Removing has no value that would have to fit.
    CHECK(changed("a: {b: 1, c: []}", "- {target: $.a.*, remove: true}") == "a: {}\n");
}

TEST_CASE("remove takes away properties and items") {
    CHECK(changed("a: {b: 1, c: 2, d: 3}", "- {target: \"$.a['d', 'b']\", remove: true}")
          == "a:\n  c: 2\n");
    CHECK(changed("a: [0, 1, 2, 3, 4]", "- {target: \"$.a[?@ == 1 || @ > 2]\", remove: true}")
          == "a:\n  - 0\n  - 2\n");
    // A value, and what is in it.
    CHECK(changed("a: {x: {x: {x: 1}, b: 2}, b: 3}", "- {target: $..x, remove: true}")
          == "a:\n  b: 3\n");
    // Removed properties are found no more, the others still are.
    CHECK(changed("a: {b: 1, c: 2, d: 3}",
                  "- {target: $.a.b, remove: true}\n- {target: $.a.d, update: 4}\n"
                  "- {target: $.a, update: {b: 5}}")
          == "a:\n  c: 2\n  d: 4\n  b: 5\n");
    CHECK(changed("a: 1", "- {target: $, remove: true}")
          == "not whole\nerror: o.yaml:4:12: actions[0].target: is the whole document, which "
             "cannot be removed; remove parts of it\n");
    CHECK(changed("a: 1", "- {target: $.a, remove: false, update: 2}") == "a: 2\n");
    CHECK(changed("a: 1\nb: 2", "- {target: $.a, remove: true, update: 2}")
          == "b: 2\no.yaml:4:3: warning: actions[0]: update has no effect beside remove: true; "
             "remove one of them\n");
}

TEST_CASE("copy merges a value of the document itself") {
    // To rename a property.
    CHECK(changed("a: {old: {b: 1}}", "- {target: $.a, update: {new: {}}}\n"
                                      "- {target: $.a.new, copy: $.a.old}\n"
                                      "- {target: $.a.old, remove: true}")
          == "a:\n  new:\n    b: 1\n");
    CHECK(changed("a: {b: [1], c: [2]}", "- {target: $.a.b, copy: $.a.c}")
          == "a:\n  b:\n    - 1\n    - 2\n  c:\n    - 2\n");
    // A value into itself.
    CHECK(changed("a: [1, [2]]", "- {target: $.a, copy: $.a}")
          == "a:\n  - 1\n  - - 2\n  - 1\n  - - 2\n");
    CHECK(changed("a: {b: 1, c: 2}", "- {target: $.a.b, copy: $.a.*}")
          == "not whole\nerror: o.yaml:4:25: actions[0].copy: selects 2 values; write a JSONPath "
             "that selects one value\n");
    CHECK(changed("a: {b: 1}", "- {target: $.a.b, copy: $.a.c}")
          == "not whole\nerror: o.yaml:4:25: actions[0].copy: matches nothing in api.yaml; write a "
             "JSONPath that selects one value\n");
    CHECK(changed("a: {b: 1, c: []}", "- {target: $.a.b, copy: $.a.c}")
          == "not whole\nerror: o.yaml:4:25: actions[0].copy: a list, the one at api.yaml:1:14, "
             "cannot be merged into an integer, the one at api.yaml:1:8; remove that one in an "
             "action before this\n");
}

TEST_CASE("what has no effect, or another one than may be meant, is a warning") {
    CHECK(changed("a: 1", "- {target: $.b, update: 2}\n- {target: $.a, update: 3}")
          == "a: 3\no.yaml:4:12: warning: actions[0].target: matches nothing in api.yaml; correct "
             "it, or remove the action\n");
    CHECK(changed("a: 1", "- {target: $.a}")
          == "a: 1\no.yaml:4:3: warning: actions[0]: changes nothing; write update, copy or "
             "remove: true\n");
    CHECK(changed("a: [x]", "- {target: \"$.a[?search(@, '(')]\", remove: true}")
              .find("o.yaml:4:12: warning: actions[0].target: the pattern \"(\" matches nothing, "
                    "because it is no I-Regexp (RFC 9485): a group that is never closed")
          != std::string::npos);
    auto const extends = [](std::string const& reference) {
        return result_of("a: 1", {std::string{head_1_1} + "extends: " + reference
                                  + "\nactions: [{target: $.a, update: 2}]"});
    };
    CHECK(extends("./api.yaml") == "a: 2\n");
    CHECK(extends("https://example.test/v1/api.yaml") == "a: 2\n");
    CHECK(extends("other.yaml")
          == "a: 2\no.yaml:3:10: warning: extends: names another document than api.yaml, to which "
             "the overlay is applied; write the document's name, or remove extends\n");
}

TEST_CASE("version 1.0 appends a list as one item, and does not define other values") {
    CHECK(changed_1_0("a: [1]", "- {target: $.a, update: 2}") == "a:\n  - 1\n  - 2\n");
    CHECK(
        changed_1_0("a: [1]", "- {target: $.a, update: [2]}")
        == "a:\n  - 1\n  - - 2\no.yaml:4:25: warning: actions[0].update: is appended as one item, "
           "a list in the list: so version 1.0 defines it; write overlay: 1.1.0 to append its "
           "items\n");
    CHECK(changed_1_0("a: {b: [1]}", "- {target: $.a, update: {b: [2]}}")
          == "a:\n  b:\n    - 1\n    - 2\n");
    CHECK(changed_1_0("a: 1", "- {target: $.a, update: 2}")
              .find("a: 2\no.yaml:4:12: warning: actions[0].target: selects a value that is "
                    "neither a mapping nor a list, which version 1.0 does not define")
          == 0);
}

TEST_CASE("the number of overlays, of actions and of values is limited") {
    TemporaryFolder folder;
    std::string const file =
        folder.write("o.yaml", std::string{head_1_1} + "actions: [{target: $.a, update: 2}]");
    auto const with = [&](std::size_t count) {
        return with_overlays(yaml::load_text("a: 1", "api.yaml"),
                             std::vector<std::string>(count, file));
    };
    CHECK(with(max_overlays).is_whole());
    auto const too_many = with(max_overlays + 1);
    CHECK_FALSE(too_many.is_whole());
    CHECK(describe(too_many.problems().at(0))
          == "api.yaml:1:1: has more than 64 overlays; write several actions into one");

    std::string actions;
    for (std::size_t i = 0; i < max_actions; ++i)
        actions += "- {target: $.a, update: 2}\n";
    CHECK(changed("a: 1", actions) == "a: 2\n");
    CHECK(changed("a: 1", actions + "- {target: $.a, update: 2}\n")
              .find("actions: has more than 10000 actions")
          != std::string::npos);

    // Each action doubles the list.
    std::string doubling;
    for (int i = 0; i < 25; ++i)
        doubling += "- {target: $.a, copy: $.a}\n";
    CHECK(changed("a: [1]", doubling).find("makes the document larger than 2000000 values")
          != std::string::npos);
    auto const nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    std::string innermost = "$.a";
    for (int i = 0; i < 99; ++i)
        innermost += "[0]";
    auto const deepened = [&](std::size_t depth) {
        return changed("a: " + nested(100),
                       "- {target: '" + innermost + "', update: [" + nested(depth) + "]}");
    };
    CHECK(deepened(27).find("a:\n") == 0);
    CHECK(deepened(28).find("nests the document deeper than 128 levels") != std::string::npos);
    // A query whose work is beyond all bounds.
    std::string const wide = "a: [" + [] {
        std::string items;
        for (int i = 0; i < 20'000; ++i)
            items += "1, ";
        return items;
    }() + "]";
    CHECK(changed(wide, "- {target: '$.a[?count($..*) > 1]', remove: true}")
              .find("actions[0].target: needs more work than all overlays of a document may take")
          != std::string::npos);
}

TEST_CASE("a problem of a contract names the overlay that the value comes from") {
    TemporaryFolder folder;
    std::string const overlay = folder.write(
        "ours.overlay.yaml", std::string{head_1_1}
                                 + "actions:\n  - target: $.paths['/a'].get\n    update:\n"
                                   "      parameters: [{name: x, in: query, schema: {tipe: 1}}]\n");
    constexpr std::string_view document =
        "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a: {get: {operationId: a}}\n"
        "  /b: {get: {operationId: b, typo: 1}}\n";
    auto const loaded = Contract::load_text(document, "api.yaml", {{}, {overlay}});
    CHECK(loaded.contract == nullptr);
    REQUIRE(loaded.problems.size() == 3);
    CHECK(describe(loaded.problems.back()).find("api.yaml: the gateway cannot enforce") == 0);
    std::string all;
    for (auto const& problem : loaded.problems)
        all += describe(problem) + '\n';
    CHECK(all.find("api.yaml:5:30: warning: paths[\"/b\"].get.typo: ") != std::string::npos);
    CHECK(all.find(overlay + ":6:50: paths[\"/a\"].get.parameters[0].schema.tipe: ")
          != std::string::npos);
}

TEST_CASE("a contract is loaded as its overlays leave it, and reports their warnings once") {
    TemporaryFolder folder;
    std::string const overlay = folder.write(
        "ours.overlay.yaml", std::string{head_1_0}
                                 + "actions:\n  - {target: \"$.paths['/b']\", remove: true}\n"
                                   "  - {target: $.paths, update: {/c: {post: {operationId: c}}}}\n"
                                   "  - {target: $.nothing, remove: true}\n");
    constexpr std::string_view document =
        "openapi: 3.1.0\ninfo: {title: T}\npaths:\n  /a: {get: {operationId: a}}\n"
        "  /b: {trace: {no: such}}\n";
    auto const loaded = Contract::load_text(document, "api.yaml", {{}, {overlay}});
    REQUIRE(loaded.contract != nullptr);
    std::vector<std::string> names;
    for (auto const& operation : loaded.contract->operations())
        names.push_back(operation.id);
    CHECK(names == std::vector<std::string>{"a", "c"});
    REQUIRE(loaded.problems.size() == 1);
    CHECK(describe(loaded.problems[0]).find(overlay + ":6:14: warning: actions[2].target: matches nothing")
          != std::string::npos);
    // A missing file, and one that is no overlay.
    auto const missing = Contract::load_text(document, "api.yaml", {{}, {"/no/such.yaml"}});
    CHECK(missing.contract == nullptr);
    REQUIRE(missing.problems.size() == 1);
    CHECK(describe(missing.problems[0]).find("/no/such.yaml: cannot be read: ") == 0);
}

} // namespace
} // namespace sallyport::contract::overlay_test
