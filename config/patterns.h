// Regular expressions of what the configuration takes, for programs that check it without this one:
// editors with its JSON Schema.
//
// Written in what ECMA-262 and RE2 have in common, anchored at both ends. Where a form cannot be
// expressed exactly they match more than is read, never less.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::config {

/// Decimal numbers of a range, without leading zeros and without anchors.
[[nodiscard]] std::string decimal_pattern(std::uint64_t least, std::uint64_t most);

enum class Controls : std::uint8_t { refused, all_but_nul };

/// A text in which every `${` is escaped. `excluded`: characters that it does not hold, as they
/// stand in a character class. `start`: what it begins with.
[[nodiscard]] std::string text_pattern(std::string_view excluded = {}, std::string_view start = {});
/// A text with one reference or more: `${env:NAME}`, `${file:PATH}`.
[[nodiscard]] std::string reference_pattern();
/// Both: a text whose references are well-formed.
[[nodiscard]] std::string expandable_pattern(Controls controls);
/// A field's value: a text, in which references and the variables of config/headers.h may stand.
[[nodiscard]] std::string field_value_pattern();
/// The name of a field (RFC 9110, 5.1) of at most 64 characters.
[[nodiscard]] std::string field_name_pattern();
/// An origin of `cors`: `*`, `null`, `https://host[:port]`, `https://*.host[:port]`.
[[nodiscard]] std::string web_origin_pattern();
/// A path: what has a '/' or a '.' in it, so that it is not taken for a word.
[[nodiscard]] std::string evident_path_pattern();

/// A path without '$' whose last name, and no other, may have `*`, `?` and `[`.
[[nodiscard]] std::string include_pattern();
/// is_plain_path() of addresses.h, and those of them that do not end in a slash.
[[nodiscard]] std::string plain_path_pattern();
[[nodiscard]] std::string path_prefix_pattern();

/// What Reader::check_name() takes.
[[nodiscard]] std::string name_pattern();
/// is_host(), is_authority(), parse_address() and parse_endpoint() of addresses.h.
[[nodiscard]] std::string host_pattern();
[[nodiscard]] std::string host_or_wildcard_pattern(); // of `hosts`: one, perhaps behind `*.`
[[nodiscard]] std::string authority_pattern();
[[nodiscard]] std::string address_pattern();
[[nodiscard]] std::string endpoint_pattern();
/// is_url() of addresses.h.
[[nodiscard]] std::string url_pattern();
/// parse_network() of gateway/text/networks.h.
[[nodiscard]] std::string network_pattern();
/// parse_date_time() of units.h.
[[nodiscard]] std::string date_time_pattern();

} // namespace sallyport::config
