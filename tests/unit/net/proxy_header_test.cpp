// The header of the PROXY protocol, versions 1 and 2.
#include "gateway/net/proxy_header.h"

#include <catch2/catch.hpp>

#include <boost/crc.hpp>

#include <cstdint>
#include <string>

namespace proxy_header_test {

namespace {

using namespace sallyport::net;
using namespace std::string_literals;
using State = ProxyHeaderState;

// "ADDRESS PORT tls PROTOCOL +REST", "unfinished", or the problem.
std::string judge(std::string const& bytes) {
    // A copy of exactly this size, so that a read past it is detected.
    auto const copy = std::make_unique<char[]>(bytes.size());
    bytes.copy(copy.get(), bytes.size());
    auto const parsed = parse_proxy_header({copy.get(), bytes.size()});
    if (parsed.state == State::unfinished) return "unfinished";
    if (parsed.state == State::malformed) return std::string{parsed.problem};
    auto const& client = parsed.header.client;
    auto text = client ? client->address + " " + std::to_string(client->port) : "the proxy";
    if (parsed.header.client_has_tls) text += " tls";
    if (!parsed.header.protocol.empty()) text += " " + parsed.header.protocol;
    if (parsed.size != bytes.size()) text += " +" + std::to_string(bytes.size() - parsed.size);
    return text;
}

std::string word(std::size_t value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
}

std::string tlv(char type, std::string const& value) {
    return std::string{type} + word(value.size()) + value;
}

std::string const signature{"\r\n\r\n\0\r\nQUIT\n", 12};
std::string const v4 = "\xC0\x00\x02\x01"s + "\x0A\x00\x00\x01"s + word(4711) + word(443);
std::string const v6 = "\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x01"s + std::string(15, '\0')
                       + "\x01"s + word(4711) + word(443);

std::string v2(char command, char family, std::string const& rest) {
    return signature + std::string{command, family} + word(rest.size()) + rest;
}

std::string tcp4(std::string const& tlvs) {
    return v2('\x21', '\x11', v4 + tlvs);
}

// With a checksum over all of it, which is the last TLV.
std::string with_checksum(std::string header, std::uint32_t change = 0) {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(header.data(), header.size());
    auto const sum = static_cast<std::uint32_t>(crc.checksum()) ^ change;
    header.replace(header.size() - 4, 4, word(sum >> 16) + word(sum & 0xFFFF));
    return header;
}

} // namespace

TEST_CASE("version 1: the line says who the client is") {
    CHECK(judge("PROXY TCP4 192.0.2.1 10.0.0.1 4711 443\r\nGET /") == "192.0.2.1 4711 +5");
    CHECK(judge("PROXY TCP6 2001:DB8::1 ::1 0 65535\r\n") == "2001:db8::1 0");
    CHECK(judge("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n") == "192.0.2.1 1");
    CHECK(judge("PROXY UNKNOWN\r\nrest") == "the proxy +4");
    CHECK(judge("PROXY UNKNOWN ffff::1 what ever 1\r\n") == "the proxy");
}

TEST_CASE("version 1: every beginning of a line is unfinished, and none is longer than 107 bytes") {
    std::string const line = "PROXY TCP4 192.0.2.1 10.0.0.1 4711 443\r\n";
    for (std::size_t size = 0; size < line.size(); ++size) {
        CAPTURE(size);
        CHECK(judge(line.substr(0, size)) == "unfinished");
    }
    auto const unknown = "PROXY UNKNOWN " + std::string(91, 'x');
    REQUIRE(unknown.size() == 105);
    CHECK(judge(unknown + "\r\n") == "the proxy");
    CHECK(judge(unknown + "\r") == "unfinished");
    CHECK(judge(unknown + "x\r\n") == "its line is too long");
}

TEST_CASE("version 1: what is not to the letter is malformed") {
    for (auto const* const line :
         {"PROXY TCP4 192.0.2.1 10.0.0.1 4711 443\n", "PROXY UNKNOWN\n", "PROXY TCP4 1.2.3.4\n"}) {
        CAPTURE(line);
        CHECK(judge(line) == "its line does not end in CR LF");
    }
    for (auto const* const line : {"PROXY UDP4 192.0.2.1 10.0.0.1 1 2\r\n", "PROXY unknown\r\n",
                                   "PROXY UNKNOWNS\r\n", "PROXY  TCP4 1.2.3.4 1.2.3.4 1 2\r\n",
                                   "PROXY TCP4\r\n", "PROXY \r\n"}) {
        CAPTURE(line);
        CHECK(judge(line) == "its protocol is not TCP4, TCP6 or UNKNOWN");
    }
    CHECK(judge("PROXY TCP4 192.0.2.1 10.0.0.1 1\r\n") == "a part of its line is missing");
    for (auto const* const line :
         {"PROXY TCP4 192.0.2.1 10.0.0.1 1 2 \r\n", "PROXY TCP4 192.0.2.1  10.0.0.1 1 2\r\n",
          "PROXY TCP4 192.0.2.1 10.0.0.1 01 2\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 1 65536\r\n",
          "PROXY TCP4 192.0.2.1 10.0.0.1 1 -2\r\n", "PROXY TCP4 192.0.2.1 10.0.0.1 1 2x\r\n",
          "PROXY TCP4 ::1 10.0.0.1 1 2\r\n", "PROXY TCP6 ::1 10.0.0.1 1 2\r\n",
          "PROXY TCP4 192.0.2.256 10.0.0.1 1 2\r\n", "PROXY TCP6 ::1%lo ::1 1 2\r\n",
          "PROXY TCP4 host 10.0.0.1 1 2\r\n"}) {
        CAPTURE(line);
        CHECK(judge(line) == "an address or a port in it is malformed");
    }
}

TEST_CASE("version 2: addresses and what else the header says") {
    CHECK(judge(tcp4("") + "GET /") == "192.0.2.1 4711 +5");
    CHECK(judge(v2('\x21', '\x21', v6)) == "2001:db8::1 4711");
    CHECK(judge(tcp4(tlv(1, "http/1.1") + tlv(2, "api.example") + tlv(4, "padding")
                     + tlv(0x20, "\x01\0\0\0\0"s + tlv(0x21, "TLSv1.3"))))
          == "192.0.2.1 4711 tls http/1.1");
    CHECK(judge(tcp4(tlv(0x20, "\x06\0\0\0\x01"s))) == "192.0.2.1 4711");
    CHECK(judge(tcp4(tlv('\xEA', "of a cloud"))) == "192.0.2.1 4711");
    // Checks of the proxy itself, and clients that it does not know.
    CHECK(judge(v2('\x20', '\0', "")) == "the proxy");
    CHECK(judge(v2('\x20', '\x11', v4)) == "the proxy");
    CHECK(judge(v2('\x20', '\x11', "x")) == "the proxy");
    CHECK(judge(v2('\x21', '\0', "")) == "the proxy");
    CHECK(judge(v2('\x21', '\0', tlv(1, "h2"))) == "the proxy h2");
}

TEST_CASE("version 2: every beginning is unfinished") {
    auto const header = tcp4(tlv(1, "http/1.1"));
    for (std::size_t size = 0; size < header.size(); ++size) {
        CAPTURE(size);
        CHECK(judge(header.substr(0, size)) == "unfinished");
    }
}

TEST_CASE("version 2: a checksum is right, if there is one") {
    auto const header = tcp4(tlv(2, "api.example") + tlv(3, std::string(4, '\0')));
    CHECK(judge(with_checksum(header)) == "192.0.2.1 4711");
    CHECK(judge(with_checksum(header) + "rest") == "192.0.2.1 4711 +4");
    CHECK(judge(with_checksum(header, 1)) == "its checksum is wrong");
    auto other = with_checksum(header);
    other[16] = '\xC1';
    CHECK(judge(other) == "its checksum is wrong");
    CHECK(judge(tcp4(tlv(3, "123"))) == "its checksum is malformed");
    // Castagnoli's polynomial, not that of Ethernet: RFC 3720, B.4.
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    std::string const zeros(32, '\0');
    crc.process_bytes(zeros.data(), zeros.size());
    CHECK(crc.checksum() == 0x8A9136AA);
}

TEST_CASE("version 2: what is incomplete or unknown is malformed") {
    for (char const command : {'\x22', '\x11', '\x31', '\0'}) {
        CAPTURE(static_cast<int>(command));
        CHECK(judge(v2(command, '\x11', v4)) == "its version or its command is not known");
    }
    for (char const family : {'\x12', '\x22', '\x31', '\x32', '\x10', '\x01', '\x41'}) {
        CAPTURE(static_cast<int>(family));
        CHECK(judge(v2('\x21', family, v6)) == "its family is not TCP over IP");
    }
    CHECK(judge(v2('\x21', '\x11', v4.substr(1))) == "its addresses are not complete");
    CHECK(judge(v2('\x21', '\x21', v6.substr(1))) == "its addresses are not complete");
    CHECK(judge(tcp4("\x04")) == "a TLV in it is not complete");
    CHECK(judge(tcp4(tlv(4, "ab").substr(0, 4))) == "a TLV in it is not complete");
    CHECK(judge(tcp4(tlv(1, ""))) == "its ALPN is malformed");
    CHECK(judge(tcp4(tlv(1, "http/1.1\n"))) == "its ALPN is malformed");
    CHECK(judge(tcp4(tlv(1, "h2") + tlv(1, "http/1.1"))) == "its ALPN is malformed");
    CHECK(judge(tcp4(tlv(2, "a b"))) == "its authority is malformed");
    CHECK(parse_proxy_header(tcp4(tlv(2, "A.Example"))).header.authority == "a.example");
    CHECK(parse_proxy_header(tcp4(tlv(4, "A.Example"))).header.authority.empty());
    CHECK(judge(tcp4(tlv(2, std::string(256, 'a')))) == "its authority is malformed");
    CHECK(judge(tcp4(tlv(0x20, "\x01\0\0\0"s))) == "its TLV about TLS is not complete");
    CHECK(judge(signature + "\x21\x11\x10\x00"s) == "it is too long");
    auto const longest = v4 + tlv(4, std::string(max_proxy_header - 16 - v4.size() - 3, 'x'));
    CHECK(judge(v2('\x21', '\x11', longest)) == "192.0.2.1 4711");
    CHECK(judge(v2('\x21', '\x11', longest + "x")) == "it is too long");
}

TEST_CASE("anything else is no header") {
    for (auto const* const bytes :
         {"GET / HTTP/1.1\r\n", "P R", "PROXX", "proxy TCP4 ", "\x16\x03\x01", "\r\n\r\nx", "\r\n\n"}) {
        CAPTURE(bytes);
        CHECK(judge(bytes) == "the connection does not begin with one");
    }
}

} // namespace proxy_header_test
