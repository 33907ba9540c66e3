// The `servers` of a document, a path or an operation, of which only the path is used.
#include "gateway/contract/openapi/load.h"

#include <algorithm>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

// OpenAPI 3.1, 4.8.5: replaces `{name}` by the default of that variable; nullopt: there is none.
[[nodiscard]] std::optional<std::string> fill_variables(yaml::Node const& server,
                                                        std::string_view url) {
    std::string filled;
    while (!url.empty()) {
        std::size_t const begin = std::min(url.find('{'), url.size());
        filled += url.substr(0, begin);
        url.remove_prefix(begin);
        if (url.empty()) break;
        std::size_t const end = url.find('}');
        if (end == std::string_view::npos) return std::nullopt;
        yaml::Node const* const variables = server.find("variables");
        yaml::Node const* const variable =
            variables != nullptr ? variables->find(url.substr(1, end - 1)) : nullptr;
        yaml::Node const* const value = variable != nullptr ? variable->find("default") : nullptr;
        if (value == nullptr || !value->is_string()) return std::nullopt;
        filled += value->text();
        url.remove_prefix(end + 1);
    }
    return filled;
}

// The path of a URL, without a slash at the end; a path is itself. RFC 3986, 4.2: `//host/path` is
// a URL without its scheme.
[[nodiscard]] std::string_view path_of(std::string_view url) noexcept {
    auto const scheme = url.starts_with("//") ? 0 : url.find("://");
    if (scheme != std::string_view::npos) {
        auto const slash = url.find('/', url.find("//", scheme) + 2);
        url = slash == std::string_view::npos ? std::string_view{} : url.substr(slash);
    }
    while (!url.empty() && url.back() == '/')
        url.remove_suffix(1);
    return url;
}

} // namespace

// OpenAPI 3.1, 4.8.6: the default of a variable is a string, and one of its enum if there is one;
// YAML reads a port as a number.
bool Loader::check_variables(Node const& server, std::string const& path) {
    Node const* const variables = server.find("variables");
    if (variables == nullptr) return true;
    bool is_good = true;
    for (yaml::Entry const& entry : variables->entries()) {
        Node const* const value = entry.value.find("default");
        if (value == nullptr) continue;
        std::string const at = yaml::join_key(yaml::join_key(path, "variables"), entry.key);
        Node const* const words = entry.value.find("enum");
        auto const is_it = [value](Node const& word) { return word.text() == value->text(); };
        bool const is_among = words == nullptr || !words->is_sequence()
                              || std::any_of(words->items().begin(), words->items().end(), is_it);
        if (value->is_string() && is_among) continue;
        is_good = false;
        if (value->is_string()) {
            error(*value, yaml::join_key(at, "default"), "is not one of the values of its enum",
                  "write one of them");
            continue;
        }
        error(*value, yaml::join_key(at, "default"),
              "must be a string, and is " + std::string{name_of(value->kind())},
              "write it in quotes");
    }
    return is_good;
}

std::optional<std::string> Loader::read_server(Node const& server, std::string const& path) {
    Keys const keys{"a server", {"url", "variables"}, {"description", "name"}, {}};
    if (!check_keys(server, path, keys)) return std::nullopt;
    Node const* const url = server.find("url");
    if (url == nullptr || !url->is_string()) {
        error(server, path, "must have a url");
        return std::nullopt;
    }
    if (!check_variables(server, path)) return std::nullopt;
    // Variables of the host alone need no value. One may stand for the whole URL.
    auto const whole = fill_variables(server, path_of(url->text()));
    std::string_view const text = whole ? path_of(*whole) : "?";
    if (text.find_first_of("{}?#") != std::string_view::npos) {
        error(*url, yaml::join_key(path, "url"), "has a path that cannot be used",
              "write a path whose variables have defaults");
        return std::nullopt;
    }
    if (!text.empty() && text.front() != '/') {
        error(*url, yaml::join_key(path, "url"), "is neither a path nor a full URL",
              "begin it with / or https://");
        return std::nullopt;
    }
    return std::string{text};
}

// OpenAPI 3.1, 4.8.9 and 4.8.10: those of an operation replace those of its path, which replace
// those of the document. Only the path is used: the host of an API is in the configuration.
std::string Loader::base_path_of(Node const& node, std::string const& path,
                                 std::string const& around) {
    Node const* const servers = is_swagger() ? nullptr : node.find("servers");
    if (servers == nullptr) return around;
    Target const list{servers, yaml::join_key(path, "servers"), nullptr};
    return base_path_of(&list, around);
}

std::string Loader::base_path_of(Target const* servers, std::string const& around) {
    if (servers == nullptr) return around;
    if (!servers->node->is_sequence()) {
        error(*servers->node, servers->path, "must be a list of servers");
        return around;
    }
    std::optional<std::string> base;
    auto const& list = servers->node->items();
    for (std::size_t i = 0; i < list.size(); ++i) {
        Node const& server = list[i];
        std::string const server_path = yaml::join_index(servers->path, i);
        auto const own = read_server(server, server_path);
        if (!own) continue;
        if (base && *own != *base) {
            warn(server, server_path,
                 "has no effect: its path is another than that of the servers before it",
                 "put first the server whose path clients use");
        }
        if (!base) base = own;
    }
    // OpenAPI 3.1, 4.8.1: an empty list is one server at /.
    return base.value_or(list.empty() ? std::string{} : around);
}

} // namespace sallyport::contract
