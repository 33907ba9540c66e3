// Fuzzes JSONPath: the first line of an input is a query, the rest a document. What is selected is
// found again by its normalized path, and a document that is written as YAML is read as the same.
#include "check.h"

#include "config/yaml_print.h"
#include "gateway/contract/overlay/jsonpath.h"

#include <string>

namespace {

using namespace sallyport;
using contract::jsonpath::Work;
using fuzz::check;
namespace jsonpath = contract::jsonpath;
namespace yaml = config::yaml;

constexpr std::uint64_t work = 20'000;
constexpr std::size_t most_looked_up = 20;

void check_match(yaml::Node const& root, jsonpath::Match const& match) {
    yaml::Node const* node = &root;
    for (std::uint32_t const index : match.location) {
        auto const size = node->items().size() + node->entries().size();
        check(index < size, "a location has a child at each index");
        node = node->is_mapping() ? &node->entries()[index].value : &node->items()[index];
    }
    check(node == match.node, "a location leads to its node");
    auto const path = jsonpath::normalized_path(root, match.location);
    if (path.size() > jsonpath::max_text) return;
    auto const parsed = jsonpath::parse(path);
    check(parsed.query.has_value(), "a normalized path is a query");
    check(parsed.query->is_singular(), "that selects one node at most");
    Work enough;
    auto const found = jsonpath::select(*parsed.query, root, enough);
    check(found.matches.size() == 1, "and selects one");
    check(found.matches.front().node == match.node, "the same");
}

void check_printed(yaml::Node const& root) {
    auto const once = yaml::to_yaml(root);
    auto const again = yaml::load_text(once, "again.yaml");
    check(again.problems().empty(), "what is written can be read");
    check(yaml::to_yaml(again.root()) == once, "and is the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const input = fuzz::view_of(data, size);
    std::size_t const end = std::min(input.find('\n'), input.size());
    fuzz::Copy const text{input.substr(0, end)};
    auto const parsed = jsonpath::parse(text.view());
    check(parsed.query.has_value() == parsed.error.empty(), "a query, or why there is none");
    check(parsed.offset <= text.view().size(), "a problem has its place in the text");
    auto const document =
        yaml::load_text(input.substr(std::min(end + 1, input.size())), "document.yaml");
    if (!document.is_whole()) return 0;
    if (!document.has_errors()) check_printed(document.root());
    if (!parsed.query) return 0;
    Work left{work};
    auto const selected = jsonpath::select(*parsed.query, document.root(), left);
    check(left.left <= work, "work is only used up");
    check(selected.matches.size() <= work, "each match costs work");
    check(selected.is_whole || selected.matches.empty(), "no part of a result");
    check(!parsed.query->is_singular() || selected.matches.size() <= 1, "one node at most");
    for (std::size_t i = 0; i < std::min(selected.matches.size(), most_looked_up); ++i)
        check_match(document.root(), selected.matches[i]);
    return 0;
}
