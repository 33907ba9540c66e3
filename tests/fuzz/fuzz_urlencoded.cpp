// Fuzzes forms: what is accepted has the fields that a plain reader finds, and means the same when
// it is written again in another coding.
#include "check.h"

#include "gateway/contract/forms/urlencoded.h"
#include "gateway/text/hexadecimal.h"
#include "gateway/text/utf8.h"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sallyport::contract;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

using Fields = std::vector<std::pair<std::string, std::string>>;

// Every byte of a text as an escape.
std::string escaped(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        out.append(1, '%').append(1, digits[byte / 16]).append(1, digits[byte % 16]);
    }
    return out;
}

// WHATWG URL Standard, 5.1, in the plainest way.
std::string plainly_decoded(std::string_view raw) {
    std::string out;
    for (std::size_t at = 0; at < raw.size(); ++at) {
        bool const is_escape = raw[at] == '%' && at + 2 < raw.size()
                               && sallyport::text::hex_value(raw[at + 1]) >= 0
                               && sallyport::text::hex_value(raw[at + 2]) >= 0;
        if (is_escape) {
            out += static_cast<char>(sallyport::text::hex_value(raw[at + 1]) * 16
                                     + sallyport::text::hex_value(raw[at + 2]));
            at += 2;
        } else {
            out += raw[at] == '+' ? ' ' : raw[at];
        }
    }
    return out;
}

bool read(std::string_view body, Fields& fields) {
    FormPairs pairs{body};
    std::string name;
    std::string value;
    for (FormPair pair; pairs.next(pair);) {
        check(pair.offset < body.size(), "a pair begins in the body");
        check(pair.name.data() == body.data() + pair.offset, "a name is a view of the body");
        if (decode_form_text(pair.name, name) != Malformed::none) return false;
        if (decode_form_text(pair.value, value) != Malformed::none) return false;
        check(name == plainly_decoded(pair.name), "a name is what a plain reader finds");
        check(value == plainly_decoded(pair.value), "a value is what a plain reader finds");
        check(sallyport::text::is_utf8(name) && sallyport::text::is_utf8(value), "texts are UTF-8");
        check(value.find('\0') == std::string::npos, "a value has no NUL");
        fields.emplace_back(name, value);
    }
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{sallyport::fuzz::view_of(data, size)};
    Fields fields;
    if (!read(input.view(), fields)) return 0;
    std::string again;
    for (auto const& [name, value] : fields)
        again.append(again.empty() ? "" : "&").append(escaped(name)).append("=" + escaped(value));
    Fields read_again;
    check(read(again, read_again), "a form that is written again is accepted");
    check(read_again == fields, "and has the same fields");
    return 0;
}
