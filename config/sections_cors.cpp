// The key `cors` of an API: which web pages of other origins may use it (Fetch standard, "CORS
// protocol").
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sallyport::config {

namespace {

constexpr std::int64_t most_origins = 256;
constexpr std::int64_t most_fields = 64;
constexpr std::size_t longest_origin = 300;
constexpr std::size_t longest_name = 64;

std::string_view const how_to_write_origins =
    "write it as browsers send it, as in https://app.example.com, or https://*.example.com for all "
    "hosts below it";

// Why a text is no origin; empty: it is one.
struct Judged {
    std::string problem;
    std::string hint{how_to_write_origins};
};

bool is_lower_case(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// RFC 3986, 3.1
bool is_scheme(std::string_view text) {
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z'
           && std::all_of(text.begin(), text.end(), [](char c) {
                  return text::is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
              });
}

// Of hosts and their ports: 1 to 65535 without zeros before it; none: it is no port.
std::optional<unsigned> port_of(std::string_view text) {
    auto const port = text::parse_digits<std::uint16_t>(text);
    return port && *port != 0 ? std::optional<unsigned>{*port} : std::nullopt;
}

// Whether all hosts below it belong together: not a top-level domain alone, and no address.
bool has_two_labels(std::string_view host) {
    auto const dot = host.rfind('.');
    return dot != std::string_view::npos && dot + 1 < host.size() && !text::is_digit(host[dot + 1]);
}

// RFC 6454, 6.2: scheme "://" host [":" port], the port only where the scheme has another one.
Judged parse_origin(std::string_view text, AllowedOrigin& out) {
    if (text == "*" || text == "null") return {};
    auto const colon = text.find("://");
    if (colon == std::string_view::npos || !is_scheme(text.substr(0, colon)))
        return {"is not an origin"};
    auto const scheme = text.substr(0, colon);
    auto host = text.substr(colon + 3);
    if (host.find('/') != std::string_view::npos) return {"has a path, which an origin never has"};
    bool const is_below = host.starts_with("*.");
    if (is_below) host.remove_prefix(2);
    auto const behind_host = host.find(':', host.starts_with('[') ? host.find(']') : 0);
    if (behind_host != std::string_view::npos) {
        auto const port = port_of(host.substr(behind_host + 1));
        if (!port) return {"has no valid port"};
        if ((scheme == "http" && *port == 80) || (scheme == "https" && *port == 443))
            return {"has the port of its scheme, which browsers do not send", "remove the port"};
    }
    auto const name = host.substr(0, behind_host);
    if (!is_host(name) || !is_lower_case(text) || name.ends_with('.')) return {"is not an origin"};
    if (!is_below) return {};
    if (name.starts_with('[') || !has_two_labels(name))
        return {"is too wide", "write at least two labels behind *., as in https://*.example.com"};
    out.begin = std::string{scheme} + "://";
    out.end = '.' + std::string{host};
    return {};
}

void read_origins(Reader& reader, Value const& value, Cors& out) {
    auto const items = reader.read_list(value, Empty::refused);
    if (static_cast<std::int64_t>(items.size()) > most_origins)
        reader.refuse(value, "has more than 256 origins", "write fewer");
    for (Value const& item : items) {
        auto text = reader.read_line(item, longest_origin);
        if (!text) continue;
        AllowedOrigin origin{*text, {}, {}, Reader::origin_of(item)};
        auto judged = parse_origin(*text, origin);
        auto const is_same = [&text](AllowedOrigin const& one) { return one.text == *text; };
        if (!judged.problem.empty()) {
            reader.refuse(item, Reader::shown(item) + ' ' + judged.problem, std::move(judged.hint));
        } else if (std::any_of(out.origins.begin(), out.origins.end(), is_same)) {
            reader.refuse(item, "the origin is given twice", "remove one");
        } else if (*text == "*" && items.size() > 1) {
            reader.refuse(item, "is every origin: no other beside it would count",
                          "write [\"*\"] alone, or remove it");
        } else {
            out.origins.push_back(std::move(origin));
        }
    }
}

std::vector<Word<int>> const method_words{{"contract", 0}};

void read_cors_methods(Reader& reader, Value const& value, Cors& out) {
    out.methods_origin = Reader::origin_of(value);
    if (value.node->is_sequence()) {
        read_method_list(reader, value, out.methods.emplace());
    } else {
        (void)read_word(reader, value, method_words);
    }
}

using Names = std::vector<std::string>;

Key<Cors> names_key(std::string_view name, Names Cors::*member, std::string_view help,
                    std::string default_text) {
    KeyInfo info{name,
                 list_shape(text_shape(longest_name, field_name_pattern()), 0, most_fields,
                            Repeats::refused),
                 help, std::move(default_text)};
    return custom_key<Cors>(
        std::move(info), [member](Reader& reader, Value const& value, Cors& out) {
            auto const items = reader.read_list(value, Empty::allowed);
            if (static_cast<std::int64_t>(items.size()) > most_fields)
                reader.refuse(value, "has more than 64 fields", "write fewer");
            (out.*member).clear();
            for (Value const& item : items) {
                auto field = reader.read_line(item, longest_name);
                if (!field) continue;
                auto const is_same = [&field](std::string const& one) {
                    return text::equals_ignoring_case(one, *field);
                };
                if (!is_field_name(*field)) {
                    refuse_field_name(reader, Reader::origin_of(item));
                } else if (std::any_of((out.*member).begin(), (out.*member).end(), is_same)) {
                    reader.refuse(item, "the field is named twice", "name it once");
                } else {
                    (out.*member).push_back(std::move(*field));
                }
            }
        });
}

Section<Cors> const& cors_section() {
    KeyInfo origins{"origins",
                    list_shape(text_shape(longest_origin, web_origin_pattern()), 1, most_origins,
                               Repeats::refused),
                    "web pages that may use the API: https://app.example.com, all hosts below one "
                    "as https://*.example.com, \"*\" for all"};
    KeyInfo methods{"methods", either_shape(word_shape(infos_of(method_words)), methods_shape()),
                    "contract: those that the path has; or a list, of which a path has some",
                    "contract"};
    static Section<Cors> const section{
        "cors",
        {
            custom_key<Cors>(std::move(origins), read_origins)
                .required("origins: [\"https://app.example.com\"]"),
            custom_key<Cors>(std::move(methods), read_cors_methods),
            names_key("headers", &Cors::headers,
                      "fields of requests that pages may set; \"*\" is any but Authorization",
                      "[Authorization, Content-Type]"),
            names_key("expose", &Cors::expose,
                      "fields of responses that pages may read; \"*\" is any", "[X-Request-Id]"),
            boolean_key("credentials", &Cors::credentials,
                        "whether browsers send their cookies and credentials"),
            duration_key("max_age", &Cors::max_age, Duration{0}, std::chrono::hours{24},
                         "how long browsers may keep what they were told of an operation"),
        }};
    return section;
}

bool has_any(Names const& names) {
    return std::find(names.begin(), names.end(), "*") != names.end();
}

// Fetch, "CORS protocol and credentials": browsers refuse "*" there, or take it for a name. To send
// the origin of the request instead would give every page what only some should have.
void check_credentials(Reader& reader, Value const& value, Cors const& cors) {
    if (!cors.credentials) return;
    for (AllowedOrigin const& origin : cors.origins) {
        if (origin.text == "*") {
            reader.refuse(origin.place, "every page could act with the credentials of its reader",
                          "name the origins, or remove credentials");
        } else if (origin.text == "null") {
            // HTML, "Origins": any page can make a frame of the origin `null`.
            reader.refuse(origin.place, "every page can have the origin null",
                          "name the origins, or remove credentials");
        }
    }
    for (auto const& [key, names] :
         {std::pair{"headers", &cors.headers}, std::pair{"expose", &cors.expose}}) {
        if (!has_any(*names)) continue;
        reader.refuse(Reader::child(value, key), "with credentials browsers take \"*\" for a name",
                      "name the fields, or remove credentials");
    }
}

} // namespace

void add_key_of_cors(std::vector<Key<ApiDraft>>& keys) {
    keys.push_back(custom_key<ApiDraft>(
        {"cors", section_shape(cors_section().info()), "web pages of other origins"},
        [](Reader& reader, Value const& value, ApiDraft& out) {
            Cors& cors = out.cors.emplace();
            cors.origin = Reader::origin_of(value);
            cors_section().read(reader, value, cors);
            if (value.node->is_mapping()) check_credentials(reader, value, cors);
        }));
}

} // namespace sallyport::config
