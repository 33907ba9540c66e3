// The header of the PROXY protocol, versions 1 and 2.
#include "gateway/net/proxy_header.h"

#include "gateway/net/socket.h"
#include "gateway/text/ascii.h"
#include "gateway/text/digits.h"
#include "gateway/text/networks.h"

#include <boost/crc.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sallyport::net {

namespace {

using State = ProxyHeaderState;

ParsedProxyHeader malformed(std::string_view problem) {
    return {State::malformed, {}, 0, problem};
}

// Whether `bytes` may still become a text that begins with `signature`.
bool may_begin_with(std::string_view bytes, std::string_view signature) {
    auto const size = std::min(bytes.size(), signature.size());
    return bytes.substr(0, size) == signature.substr(0, size);
}

// --- version 1

constexpr std::string_view v1_signature = "PROXY ";
constexpr std::size_t v1_longest = 107; // 2.1, with its CR LF

// Takes the text before the next space; none: the line is malformed.
std::optional<std::string_view> take_word(std::string_view& line) {
    auto const end = line.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    auto const word = line.substr(0, end);
    line.remove_prefix(end + 1);
    return word;
}

// 2.1: decimal, 0 to 65535, without zeros in front.
std::optional<std::uint16_t> parse_port(std::string_view text) {
    return text::parse_digits<std::uint16_t>(text);
}

// An address of the family that the line names.
std::optional<std::string> parse_v1_address(std::string_view text, bool is_v6) {
    if ((text.find(':') != std::string_view::npos) != is_v6) return std::nullopt;
    if (text.find('%') != std::string_view::npos) return std::nullopt;
    auto const bits = text::parse_ip(text);
    if (!bits) return std::nullopt;
    return text::format_ip(*bits);
}

// `line`: behind the signature, without its end.
ParsedProxyHeader parse_v1_line(std::string_view line, std::size_t size) {
    constexpr std::string_view unknown = "UNKNOWN";
    ParsedProxyHeader parsed{State::complete, {}, size, {}};
    // What follows UNKNOWN has to be ignored.
    if (line == unknown || line.starts_with("UNKNOWN ")) return parsed;
    auto const family = take_word(line);
    if (!family || (*family != "TCP4" && *family != "TCP6"))
        return malformed("its protocol is not TCP4, TCP6 or UNKNOWN");
    bool const is_v6 = *family == "TCP6";
    auto const source = take_word(line);
    auto const destination = take_word(line);
    auto const source_port = take_word(line);
    if (!source_port) return malformed("a part of its line is missing");
    auto const address = parse_v1_address(*source, is_v6);
    auto const port = parse_port(*source_port);
    if (!address || !port || !parse_v1_address(*destination, is_v6) || !parse_port(line))
        return malformed("an address or a port in it is malformed");
    parsed.header.client = Peer{*address, *port};
    return parsed;
}

ParsedProxyHeader parse_v1(std::string_view bytes) {
    auto const end = bytes.substr(0, v1_longest).find('\n');
    if (end == std::string_view::npos)
        return bytes.size() < v1_longest ? ParsedProxyHeader{} : malformed("its line is too long");
    auto const line = bytes.substr(0, end);
    if (!line.ends_with('\r')) return malformed("its line does not end in CR LF");
    auto const words = line.substr(v1_signature.size(), line.size() - v1_signature.size() - 1);
    return parse_v1_line(words, end + 1);
}

// --- version 2

constexpr std::string_view v2_signature{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::size_t v2_fixed = 16; // signature, version and command, family, length

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes[at]);
}

std::uint16_t word_at(std::string_view bytes, std::size_t at) {
    return static_cast<std::uint16_t>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}

std::uint32_t double_word_at(std::string_view bytes, std::size_t at) {
    return std::uint32_t{word_at(bytes, at)} << 16 | word_at(bytes, at + 2);
}

// 2.2.3: over the whole header, with zeros in place of the checksum.
std::uint32_t checksum_of(std::string_view header, std::size_t checksum_at) {
    constexpr std::array<char, 4> zeros{};
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(header.data(), checksum_at);
    crc.process_bytes(zeros.data(), zeros.size());
    auto const behind = checksum_at + zeros.size();
    crc.process_bytes(header.data() + behind, header.size() - behind);
    return static_cast<std::uint32_t>(crc.checksum());
}

class V2 {
public:
    explicit V2(std::string_view header) : header_{header} {}

    ParsedProxyHeader parse() {
        constexpr std::uint8_t local = 0x20;
        constexpr std::uint8_t proxy = 0x21;
        auto const command = byte_at(header_, 12);
        if (command != local && command != proxy)
            return malformed("its version or its command is not known");
        parsed_.state = State::complete;
        parsed_.size = header_.size();
        // 2.2: the connection is the proxy's own; the rest of the header has to be discarded.
        if (command == local) return parsed_;
        if (!read_addresses() || !read_tlvs()) return malformed(problem_);
        return parsed_;
    }

private:
    static constexpr std::size_t v4_size = 12;
    static constexpr std::size_t v6_size = 36;

    bool fail(std::string_view problem) {
        problem_ = problem;
        return false;
    }

