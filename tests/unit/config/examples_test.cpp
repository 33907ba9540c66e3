// The examples load, and the reference (config/README.md, config/apis.md, config/identity.md,
// config/failures.md, config/permissions.md) lists every key as the tables have it.
#include "config/sections.h"
#include "support.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace examples_test {

using namespace sallyport::config;
using namespace sallyport::config::test;

namespace {

std::string const folder = SALLYPORT_CONFIG_FOLDER;

World const world{{{"UPSTREAM_KEY_ID", "key"}}, {{"/run/secrets/upstream", "secret\n"}}};

ReadConfig load_example(std::string const& name) {
    return load_config(folder + "/examples/" + name, tables(), world.resolver());
}

// "one of `a`, `b` (not built yet)".
std::string words_text(Shape const& shape) {
    std::string out;
    for (WordInfo const& word : shape.words) {
        if (!out.empty()) out += ", ";
        out += '`' + std::string{word.text} + '`';
        if (word.built == Built::not_yet) out += " (not built yet)";
    }
    return out;
}

std::string range_text(Shape const& shape) {
    switch (shape.kind) {
    case ShapeKind::integer:
    case ShapeKind::number:
        return " " + std::to_string(shape.minimum) + " to " + std::to_string(shape.maximum);
    case ShapeKind::duration:
        return " " + format_duration(Duration{shape.minimum}) + " to "
               + format_duration(Duration{shape.maximum});
    case ShapeKind::size:
        return " " + format_size(ByteCount{static_cast<std::uint64_t>(shape.minimum)}) + " to "
               + format_size(ByteCount{static_cast<std::uint64_t>(shape.maximum)});
    default: return {};
    }
}

std::string shape_text(Shape const& shape) {
    switch (shape.kind) {
    case ShapeKind::any: return {};
    case ShapeKind::scalar: return "text, number, true or false";
    case ShapeKind::boolean: return "true or false";
    case ShapeKind::integer: return "integer," + range_text(shape);
    case ShapeKind::number: return "number," + range_text(shape);
    case ShapeKind::duration: return "duration," + range_text(shape);
    case ShapeKind::size: return "size," + range_text(shape);
    case ShapeKind::string: return "text";
    case ShapeKind::file: return "file";
    case ShapeKind::secret: return "secret";
    case ShapeKind::word: return words_text(shape);
    case ShapeKind::section: return "mapping";
    case ShapeKind::list: return "list of: " + shape_text(shape.elements[0]);
    case ShapeKind::named: return "names, each with: " + shape_text(shape.elements[0]);
    case ShapeKind::either:
        return shape_text(shape.elements[0]) + ", or " + shape_text(shape.elements[1]);
    }
    return {};
}

void append_rows(std::vector<std::string>& rows, SectionInfo const& section,
                 std::string const& path);

void append_nested(std::vector<std::string>& rows, Shape const& shape, std::string const& path) {
    if (shape.section != nullptr) append_rows(rows, *shape.section, path);
    std::string const step = shape.kind == ShapeKind::list    ? "[]"
                             : shape.kind == ShapeKind::named ? ".NAME"
                                                              : "";
    for (Shape const& element : shape.elements)
        append_nested(rows, element, path + step);
}

// | `limits.head` | size, 1KiB to 1MiB | `16KiB` | head of a request |
void append_row(std::vector<std::string>& rows, KeyInfo const& key, std::string const& path) {
    std::string const name =
        path.empty() ? std::string{key.name} : path + '.' + std::string{key.name};
    std::string const preset = key.presence == Presence::required ? "required"
                               : key.default_text.empty()         ? ""
                                                                  : '`' + key.default_text + '`';
    std::string const shape =
        key.built == Built::not_yet ? "**not built yet**" : shape_text(key.shape);
    rows.push_back("| `" + name + "` | " + shape + " | " + preset + " | " + std::string{key.help}
                   + " |");
    append_nested(rows, key.shape, name);
}

void append_rows(std::vector<std::string>& rows, SectionInfo const& section,
                 std::string const& path) {
    for (KeyInfo const& key : section.keys)
        append_row(rows, key, path);
    for (KeyInfo const& key : section.rules.others)
        append_row(rows, key, path);
}

} // namespace

TEST_CASE("the smallest example loads") {
    auto const out = load_example("minimal.yaml");
    CHECK(described(out.problems).empty());
    CHECK(out.config.apis.at(0).contract->path == folder + "/contracts/management.yaml");
    CHECK(out.config.credentials.file->path == folder + "/examples/minimal-credentials.yaml");
    auto const keys = load_credentials(out.config, tables(), world.resolver());
    CHECK(described(keys.problems).empty());
    CHECK(keys.credentials.size() == 1);
}

TEST_CASE("the example of a deployment loads, with its credentials") {
    auto const out = load_example("production.yaml");
    REQUIRE(described(out.problems).empty());
    CHECK(out.config.listeners.at(0).tls->certificates.size() == 2);
    CHECK(out.config.upstreams.at(1).endpoints.size() == 2);
    auto const keys = load_credentials(out.config, tables(), world.resolver());
    CHECK(described(keys.problems).empty());
    CHECK(keys.credentials.size() == 3);
}

TEST_CASE("the reference lists every key with its type, range, default and meaning") {
    std::string reference;
    for (std::string const page :
         {"/README.md", "/apis.md", "/failures.md", "/identity.md", "/permissions.md"}) {
        FileText const text = read_file(folder + page, 1 << 20);
        REQUIRE(text.problem.empty());
        reference += text.text;
    }
    std::vector<std::string> rows;
    append_rows(rows, tables().config().info(), {});
    append_rows(rows, tables().credentials().info(), {});
    CHECK(rows.size() > 80);
    std::string missing;
    for (std::string const& row : rows) {
        if (reference.find(row + '\n') == std::string::npos) missing += row + '\n';
    }
    // The rows to put into the reference.
    CHECK(missing == "");

    // And those to take out of it: a row of four cells that begins with a key.
    std::string stale;
    for (std::size_t at = 0; (at = reference.find("\n| `", at)) != std::string::npos;) {
        ++at;
        auto const line = reference.substr(at, reference.find('\n', at) - at);
        bool const is_key = std::count(line.begin(), line.end(), '|') >= 5;
        if (is_key && std::find(rows.begin(), rows.end(), line) == rows.end()) stale += line + '\n';
    }
    CHECK(stale == "");
}

} // namespace examples_test
