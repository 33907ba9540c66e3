// The formats that are asserted, each exactly as its standard defines it.
#include "gateway/contract/schema/format.h"

#include "gateway/contract/patterns/pattern.h"
#include "gateway/contract/schema/format_checks.h"
#include "gateway/simd/blocks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sallyport::contract {

using namespace formats;

namespace {

using simd::Block;
using simd::load_block;

struct FormatName {
    std::string_view name;
    Format format;
    std::string_view words;
};

// In the order of the enumeration.
constexpr std::array format_names{
    FormatName{"uuid", Format::uuid, "a uuid"},
    FormatName{"date-time", Format::date_time, "a date and time (RFC 3339)"},
    FormatName{"date", Format::date, "a date (RFC 3339)"},
    FormatName{"time", Format::time, "a time with offset (RFC 3339)"},
    FormatName{"duration", Format::duration, "a duration (RFC 3339)"},
    FormatName{"email", Format::email, "an email address"},
    FormatName{"hostname", Format::hostname, "a host name"},
    FormatName{"ipv4", Format::ipv4, "an IPv4 address"},
    FormatName{"ipv6", Format::ipv6, "an IPv6 address"},
    FormatName{"uri", Format::uri, "a URI"},
    FormatName{"uri-reference", Format::uri_reference, "a URI or a relative reference"},
    FormatName{"json-pointer", Format::json_pointer, "a JSON pointer"},
    FormatName{"regex", Format::regex, "a regular expression (ECMA-262)"},
    FormatName{"byte", Format::byte, "base64"},
    FormatName{"int32", Format::int32, "an integer of 32 bits"},
    FormatName{"int64", Format::int64, "an integer of 64 bits"},
    FormatName{"float", Format::single, "a number within single precision"},
    FormatName{"double", Format::double_precision, "a number within double precision"},
};

// Hints of the OpenAPI Format Registry about how a value is shown or stored, which do not restrict
// it.
constexpr std::array annotations{std::string_view{"password"}, std::string_view{"binary"}};

// Sets all bits of each byte that is a hyphen where one is required, and a hex digit elsewhere.
[[nodiscard]] Block fits_uuid(char const* at, Block hyphens) noexcept {
    Block const block = load_block(at);
    // The bit 0x20 maps no other bytes than letters to lower-case letters.
    Block const lower = block | 0x20;
    Block const is_hex =
        ((block > '0' - 1) & (block < '9' + 1)) | ((lower > 'a' - 1) & (lower < 'f' + 1));
    return (hyphens & (block == '-')) | (~hyphens & is_hex);
}

[[nodiscard]] bool is_json_pointer(std::string_view text) noexcept {
    // RFC 6901, 3
    if (text.empty()) return true;
    if (text.front() != '/') return false;
    for (std::size_t i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1)) {
        if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
    }
    return true;
}

[[nodiscard]] bool is_base64(std::string_view text) noexcept {
    // RFC 4648, 4: groups of four, the last one padded.
    if (text.size() % 4 != 0) return false;
    for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i)
        text.remove_suffix(1);
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '/'; });
}

} // namespace

std::optional<Format> format_from(std::string_view name) noexcept {
    for (auto const& one : format_names) {
        if (one.name == name) return one.format;
    }
    return std::nullopt;
}

std::span<std::string_view const> known_formats() noexcept {
    static auto const names = [] {
        std::array<std::string_view, format_names.size()> all;
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = format_names[i].name;
        return all;
    }();
    return names;
}

std::string_view name_of(Format format) noexcept {
    return format_names[static_cast<std::size_t>(format)].name;
}

std::string_view describe(Format format) noexcept {
    return format_names[static_cast<std::size_t>(format)].words;
}

bool is_annotation(std::string_view name) noexcept {
    return std::find(annotations.begin(), annotations.end(), name) != annotations.end();
}

// Most paths contain some.
bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    // Hyphens are required at 8, 13, 18 and 23; the last block overlaps the one before it.
    constexpr Block at_0{0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0};
    constexpr Block at_16{0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    constexpr Block at_20{0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    Block const fits = fits_uuid(text.data(), at_0) & fits_uuid(text.data() + 16, at_16)
                       & fits_uuid(text.data() + 20, at_20);
    std::array<std::uint64_t, 2> halves;
    std::memcpy(halves.data(), &fits, sizeof fits);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

bool has_format(Format format, std::string_view text) {
    switch (format) {
    case Format::uuid: return is_uuid(text);
    case Format::date_time: return is_date_time(text);
    case Format::date: return is_date(text);
    case Format::time: return is_time(text);
    case Format::duration: return is_duration(text);
    case Format::email: return is_email(text);
    case Format::hostname: return is_hostname(text);
    case Format::ipv4: return is_ipv4(text);
    case Format::ipv6: return is_ipv6(text);
    case Format::uri: return is_uri(text);
    case Format::uri_reference: return is_uri_reference(text);
    case Format::json_pointer: return is_json_pointer(text);
    case Format::regex: return is_pattern(text);
    case Format::byte: return is_base64(text);
    case Format::int32:
    case Format::int64:
    case Format::single:
    case Format::double_precision: break;
    }
    return false;
}

} // namespace sallyport::contract
