// Every key of the configuration and of the credentials, and every x- extension of a contract, has
// an observable effect. A key or an extension without a row here fails.
#include "tests/end_to_end/every_key.h"

#include "tests/support/json.h"
#include "tests/support/machine.h"

#include <catch2/catch.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <set>

namespace e26_every_key {

using namespace sallyport::test;

namespace {

using Leaf = std::pair<std::string, std::string>; // where, and the value

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (auto const& some : {rows_of_the_network(), rows_of_upstreams(), rows_of_apis(),
                             rows_of_rules(), rows_of_the_edge(), rows_of_assertions(),
                             rows_of_tokens(), rows_of_introspection(), rows_of_logs_and_callers()})
        rows.insert(rows.end(), some.begin(), some.end());
    return rows;
}

// Whether `key` is `of`, or a part of it.
bool is_at_or_below(std::string const& key, std::string const& of) {
    return key == of || (key.starts_with(of) && (key[of.size()] == '.' || key[of.size()] == '['));
}

bool is_reference(Json const& schema) {
    return schema.has("$ref") && schema.text("$ref") == "#/$defs/reference";
}

// Only one value is allowed, which is the default: others are not implemented.
bool has_one_value(Json const& schema) {
    if (schema.has("maxItems")) return schema["maxItems"].number == 0;
    if (schema.has("items")) return has_one_value(schema["items"]);
    if (schema.has("enum")) return schema["enum"].items.size() == 1;
    if (!schema.has("anyOf")) return false;
    std::size_t choices = 0;
    for (auto const& one : schema["anyOf"].items) {
        if (is_reference(one)) continue;
        if (!has_one_value(one)) return false;
        ++choices;
    }
    return choices == 1;
}

// The keys of a schema without keys below them, from the tables of the program's reader.
void add_keys(Json const& schema, std::string const& path, std::set<std::string>& keys) {
    auto const add = [&](Json const& below, std::string const& at) {
        auto const before = keys.size();
        add_keys(below, at, keys);
        bool const is_leaf = keys.size() == before && !below.has("properties");
        if (is_leaf && !has_one_value(below)) keys.insert(at);
    };
    if (schema.has("properties")) {
        for (auto const& member : schema["properties"].members)
            add(member.value, path.empty() ? member.name : path + "." + member.name);
    }
    if (schema.has("items")) add_keys(schema["items"], path + "[]", keys);
    if (schema.has("additionalProperties")
        && schema["additionalProperties"].kind == Json::Kind::object)
        add(schema["additionalProperties"], path + ".NAME");
    if (!schema.has("anyOf")) return;
    for (auto const& one : schema["anyOf"].items)
        add_keys(one, path, keys);
}

std::set<std::string> keys_of_the_program() {
    std::set<std::string> keys;
    for (auto const& arguments : {std::vector<std::string>{"config", "schema"},
                                  std::vector<std::string>{"config", "schema", "--credentials"}}) {
        auto const printed = run_gateway(arguments);
        REQUIRE(printed.exit_code == 0);
        add_keys(Json::parse(printed.output), {}, keys);
    }
    return keys;
}

// Names of extensions are literals in the sources of the contract engine, and nowhere else.
std::set<std::string> extensions_of_the_program() {
    std::set<std::string> names;
    static std::regex const literal{"\"(x-[a-z]+(-[a-z]+)*)\""};
    for (auto const& entry :
         std::filesystem::recursive_directory_iterator{sources() / "gateway/contract"}) {
        if (!entry.is_regular_file()) continue;
        auto const text = read_file(entry.path());
        for (std::sregex_iterator found{text.begin(), text.end(), literal}, end; found != end;
             ++found)
            names.insert((*found)[1]);
    }
    return names;
}

// The keys of x-timeouts, from the program's message for another one.
std::set<std::string> times_of_the_program() {
    TemporaryFolder const folder;
    auto const file = folder.write("times.yaml", contract_with("x-timeouts: { zzzzzzzzzzzz: 1s }"));
    auto const output = run_gateway({"contract", "check", file.string()}).output;
    auto const at = output.find("write one of ");
    REQUIRE(at != std::string::npos);
    auto const list = output.substr(at + 13, output.find('\n', at) - at - 13);
    static std::regex const word{"[a-z_]+"};
    std::set<std::string> names;
    for (std::sregex_iterator found{list.begin(), list.end(), word}, end; found != end; ++found)
        if (found->str() != "or") names.insert("x-timeouts." + found->str());
    return names;
}

// A document as the values at its keys, named as in a schema.
void add_leaves(YAML::Node const& node, std::string const& path, std::vector<Leaf>& leaves) {
    static std::set<std::string> const named{"upstreams",
                                             "apis",
                                             "credentials[].allow",
                                             "credentials[].labels",
                                             "htpasswd.labels",
                                             "upstreams.NAME.identity.labels",
                                             "apis.NAME.identity.labels",
                                             "apis.NAME.headers.request.set",
                                             "apis.NAME.headers.request.add",
                                             "apis.NAME.headers.response.set",
                                             "apis.NAME.headers.response.add",
                                             "apis.NAME.introspection.labels",
                                             "apis.NAME.introspection.required_claims",
                                             "apis.NAME.introspection.roles.mapping",
                                             "apis.NAME.jwt.labels",
                                             "apis.NAME.jwt.required_claims",
                                             "apis.NAME.jwt.roles.mapping"};
    if (node.IsScalar()) leaves.emplace_back(path, node.Scalar());
    if (node.IsNull()) leaves.emplace_back(path, "null");
    if (node.IsSequence()) {
        for (auto const& item : node)
            add_leaves(item, path + "[]", leaves);
    }
    if (!node.IsMap()) return;
    for (auto const& entry : node) {
        auto name = entry.first.Scalar();
        bool const is_key = name == "operations" || name == "apis";
        if (named.contains(path) && !(path == "credentials[].allow" && is_key)) name = "NAME";
        add_leaves(entry.second, path.empty() ? name : path + "." + name, leaves);
    }
}

std::string replaced_everywhere(std::string text, std::string const& what,
                                std::string const& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at))
        text.replace(at, what.size(), with);
    return text;
}

