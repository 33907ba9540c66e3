// Random identifiers from OpenSSL's generator, and time stamps.
#include "deploy/sandbox/identity.h"

#include "gateway/text/ascii.h"

#include <openssl/rand.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <stdexcept>

namespace sallyport::sandbox {
namespace {

template <std::size_t size>
std::array<std::uint8_t, size> random_bytes() {
    std::array<std::uint8_t, size> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error{"the system has no random bytes"};
    }
    return bytes;
}

std::string hexadecimal(std::span<std::uint8_t const> bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (std::uint8_t const byte : bytes) {
        text += digits[byte >> 4U];
        text += digits[byte & 0x0fU];
    }
    return text;
}

} // namespace

std::string make_uuid() {
    auto bytes = random_bytes<16>();
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U); // RFC 9562, 5.4: version 4
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U); // RFC 9562, 4.1: variant 10
    std::string text = hexadecimal(bytes);
    for (std::size_t const dash : {8U, 13U, 18U, 23U})
        text.insert(dash, 1, '-');
    return text;
}

std::string make_object_id() {
    return hexadecimal(random_bytes<12>());
}

std::string make_password() {
    // 64 characters, so that all are equally likely.
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";
    static_assert(alphabet.size() == 64);
    std::string text;
    for (std::uint8_t const byte : random_bytes<24>())
        text += alphabet[byte & 0x3fU];
    return text;
}

std::string present_time() {
    using namespace std::chrono;
    auto const now = floor<milliseconds>(system_clock::now());
    std::time_t const whole = system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&whole, &parts);
    std::array<char, 32> date{};
    std::size_t const length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 8> fraction{};
    auto const rest = static_cast<unsigned>((now.time_since_epoch() % seconds{1}).count());
    (void)std::snprintf(fraction.data(), fraction.size(), ".%03uZ", rest % 1000U);
    return std::string{date.data(), length} + fraction.data();
}

std::string to_lower(std::string_view text) {
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), text::to_lower);
    return lower;
}

} // namespace sallyport::sandbox
