// The formats that are asserted, each exactly as its standard says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sallyport::contract {

enum class Format : std::uint8_t {
    uuid,      // RFC 4122, 3: eight-four-four-four-twelve hexadecimal digits, any version
    date_time, // RFC 3339, 5.6
    date,
    time,
    duration,      // RFC 3339, appendix A
    email,         // RFC 5321, 4.1.2
    hostname,      // RFC 1123, 2.1; of an A-label (RFC 5890) that it is Punycode (RFC 3492)
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

[[nodiscard]] std::optional<Format> format_from(std::string_view name) noexcept;
[[nodiscard]] std::string_view name_of(Format format) noexcept;
/// "a uuid", "a date and time (RFC 3339)": what a message asks for.
[[nodiscard]] std::string_view describe(Format format) noexcept;
/// Those of OpenAPI 3.1, 4.4, are about numbers (`byte` apart), all others about strings.
[[nodiscard]] constexpr bool is_of_numbers(Format format) noexcept {
    return format >= Format::int32;
}
/// Names that are defined somewhere but assert nothing here: no warning for them.
[[nodiscard]] bool is_annotation(std::string_view name) noexcept;

/// Format::uuid, of any bytes.
[[nodiscard]] bool is_uuid(std::string_view text) noexcept;
/// Whether `text`, well-formed UTF-8, has a format of strings.
[[nodiscard]] bool has_format(Format format, std::string_view text);

} // namespace sallyport::contract