    // 2.2: addresses of source and destination, then both ports.
    bool read_addresses() {
        constexpr std::uint8_t unspecified = 0x00;
        constexpr std::uint8_t tcp4 = 0x11;
        constexpr std::uint8_t tcp6 = 0x21;
        auto const family = byte_at(header_, 13);
        if (family == unspecified) return true;
        if (family != tcp4 && family != tcp6) return fail("its family is not TCP over IP");
        auto const size = family == tcp4 ? v4_size : v6_size;
        if (header_.size() - at_ < size) return fail("its addresses are not complete");
        text::AddressBits bits{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
        auto const length = family == tcp4 ? std::size_t{4} : bits.size();
        std::copy_n(header_.begin() + static_cast<std::ptrdiff_t>(at_), length,
                    bits.end() - static_cast<std::ptrdiff_t>(length));
        parsed_.header.client = Peer{text::format_ip(bits), word_at(header_, at_ + 2 * length)};
        at_ += size;
        return true;
    }

    // 2.2: type, length, value, until the end.
    bool read_tlvs() {
        constexpr std::size_t head = 3;
        while (at_ < header_.size()) {
            if (header_.size() - at_ < head) return fail("a TLV in it is not complete");
            auto const type = byte_at(header_, at_);
            std::size_t const size = word_at(header_, at_ + 1);
            at_ += head;
            if (header_.size() - at_ < size) return fail("a TLV in it is not complete");
            if (!read_tlv(type, header_.substr(at_, size))) return false;
            at_ += size;
        }
        return true;
    }

    bool read_tlv(std::uint8_t type, std::string_view value) {
        constexpr std::uint8_t alpn = 0x01;
        constexpr std::uint8_t authority = 0x02;
        constexpr std::uint8_t crc32c = 0x03;
        constexpr std::uint8_t ssl = 0x20;
        switch (type) {
        case alpn: return take_text(value, parsed_.header.protocol, "its ALPN is malformed");
        case authority: return read_authority(value);
        case crc32c:
            if (value.size() != 4) return fail("its checksum is malformed");
            return double_word_at(value, 0) == checksum_of(header_, at_)
                   || fail("its checksum is wrong");
        case ssl: return read_ssl(value);
        default: return true; // 2.2: unknown types are ignored
        }
    }

    // 2.2.1, 2.2.2: printable, and given once.
    bool take_text(std::string_view value, std::string& to, std::string_view problem) {
        constexpr std::size_t longest = 255;
        bool const is_printable = std::all_of(value.begin(), value.end(), [](char c) {
            return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) != 0x7F;
        });
        if (value.empty() || value.size() > longest || !is_printable || !to.empty())
            return fail(problem);
        to = value;
        return true;
    }

    // 2.2.2: the name of the handshake (RFC 6066, 3).
    bool read_authority(std::string_view value) {
        auto& name = parsed_.header.authority;
        if (!take_text(value, name, "its authority is malformed")) return false;
        std::transform(name.begin(), name.end(), name.begin(), text::to_lower);
        return true;
    }

    // 2.2.6: flags of the client, result of verification, TLVs.
    bool read_ssl(std::string_view value) {
        constexpr std::size_t fixed = 5;
        constexpr std::uint8_t client_has_tls = 0x01;
        if (value.size() < fixed) return fail("its TLV about TLS is not complete");
        parsed_.header.client_has_tls = (byte_at(value, 0) & client_has_tls) != 0;
        return true;
    }

    std::string_view header_;
    std::size_t at_ = v2_fixed;
    ParsedProxyHeader parsed_;
    std::string_view problem_;
};

ParsedProxyHeader parse_v2(std::string_view bytes) {
    if (bytes.size() < v2_fixed) return {};
    std::size_t const size = v2_fixed + word_at(bytes, 14);
    if (size > max_proxy_header) return malformed("it is too long");
    if (bytes.size() < size) return {};
    return V2{bytes.substr(0, size)}.parse();
}

// The header is there: nothing else is waited for.
Error take(Socket& socket, std::span<char> header) {
    std::size_t taken = 0;
    while (taken < header.size()) {
        auto const got = socket.receive(header.subspan(taken));
        if (!got) return got.error();
        taken += *got;
    }
    return {};
}

} // namespace

ParsedProxyHeader parse_proxy_header(std::string_view bytes) {
    if (may_begin_with(bytes, v2_signature))
        return bytes.size() < v2_signature.size() ? ParsedProxyHeader{} : parse_v2(bytes);
    if (may_begin_with(bytes, v1_signature))
        return bytes.size() < v1_signature.size() ? ParsedProxyHeader{} : parse_v1(bytes);
    return malformed("the connection does not begin with one");
}

Task<ReceivedProxyHeader> receive_proxy_header(Socket& socket) {
    std::array<char, max_proxy_header> bytes;
    std::size_t seen = 0;
    for (;;) {
        auto const got = socket.peek(bytes);
        if (!got && got.error() != asio::error::would_block) {
            bool const broke_off = seen != 0 && got.error() == asio::error::eof;
            co_return ReceivedProxyHeader{
                {}, got.error(), broke_off ? "it is not complete" : std::string_view{}};
        }
        if (got) {
            auto parsed = parse_proxy_header({bytes.data(), *got});
            if (parsed.state == State::malformed)
                co_return ReceivedProxyHeader{{}, {}, parsed.problem};
            if (parsed.state == State::complete) {
                auto const error = take(socket, std::span{bytes}.first(parsed.size));
                co_return ReceivedProxyHeader{std::move(parsed.header), error, {}};
            }
            seen = *got;
            if (socket.has_ended()) co_return ReceivedProxyHeader{{}, {}, "it is not complete"};
            socket.await_more();
        }
        if (auto const error = co_await socket.wait_readable())
            co_return ReceivedProxyHeader{{}, error, {}};
    }
}

} // namespace sallyport::net
