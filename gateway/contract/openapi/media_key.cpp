// Reads the keys of `content`.
#include "gateway/contract/openapi/media_key.h"

#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/openapi/load.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace {

[[nodiscard]] bool is_media_type(std::string_view name) noexcept {
    std::size_t const slash = name.find('/');
    if (slash == std::string_view::npos) return false;
    return is_token(name.substr(0, slash)) && is_token(name.substr(slash + 1));
}

// Whether a body may have the parameter or not, and is read in the same way.
[[nodiscard]] bool says_nothing(std::string_view type, MediaParameter const& parameter) {
    if (parameter.name == "boundary") return type.starts_with("multipart/");
    bool const is_utf_8 = is_json(type) || !is_parsed(type);
    return is_utf_8 && parameter.name == "charset" && in_lower_case(parameter.value) == "utf-8";
}

// What some readers of Content-Type take for another parameter, or for its end, tells no bodies
// apart; nor do ranges.
[[nodiscard]] bool can_distinguish(std::string_view type, MediaParameter const& parameter) {
    return !type.ends_with('*') && parameter.name != "charset"
           && parameter.name.find('*') == std::string::npos
           && parameter.value.find_first_of(";,") == std::string::npos;
}

} // namespace

std::optional<MediaKey> read_media_key(std::string_view text) {
    MediaKey key;
    auto const end = std::min(text.find_first_of(" ;"), text.size());
    key.name = in_lower_case(text.substr(0, end));
    if (!is_media_type(key.name)) return std::nullopt;
    auto const leave_unread = [&key](std::string_view reason) {
        if (key.is_read) key.unread_reason = reason;
        key.is_read = false;
    };
    FieldParameters parameters{text.substr(end)};
    for (FieldParameter one;;) {
        auto const next = parameters.next(one);
        if (next == FieldParameters::Next::fault)
            leave_unread("has a parameter that is not name=value (RFC 9110, 5.6.6)");
        if (next != FieldParameters::Next::parameter) break;
        MediaParameter parameter{in_lower_case(one.name), std::string{one.value}};
        if (says_nothing(key.name, parameter)) continue;
        if (!can_distinguish(key.name, parameter))
            leave_unread("has a parameter by which readers do not tell bodies apart");
        key.parameters.push_back(std::move(parameter));
    }
    auto const by_name = [](MediaParameter const& left, MediaParameter const& right) {
        return left.name < right.name;
    };
    auto& all = key.parameters;
    std::sort(all.begin(), all.end(), by_name);
    bool const is_twice =
        std::adjacent_find(all.begin(), all.end(), [](auto const& left, auto const& right) {
            return left.name == right.name;
        }) != all.end();
    // The parameters of a body in parts are its own.
    bool const is_in_parts = key.name.starts_with("multipart/");
    if (is_twice) leave_unread("has a parameter twice");
    if (!all.empty() && is_in_parts)
        leave_unread("has parameters, and those of a multipart body are its own");
    return key;
}

} // namespace sallyport::contract
