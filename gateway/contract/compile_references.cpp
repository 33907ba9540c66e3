// `$ref`: where it leads, and which schemas lead back to themselves.
#include "gateway/contract/compile.h"

#include "config/text.h"

#include <algorithm>
#include <charconv>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

[[nodiscard]] int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// RFC 6901, 6 and 4: percent-decoding first, then ~1 and ~0.
[[nodiscard]] std::optional<std::string> decode_token(std::string_view raw) {
    std::string token;
    for (std::size_t at = 0; at < raw.size(); ++at) {
        char c = raw[at];
        if (c == '%') {
            int const high = at + 2 < raw.size() ? hex_value(raw[at + 1]) : -1;
            int const low = at + 2 < raw.size() ? hex_value(raw[at + 2]) : -1;
            if (high < 0 || low < 0) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            at += 2;
        }
        token += c;
    }
    std::string plain;
    for (std::size_t at = 0; at < token.size(); ++at) {
        if (token[at] != '~') {
            plain += token[at];
            continue;
        }
        char const next = at + 1 < token.size() ? token[at + 1] : '\0';
        if (next != '0' && next != '1') return std::nullopt;
        plain += next == '0' ? '~' : '/';
        ++at;
    }
    return plain;
}

// What holds values, not schemas: a `$ref` in there is data.
[[nodiscard]] bool holds_values(std::string_view keyword) noexcept {
    return keyword == "const" || keyword == "enum" || keyword == "default" || keyword == "example"
           || keyword == "examples";
}

// What holds names of members, which may look like keywords.
[[nodiscard]] bool holds_names(std::string_view keyword) noexcept {
    return keyword == "properties" || keyword == "$defs" || keyword == "schemas"
           || keyword == "responses" || keyword == "paths";
}

[[nodiscard]] bool is_marked_secret(yaml::Node const& schema) noexcept {
    yaml::Node const* const secret = schema.find("x-secret");
    yaml::Node const* const write_only = schema.find("writeOnly");
    yaml::Node const* const format = schema.find("format");
    return (secret != nullptr && secret->as_boolean())
           || (write_only != nullptr && write_only->as_boolean())
           || (format != nullptr && format->text() == "password");
}

} // namespace

std::optional<Target> resolve_local(yaml::Node const& document, std::string_view reference) {
    if (reference.empty() || reference.front() != '#') return std::nullopt;
    reference.remove_prefix(1);
    if (!reference.empty() && reference.front() != '/') return std::nullopt;
    Target target{&document, {}};
    while (!reference.empty()) {
        reference.remove_prefix(1);
        std::size_t const end = std::min(reference.find('/'), reference.size());
        auto const token = decode_token(reference.substr(0, end));
        reference.remove_prefix(end);
        if (!token) return std::nullopt;
        if (target.node->is_sequence()) {
            std::size_t index = 0;
            auto const result =
                std::from_chars(token->data(), token->data() + token->size(), index);
            if (result.ec != std::errc{} || result.ptr != token->data() + token->size()
                || index >= target.node->items().size()) {
                return std::nullopt;
            }
            target.node = &target.node->items()[index];
            target.path = yaml::join_index(target.path, index);
        } else {
            target.node = target.node->find(*token);
            if (target.node == nullptr) return std::nullopt;
            target.path = yaml::join_key(target.path, *token);
        }
    }
    return target;
}

std::vector<yaml::Node const*> const& SchemaCompiler::references_in(Node const& schema) {
    if (auto const known = references_.find(&schema); known != references_.end()) {
        return known->second;
    }
    std::vector<Node const*> found;
    struct Open {
        Node const* node;
        bool has_names;
    };
    std::vector<Open> open{{&schema, false}};
    while (!open.empty()) {
        auto const [node, has_names] = open.back();
        open.pop_back();
        for (auto const& item : node->items())
            open.push_back({&item, false});
        for (auto const& entry : node->entries()) {
            if (!has_names && holds_values(entry.key)) continue;
            if (!has_names && entry.key == "$ref" && entry.value.is_string()) {
                if (auto const target = resolve_local(document_, entry.value.text())) {
                    found.push_back(target->node);
                }
                continue;
            }
            open.push_back({&entry.value, !has_names && holds_names(entry.key)});
        }
    }
    return references_.emplace(&schema, std::move(found)).first->second;
}

bool SchemaCompiler::is_recursive(Node const& schema) {
    // Only what some `$ref` leads to can be met again.
    if (targets_.empty()) {
        auto const& all = references_in(document_);
        targets_.insert(all.begin(), all.end());
        targets_.insert(&document_); // so that it is not empty
    }
    if (targets_.count(&schema) == 0) return false;
    if (auto const known = recursive_.find(&schema); known != recursive_.end()) {
        return known->second;
    }
    std::set<Node const*> reached;
    std::vector<Node const*> open{&schema};
    bool is_met = false;
    while (!open.empty() && !is_met) {
        Node const* const node = open.back();
        open.pop_back();
        for (Node const* const target : references_in(*node)) {
            is_met = is_met || target == &schema;
            if (reached.insert(target).second) open.push_back(target);
        }
    }
    recursive_.emplace(&schema, is_met);
    return is_met;
}

void SchemaCompiler::keyword_ref(Draft& draft, Node const& value, std::string const& path) {
    if (!value.is_string()) return error(value, path, "must be a string");
    std::string const& reference = value.text();
    if (reference.empty() || reference.front() != '#') {
        return error(value, path, "refers to another document, which is not implemented",
                     "copy the schema to #/components/schemas");
    }
    auto const target = resolve_local(document_, reference);
    if (!target) {
        return error(value, path,
                     config::in_quotes(reference) + " leads to nothing in this document",
                     "write #/components/schemas/ and a name that stands there");
    }
    Compiled compiled;
    if (auto const known = opened_.find({target->node, draft.place.is_question});
        known != opened_.end()) {
        Opened const& opened = known->second;
        if (opened.is_open && opened.descents == descents_) {
            return error(value, path,
                         config::in_quotes(reference)
                             + " leads back here without a member or an item in between");
        }
        compiled = {opened.node, opened.is_deprecated};
        ++declaring_; // perhaps
        if (is_marked_secret(*target->node)) mark_secret(draft, value, path);
    } else {
        Place place = inside(draft, "$ref", target->path);
        compiled = compile_node(*target->node, place);
    }
    draft.is_deprecated = draft.is_deprecated || compiled.is_deprecated;
    if (compiled.node == anything) return;
    program_.children.push_back({{compiled.node}, true});
    draft.any.push_back({Op::all_of, no_rule, program_.children.size() - 1});
}

} // namespace sallyport::contract
