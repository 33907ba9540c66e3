// The keys of `content`: media types with their parameters.
#pragma once

#include "gateway/contract/contract.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A key of `content` (OpenAPI 3.1, 4.8.14.1). What says nothing of the value is not in it:
/// `charset=utf-8` of JSON (RFC 8259, 11) and of texts, which are read as UTF-8 anyway, and the
/// `boundary` of a multipart body, which each body chooses.
struct MediaKey {
    std::string name; // lower case: "application/json"
    std::vector<MediaParameter> parameters; // by their names
    bool is_read = true; // false: of its parameters no body could be told
    std::string_view unread_reason{}; // why: "has a parameter without a value"

    bool operator==(MediaKey const&) const = default;
    /// Its bodies, without a schema.
    [[nodiscard]] MediaType type() const {
        MediaType type;
        type.name = name;
        type.parameters = parameters;
        return type;
    }
    [[nodiscard]] bool is_of(MediaType const& type) const noexcept {
        return type.name == name && type.parameters == parameters;
    }
};

/// Empty: it is no media type.
[[nodiscard]] std::optional<MediaKey> read_media_key(std::string_view text);

} // namespace sallyport::contract
