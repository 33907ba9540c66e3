// The fields of handshakes: Sec-WebSocket-*, and lists of names.
#pragma once

#include "gateway/http/head.h"

#include <string_view>

namespace sallyport::websocket {

/// Whether a line of the field has the element `name` in its list, ignoring case (RFC 9110, 7.6.1
/// and 7.8).
[[nodiscard]] inline bool has_element(http::FieldTable const& fields, http::FieldId id,
                                      std::string_view name) noexcept {
    for (auto const field : fields) {
        if (field.id != id) continue;
        auto const is_other = [name](std::string_view element) {
            return !http::equals_ignoring_case(element, name);
        };
        if (!http::for_each_element(field.value, is_other)) return true;
    }
    return false;
}

inline constexpr std::string_view key_field = "sec-websocket-key";
inline constexpr std::string_view accept_field = "sec-websocket-accept";
inline constexpr std::string_view version_field = "sec-websocket-version";
inline constexpr std::string_view protocol_field = "sec-websocket-protocol";
inline constexpr std::string_view extensions_field = "sec-websocket-extensions";

} // namespace sallyport::websocket
