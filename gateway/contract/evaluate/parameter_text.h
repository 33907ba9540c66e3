// The texts of parameters: percent-decoding, and lists and objects as JSON, over which the rules of
// bodies run.
#pragma once

#include "gateway/contract/contract.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

// What a text is coded in: `+` is a space in queries; fields of the head are not coded at all.
enum class Coding : std::uint8_t { percent, percent_and_plus, none };
[[nodiscard]] Coding coding_of(ParameterPlace place) noexcept;

// One decoding. False: bad escapes, or no UTF-8, or a control character, which no parameter has a
// need of.
[[nodiscard]] bool decode(std::string_view raw, Coding coding, std::string& out);
// Whether decoding would change and refuse nothing.
[[nodiscard]] bool is_plain(std::string_view raw) noexcept;

// Whether the value is one text: a list or an object may come in parts.
[[nodiscard]] inline bool is_whole(Parameter const& parameter) noexcept {
    return parameter.shape == ParameterShape::value || parameter.shape == ParameterShape::json;
}

// Add to `json`, which is empty at first, one or more items or members; close_composite() makes
// them whole. `raw` is still coded. False: as decode().
[[nodiscard]] bool append_item(std::string& json, Parameter const& parameter, std::string_view raw);
[[nodiscard]] bool append_items(std::string& json, Parameter const& parameter,
                                std::string_view raw);
[[nodiscard]] bool append_member(std::string& json, Parameter const& parameter,
                                 std::string_view name, std::string_view raw);
[[nodiscard]] bool append_members(std::string& json, Parameter const& parameter,
                                  std::string_view raw);
void close_composite(std::string& json, Parameter const& parameter);

} // namespace sallyport::contract
