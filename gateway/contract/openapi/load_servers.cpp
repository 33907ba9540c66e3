// The `servers` of a document, a path or an operation, of which only the path is used.
#include "gateway/contract/openapi/load.h"

#include "gateway/text/ascii.h"

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
        if (value == nullptr || !value->is_scalar() || value->is_null()) return std::nullopt;
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

// Whether a text without a scheme begins with a host: `localhost`, one with a port, an address, or
// a name with a domain of letters. `v1.0/users` begins with none.
[[nodiscard]] bool begins_with_host(std::string_view text) noexcept {
    std::string_view const first = text.substr(0, text.find('/'));
    auto const colon = first.find(':');
    std::string_view const name = first.substr(0, colon);
    std::string_view const last = name.substr(name.rfind('.') + 1);
    bool const has_domain = last.size() >= 2 && last.size() < name.size()
                            && std::all_of(last.begin(), last.end(), text::is_letter);
    bool const is_address = std::count(name.begin(), name.end(), '.') == 3;
    return colon != std::string_view::npos || name == "localhost" || has_domain || is_address;
}

} // namespace

std::string path_without_scheme(std::string_view url) {
    if (begins_with_host(url))
        return std::string{path_of(url.substr(std::min(url.find('/'), url.size())))};
    while (url.starts_with("./"))
        url.remove_prefix(2);
    return url.empty() || url == "." ? std::string{} : '/' + std::string{url};
}

// OpenAPI 3.1, 4.8.6: the default of a variable is a string, and one of its enum if there is one;
// YAML reads a port as a number.
void Loader::check_variables(Node const& server, std::string const& path) {
    Node const* const variables = server.find("variables");
    if (variables == nullptr) return;
    for (yaml::Entry const& entry : variables->entries()) {
        Node const* const value = entry.value.find("default");
        if (value == nullptr || !value->is_scalar()) continue;
        std::string const at =
            yaml::join_key(yaml::join_key(yaml::join_key(path, "variables"), entry.key), "default");
        Node const* const words = entry.value.find("enum");
        auto const is_it = [value](Node const& word) { return word.text() == value->text(); };
        bool const is_among = words == nullptr || !words->is_sequence()
                              || std::any_of(words->items().begin(), words->items().end(), is_it);
        if (!is_among)
            warn(*value, at, "is not one of the values of its enum", "write one of them");
        if (value->is_string()) continue;
        warn(*value, at, "must be a string, and is " + std::string{name_of(value->kind())},
             "write it in quotes");
    }
}

// `severity`: of what is wrong; a server that is never used blocks nothing.
std::optional<std::string> Loader::read_server(Node const& server, std::string const& path,
                                               yaml::Severity severity) {
    Keys const keys{"a server", {"url", "variables"}, {"description", "name"}, {}};
    bool const is_used = severity == yaml::Severity::error;
    if (is_used && !check_keys(server, path, keys)) return std::nullopt;
    Node const* const url = server.find("url");
    if (url == nullptr || !url->is_string()) {
        problems_.add(server, path, "must have a url", {}, severity);
        return std::nullopt;
    }
    check_variables(server, path);
    std::string const at = yaml::join_key(path, "url");
    // Variables of the host alone need no value. One may stand for the whole URL.
    auto const whole = fill_variables(server, path_of(url->text()));
    std::string_view const text = whole ? path_of(*whole) : "?";
    if (text.find_first_of("{}?#") != std::string_view::npos) {
        problems_.add(*url, at, "has a path that cannot be used",
                      "write a path whose variables have defaults", severity);
        return std::nullopt;
    }
    if (text.empty() || text.front() == '/') return std::string{text};
    // RFC 3986, 4.2: relative to the document, whose place is not known.
    std::string read = path_without_scheme(text);
    if (is_used) {
        warn(*url, at,
             "is neither a path nor a full URL: its path is read as "
                 + (read.empty() ? "/" : read),
             "begin it with / or https://");
    }
    return read;
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
    if (servers->node->is_null()) return around; // as if it were not there
    if (!servers->node->is_sequence()) {
        error(*servers->node, servers->path, "must be a list of servers");
        return around;
    }
    std::optional<std::string> base;
    auto const& list = servers->node->items();
    for (std::size_t i = 0; i < list.size(); ++i) {
        Node const& server = list[i];
        std::string const server_path = yaml::join_index(servers->path, i);
        auto const severity = base ? yaml::Severity::warning : yaml::Severity::error;
        auto const own = read_server(server, server_path, severity);
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
