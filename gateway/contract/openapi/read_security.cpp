// Reads what a document says of the credentials that its operations take.
#include "gateway/contract/openapi/read_security.h"

#include "gateway/text/ascii.h"

#include <algorithm>
#include <string_view>

namespace sallyport::contract {

namespace {

namespace yaml = config::yaml;
using yaml::Node;

// The authenticator that takes a scheme's credentials, and how messages call the scheme.
struct Scheme {
    std::string authenticator; // empty: none does
    std::string shown;
};

Node const* find_in(Node const* node, std::string_view key) {
    return node == nullptr ? nullptr : node->find(key);
}

std::string_view text_at(Node const& node, std::string_view key) {
    Node const* const value = node.find(key);
    return value != nullptr && value->is_string() ? std::string_view{value->text()}
                                                  : std::string_view{};
}

// OpenAPI 3.1, 4.8.9, and `securityDefinitions` of OpenAPI 2. A $ref leads to another of them.
Node const* find_scheme(Node const& root, std::string_view name) {
    constexpr std::string_view schemes = "#/components/securitySchemes/";
    constexpr int most_references = 8; // more are a cycle
    for (int i = 0; i < most_references; ++i) {
        // OpenAPI 3.2, 4.8.31: a requirement may have a URI for a name.
        if (name.starts_with(schemes)) name.remove_prefix(schemes.size());
        Node const* found = find_in(find_in(root.find("components"), "securitySchemes"), name);
        if (found == nullptr) found = find_in(root.find("securityDefinitions"), name);
        if (found == nullptr || !found->is_mapping()) return nullptr;
        auto const reference = text_at(*found, "$ref");
        if (reference.empty()) return found;
        name = reference;
    }
    return nullptr;
}

// RFC 9110, 11.1: names of schemes are case-insensitive.
std::string authenticator_of(Node const& scheme) {
    auto const type = text_at(scheme, "type");
    auto const http = text_at(scheme, "scheme");
    // RFC 6750, 2.1: what OAuth 2 and OpenID Connect give is a Bearer token.
    if (type == "oauth2" || type == "openIdConnect") return "bearer";
    if (type == "basic") return "basic"; // OpenAPI 2
    if (type == "http" && text::equals_ignoring_case(http, "basic")) return "basic";
    if (type == "http" && text::equals_ignoring_case(http, "bearer")) return "bearer";
    if (type == "apiKey" && text_at(scheme, "in") != "cookie") return "api_key";
    return {};
}

Scheme scheme_of(Node const& root, std::string const& name) {
    Node const* const node = find_scheme(root, name);
    if (node == nullptr) return {{}, name + " (no such scheme)"};
    auto const type = text_at(*node, "type");
    auto const http = type == "http" ? text_at(*node, "scheme") : std::string_view{};
    std::string shown = name + " (" + std::string{type};
    if (!http.empty()) shown.append(" ").append(http);
    return {authenticator_of(*node), shown + ')'};
}

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

bool add_scopes(Node const& list, std::vector<std::string>& scopes) {
    if (!list.is_sequence()) return list.is_null();
    for (Node const& item : list.items()) {
        if (!item.is_string()) return false;
        add_once(scopes, std::string{item.text()});
    }
    return true;
}

// OpenAPI 3.1, 4.8.30: all schemes of an alternative are needed. A request has one Authorization
// (RFC 9110, 11.6.2), so that one authenticator has to fit them all.
void read_alternative(Node const& root, Node const& alternative, Security& security) {
    if (!alternative.is_mapping()) return add_once(security.unsupported, "what is no mapping");
    if (alternative.entries().empty()) {
        security.is_public = true;
        return;
    }
    std::string shown;
    SecurityAlternative read;
    bool is_supported = true;
    for (yaml::Entry const& entry : alternative.entries()) {
        auto const scheme = scheme_of(root, entry.key);
        shown += (shown.empty() ? "" : " with ") + scheme.shown;
        if (read.takes.empty()) read.takes = scheme.authenticator;
        is_supported =
            is_supported && !scheme.authenticator.empty() && scheme.authenticator == read.takes;
        // OpenAPI 3.1, 4.8.30: scopes of OAuth 2 and OpenID Connect, names of roles of the others.
        if (add_scopes(entry.value, read.scopes)) continue;
        is_supported = false;
        shown += " with scopes that are no list of texts";
    }
    if (!is_supported) return add_once(security.unsupported, std::move(shown));
    std::sort(read.scopes.begin(), read.scopes.end());
    add_once(security.takes, read.takes);
    security.alternatives.push_back(std::move(read));
}

} // namespace

Security read_security(Node const& root, Node const& operation, std::string const& path) {
    Security security;
    Node const* list = operation.find("security");
    security.document_path = list != nullptr ? yaml::join_key(path, "security") : "security";
    if (list == nullptr) list = root.find("security");
    if (list == nullptr) return security;
    security.is_stated = true;
    security.mark = list->mark();
    if (!list->is_sequence()) {
        security.unsupported.emplace_back("what is no list");
        return security;
    }
    security.is_public = list->items().empty();
    for (Node const& alternative : list->items())
        read_alternative(root, alternative, security);
    return security;
}

} // namespace sallyport::contract
