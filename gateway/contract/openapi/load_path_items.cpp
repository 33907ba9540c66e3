// Path items that refer to others by `$ref`: what stands beside the reference and what it leads to
// become one path item.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// `api.yaml:12:3`
[[nodiscard]] std::string place_of(yaml::Mark const& mark) {
    return std::string{mark.file_name()} + ':' + std::to_string(mark.line) + ':'
           + std::to_string(mark.column);
}

} // namespace

Target const* Loader::WholePathItem::find(std::string_view key) const noexcept {
    auto const found = fields.find(key);
    return found == fields.end() ? nullptr : &found->second;
}

// OpenAPI 3.1, 4.8.9: a `$ref` leads to another path item; what happens to a field that both have
// is undefined. Here it is an error; anything else is taken from either.
std::optional<Loader::WholePathItem>
Loader::whole_path_item(Node const& node, std::string const& path, Keys const& keys) {
    WholePathItem whole;
    Target part{&node, path, &documents_->document_of(node)};
    constexpr std::size_t most_parts = 16;
    for (std::size_t parts = 1;; ++parts) {
        if (!check_keys(*part.node, part.path, keys)) return std::nullopt;
        add_part(whole, part, keys);
        Node const* const reference = part.node->find("$ref");
        if (reference == nullptr) return whole;
        std::string const at = yaml::join_key(part.path, "$ref");
        if (!reference->is_string()) {
            error(*reference, at, "must be a string");
            return std::nullopt;
        }
        if (parts == most_parts) {
            error(node, path, "its $refs form a cycle", "let one of them lead to the path itself");
            return std::nullopt;
        }
        auto next = documents_->resolve(*part.resource, reference->text());
        if (!next.target) {
            error(*reference, at, std::move(next.error), std::move(next.hint));
            return std::nullopt;
        }
        part = std::move(*next.target);
    }
}

void Loader::add_part(WholePathItem& whole, Target const& part, Keys const& keys) {
    for (yaml::Entry const& entry : part.node->entries()) {
        bool const is_read =
            std::find(keys.read.begin(), keys.read.end(), entry.key) != keys.read.end();
        if (!is_read || entry.key == "$ref" || entry.key == "parameters") continue;
        Target field{&entry.value, yaml::join_key(part.path, entry.key), part.resource};
        auto const [known, is_new] = whole.fields.emplace(entry.key, std::move(field));
        if (!is_new) refuse_second(known->second, entry.mark, config::in_quotes(entry.key));
    }
    std::string const path = yaml::join_key(part.path, "parameters");
    for (ParameterNode& one : list_parameters(part.node->find("parameters"), path)) {
        auto const known =
            std::find_if(whole.parameters.begin(), whole.parameters.end(),
                         [&one](ParameterNode const& other) { return other.is_same(one); });
        if (known == whole.parameters.end()) {
            whole.parameters.push_back(std::move(one));
            continue;
        }
        // Both may refer to one parameter.
        if (known->node == one.node) continue;
        refuse_second({known->node, known->path, known->resource}, one.node->mark(),
                      "the parameter " + config::in_quotes(one.name));
    }
}

// At the field that is further from the path: that one may be in another file.
void Loader::refuse_second(Target const& first, yaml::Mark const& second, std::string const& what) {
    error(*first.node, first.path,
          what + " is also at " + place_of(second) + ", where the $ref beside it leads",
          "remove one of the two");
}

} // namespace sallyport::contract
