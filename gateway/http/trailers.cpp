// Which fields behind a body are passed on (RFC 9110, 6.5).
#include "gateway/http/trailers.h"

#include "gateway/http/field_lines.h"
#include "gateway/http/field_name.h"

#include <algorithm>
#include <array>

namespace sallyport::http {

namespace {

// Names without a FieldId that must not trail (RFC 9110, 6.5.1), in lower case: requests are
// modified, responses are controlled or kept by them, or they say who asks.
constexpr std::array<std::string_view, 24> refused_names{
    // Who asks, and from where.
    "from", "origin", "referer", "user-agent", "via",
    // Proofs (RFC 9110, 11; RFC 6265), and what a browser keeps of a host.
    "alt-svc", "authentication-info", "clear-site-data", "set-cookie", "set-cookie2",
    "strict-transport-security", "www-authenticate",
    // How a request is treated.
    "pragma", "prefer", "priority", "range",
    // How a response is treated.
    "age", "cache-control", "expires", "last-event-id", "location", "refresh", "vary", "warning"};

// Families of them: conditions (RFC 9110, 13), negotiation (12.5), what describes the content (8),
// and what browsers say and are told (Fetch).
constexpr std::array<std::string_view, 6> refused_prefixes{
    "accept", "access-control-", "content-", "cross-origin-", "if-", "sec-"};

bool is_refused(std::string_view name) noexcept {
    bool const is_one =
        std::any_of(refused_names.begin(), refused_names.end(),
                    [name](auto const refused) { return is_field_name(name, refused); });
    return is_one
           || std::any_of(refused_prefixes.begin(), refused_prefixes.end(), [name](auto prefix) {
                  return equals_ignoring_case(name.substr(0, prefix.size()), prefix);
              });
}

} // namespace

bool may_trail(std::string_view name) noexcept {
    // RFC 9110, 5.1: a token. A spelling with other signs may be another field to a server.
    bool const is_plain = is_all_of(token_character, name) && !shadows_known_field(name);
    if (name.empty() || !is_plain) return false;
    auto const id = identify_field(name);
    // RFC 9530, 2 and 3: what they are made for.
    if (id == FieldId::content_digest) return true;
    return id == FieldId::unknown && !is_refused(name);
}

TrailerNames::TrailerNames(FieldTable const& head, Coding coding) {
    if (!head.has(FieldId::trailer) || is_named_by_connection(head, "trailer")) return;
    auto const take = [&](std::string_view name) {
        bool const describes_coding =
            coding == Coding::removed && identify_field(name) == FieldId::content_digest;
        if (may_trail(name) && !describes_coding && !has(name)
            && !is_named_by_connection(head, name))
            names_.emplace_back(name);
        return names_.size() < most;
    };
    for (auto const field : head)
        if (field.id == FieldId::trailer && !for_each_element(field.value, take)) return;
}

void TrailerNames::remove(std::span<std::string const> names) {
    std::erase_if(names_, [names](std::string_view name) {
        return std::any_of(names.begin(), names.end(), [name](std::string const& removed) {
            return is_same_variable(removed, name);
        });
    });
}

std::string TrailerNames::text() const {
    std::string text;
    for (auto const& name : names_) {
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

std::string TrailerNames::select(std::string_view trailers) const {
    std::string selected;
    for_each_field_line(trailers, [&](std::string_view line, std::string_view name) {
        if (has(name)) selected += line;
    });
    return selected;
}

bool TrailerNames::has(std::string_view name) const noexcept {
    return std::any_of(names_.begin(), names_.end(), [name](std::string_view announced) {
        return equals_ignoring_case(announced, name);
    });
}

} // namespace sallyport::http
