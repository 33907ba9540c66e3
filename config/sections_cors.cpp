// The key `cors` of an API: which web pages of other origins may use it (Fetch standard, "CORS
// protocol").
#include "config/addresses.h"
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/origin.h"

#include <algorithm>
#include <array>
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

// Whether all hosts below it belong together: not a top-level domain alone, and no address.
bool has_two_labels(std::string_view host) {
    auto const dot = host.rfind('.');
    return dot != std::string_view::npos && dot + 1 < host.size() && !text::is_digit(host[dot + 1]);
}

// HTML, "Origins": any page can make a frame of the origin `null`.
constexpr std::array<std::string_view, 2> every_page{"*", "null"};

bool is_of_every_page(std::string_view origin) {
    return std::find(every_page.begin(), every_page.end(), origin) != every_page.end();
}

// `https://app.example.com:8443`, `https://*.example.com`, `*` or `null`.
Judged parse_origin(std::string_view text, AllowedOrigin& out) {
    if (is_of_every_page(text)) return {};
    std::string origin{text};
    auto const host = origin.find("://") == std::string::npos ? 0 : origin.find("://") + 3;
    bool const is_below = host != 0 && text.substr(host).starts_with("*.");
    if (is_below) origin.erase(host, 2);
    switch (text::judge_origin(origin)) {
    case text::OriginFault::none: break;
    case text::OriginFault::malformed: return {"is not an origin"};
    case text::OriginFault::has_path: return {"has a path, which an origin never has"};
    case text::OriginFault::bad_port: return {"has no valid port"};
    case text::OriginFault::default_port:
        return {"has the port of its scheme, which browsers do not send", "remove the port"};
    }
    if (!is_below) return {};
    auto const behind = std::string_view{origin}.substr(host);
    if (behind.starts_with('[') || !has_two_labels(behind.substr(0, behind.find(':'))))
        return {"is too wide", "write at least two labels behind *., as in https://*.example.com"};
    out.begin = origin.substr(0, host);
    out.end = '.' + std::string{behind};
    return {};
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
    KeyInfo origins{"origins", origins_shape(EveryOrigin::allowed),
                    "web pages that may use the API: https://app.example.com, all hosts below one "
                    "as https://*.example.com, \"*\" for all"};
    KeyInfo methods{"methods", either_shape(word_shape(infos_of(method_words)), methods_shape()),
                    "contract: those that the path has; or a list, of which a path has some",
                    "contract"};
    static Section<Cors> const section{
        "cors",
        {
            custom_key<Cors>(std::move(origins),
                             [](Reader& reader, Value const& value, Cors& out) {
                                 read_origins(reader, value, EveryOrigin::allowed, out.origins);
                             })
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

Shape origins_shape(EveryOrigin every) {
    Shape origin = text_shape(longest_origin, web_origin_pattern());
    if (every == EveryOrigin::refused) origin.refused = {every_page.begin(), every_page.end()};
    return list_shape(std::move(origin), 1, most_origins, Repeats::refused);
}

void read_origins(Reader& reader, Value const& value, EveryOrigin every,
                  std::vector<AllowedOrigin>& out) {
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
        } else if (every == EveryOrigin::refused && is_of_every_page(*text)) {
            reader.refuse(item, Reader::shown(item) + " is an origin that every page can have",
                          "name the origins of your own pages");
        } else if (std::any_of(out.begin(), out.end(), is_same)) {
            reader.refuse(item, "the origin is given twice", "remove one");
        } else if (*text == "*" && items.size() > 1) {
            reader.refuse(item, "is every origin: no other beside it would count",
                          "write [\"*\"] alone, or remove it");
        } else {
            out.push_back(std::move(origin));
        }
    }
}

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