// Without the ports of the upstreams, which are others in each run.
std::vector<Leaf> leaves_of(World const& world) {
    auto const& setup = world.setup;
    std::vector<Leaf> leaves;
    for (auto const& text : {setup.configuration.text(), setup.credentials, setup.contract}) {
        auto const without_up = replaced_everywhere(text, world.up.endpoint(), "http://up");
        add_leaves(
            YAML::Load(replaced_everywhere(without_up, world.other.endpoint(), "http://other")), {},
            leaves);
    }
    for (auto const& [name, content] : setup.files)
        leaves.emplace_back("file " + name, content);
    std::sort(leaves.begin(), leaves.end());
    return leaves;
}

// Whether a place of a contract is one of that extension: "x-timeouts.connect", or "x-when".
bool is_of_extension(std::string const& path, std::string const& name) {
    auto const at = path.find("." + name);
    return at != std::string::npos && is_at_or_below(path.substr(at + 1), name);
}

} // namespace

TEST_CASE("every key and every extension has a row here or a test elsewhere, and no others exist") {
    auto known = keys_of_the_program();
    CHECK(known.size() > 70);
    CHECK(known.contains("limits.head"));
    auto const extensions = extensions_of_the_program();
    CHECK(extensions.contains("x-retry"));
    for (auto const& name : extensions)
        if (name != "x-timeouts") known.insert(name);
    for (auto const& name : times_of_the_program())
        known.insert(name);

    std::set<std::string> shown;
    for (auto const& row : all_rows())
        shown.insert(row.key);
    for (auto const& row : rows_elsewhere())
        shown.insert(row.key);
    std::vector<std::string> missing;
    std::set_difference(known.begin(), known.end(), shown.begin(), shown.end(),
                        std::back_inserter(missing));
    CHECK(missing == std::vector<std::string>{});
    for (auto const& key : shown) {
        CAPTURE(key);
        CHECK(std::any_of(known.begin(), known.end(),
                          [&key](std::string const& one) { return is_at_or_below(one, key); }));
    }
}

TEST_CASE("a key that is tested elsewhere has a test there which sets it") {
    for (auto const& row : rows_elsewhere()) {
        CAPTURE(row.key, row.test);
        auto const text = read_file(sources() / "tests" / row.file);
        auto const begin = text.find("TEST_CASE(\"" + row.test + "\"");
        REQUIRE(begin != std::string::npos);
        auto const end = text.find("\nTEST_CASE(", begin + 1);
        auto const word = row.key.substr(row.key.find_last_of('.') + 1);
        CHECK(text.substr(begin, end - begin).find(word) != std::string::npos);
    }
}

TEST_CASE("each key changes observable behaviour") {
    for (auto const& row : all_rows()) {
        CAPTURE(row.key);
        REQUIRE(row.seen[0] != row.seen[1]);
        std::array<std::vector<Leaf>, 2> leaves;
        for (std::size_t i : {0U, 1U}) {
            CAPTURE(row.values[i]);
            World world{row};
            std::string seen;
            try {
                world.start(row, i);
                seen = row.probe(world);
            } catch (std::runtime_error const& error) {
                // Refused because of the value, and not for another reason.
                seen = error.what();
                bool const is_refused =
                    world.gateway == nullptr && seen.find("sallyport.yaml:") != std::string::npos;
                if (is_refused) seen = "does not start";
            }
            CHECK(seen == row.seen[i]);
            world.leave.set();
            leaves[i] = leaves_of(world);
        }
        // Nothing else differs, and the key is written.
        std::vector<Leaf> differing;
        std::set_symmetric_difference(leaves[0].begin(), leaves[0].end(), leaves[1].begin(),
                                      leaves[1].end(), std::back_inserter(differing));
        CHECK_FALSE(differing.empty());
        for (auto const& [path, value] : differing) {
            CAPTURE(path, value);
            CHECK((is_at_or_below(path, row.key) || is_of_extension(path, row.key)));
        }
    }
}

} // namespace e26_every_key
