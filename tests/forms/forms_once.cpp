// Reads forms and multipart bodies with the gateway's parsers, and writes what it finds: for
// compare.py, which asks other parsers the same.
//
//     forms_once < CASES > READINGS
//
// A case is a line: `form HEX`, or `multipart BOUNDARY HEX`. A reading is a line: `refused REASON`,
// or `read` and `NAME=VALUE` for each field, in hexadecimal digits.
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/text/hexadecimal.h"

#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace sallyport::contract;

std::string from_hex(std::string_view digits) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
        bytes += static_cast<char>(sallyport::text::hex_value(digits[at]) * 16
                                   + sallyport::text::hex_value(digits[at + 1]));
    return bytes;
}

void append_hex(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        out.append(1, digits[byte / 16]).append(1, digits[byte % 16]);
    }
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out += ' ';
    append_hex(out, name);
    out += '=';
    append_hex(out, value);
}

std::string refused(Malformed reason) {
    return "refused " + std::string{name_of(reason)};
}

std::string read_form(std::string_view body) {
    std::string out = "read";
    FormPairs pairs{body};
    for (FormPair pair; pairs.next(pair);) {
        std::string name;
        std::string value;
        auto reason = decode_form_text(pair.name, name);
        if (reason == Malformed::none) reason = decode_form_text(pair.value, value);
        if (reason != Malformed::none) return refused(reason);
        append_field(out, name, value);
    }
    return out;
}

std::string read_multipart(std::string_view body, std::string_view boundary) {
    std::string out = "read";
    Multipart parts{body, boundary};
    for (MultipartPart part;;) {
        auto const next = parts.next(part);
        if (next == Multipart::Next::end) return out;
        if (next == Multipart::Next::fault) return refused(parts.reason());
        std::string name;
        auto const reason = decode_part_name(part.name, name);
        if (reason != Malformed::none) return refused(reason);
        append_field(out, name, part.body);
    }
}

} // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words{line};
        std::string kind;
        std::string boundary;
        std::string digits;
        words >> kind;
        if (kind == "multipart") words >> boundary;
        words >> digits;
        std::string const body = from_hex(digits);
        std::cout << (kind == "form" ? read_form(body) : read_multipart(body, boundary)) << '\n';
    }
}
