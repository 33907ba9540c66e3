// The formats that are asserted, each exactly as its standard defines it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sallyport::contract {

/// The asserted formats, with the standard that defines each.
enum class Format : std::uint8_t {
    uuid,      // RFC 4122, 3: eight-four-four-four-twelve hexadecimal digits, any version
    date_time, // RFC 3339, 5.6
    date,
    time,
    duration,      // RFC 3339, appendix A
    email,         // RFC 5321, 4.1.2
    hostname,      // RFC 1123, 2.1; an A-label (RFC 5890) must be Punycode (RFC 3492)
    ipv4,          // RFC 2673, 3.2
    ipv6,          // RFC 4291, 2.2
    uri,           // RFC 3986, with a scheme
    uri_reference, // RFC 3986, 4.1
    json_pointer,  // RFC 6901, 3
    regex,         // ECMA-262, with the flag u
    byte,          // RFC 4648, 4
    int32,
    int64,
    single,
    double_precision,
};

/// The format with that name in contracts; nullopt: it is not asserted.
[[nodiscard]] std::optional<Format> format_from(std::string_view name) noexcept;
/// Its name in contracts.
[[nodiscard]] std::string_view name_of(Format format) noexcept;
/// The noun in messages: "a uuid", "a date and time (RFC 3339)".
[[nodiscard]] std::string_view describe(Format format) noexcept;
/// The names of all formats.
[[nodiscard]] std::span<std::string_view const> known_formats() noexcept;
/// Whether a format applies to numbers: those of OpenAPI 3.1, 4.4, except `byte`; all others apply
/// to strings.
[[nodiscard]] constexpr bool is_of_numbers(Format format) noexcept {
    return format >= Format::int32;
}
/// Formats that are defined in a standard but not asserted here: there is no warning for them.
[[nodiscard]] bool is_annotation(std::string_view name) noexcept;

/// Format::uuid, for arbitrary bytes.
[[nodiscard]] bool is_uuid(std::string_view text) noexcept;
/// Whether `text`, well-formed UTF-8, conforms to a format for strings.
[[nodiscard]] bool has_format(Format format, std::string_view text);

} // namespace sallyport::contract
