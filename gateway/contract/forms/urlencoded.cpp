// Reads bodies of application/x-www-form-urlencoded.
#include "gateway/contract/forms/urlencoded.h"

#include "gateway/text/percent.h"
#include "gateway/text/utf8.h"

#include <algorithm>

namespace sallyport::contract {

// WHATWG URL Standard, 5.1, steps 1 to 3.
bool FormPairs::next(FormPair& pair) noexcept {
    while (at_ < body_.size()) {
        auto const end = std::min(body_.find('&', at_), body_.size());
        auto const whole = body_.substr(at_, end - at_);
        pair.offset = at_;
        at_ = end + 1;
        if (whole.empty()) continue;
        auto const equals = std::min(whole.find('='), whole.size());
        pair.name = whole.substr(0, equals);
        pair.value = whole.substr(std::min(equals + 1, whole.size()));
        return true;
    }
    return false;
}

Malformed decode_form_text(std::string_view raw, std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (raw[at] != '%') {
            out += raw[at] == '+' ? ' ' : raw[at];
            continue;
        }
        int const byte = text::escaped_byte(raw, at);
        if (byte < 0) return Malformed::field_coding;
        out += static_cast<char>(byte);
        at += 2;
    }
    // Of a character half as bytes and half as escapes, parsers that begin with a text see nothing.
    if (!text::is_utf8(out) || !text::is_utf8(raw)) return Malformed::field_coding;
    return out.find('\0') == std::string::npos ? Malformed::none : Malformed::nul;
}

} // namespace sallyport::contract
