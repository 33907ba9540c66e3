// Violations as their sender reads them.
#include "gateway/contract/violation.h"

namespace sallyport::contract {

void append_step(std::string& pointer, std::string_view name) {
    pointer += '/';
    for (char const c : name) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
}

std::string cut_name(std::string_view name) {
    // RFC 3629, 3: no character has more than four bytes. Names of a query may be no UTF-8 at all.
    constexpr std::size_t most_bytes = 4 * longest_client_name;
    std::size_t characters = 0;
    std::size_t at = 0;
    for (; at < name.size() && at < most_bytes; ++at) {
        bool const is_first = (static_cast<unsigned char>(name[at]) & 0xC0U) != 0x80U;
        if (is_first && ++characters > longest_client_name) break;
    }
    std::string cut{name.substr(0, at)};
    if (at < name.size()) cut += "\u2026";
    return cut;
}

void append_pointer(std::string& out, Violation const& violation, std::size_t which,
                    ToItsSender key) {
    std::string_view const as_sent = violation.pointer_as_sent.read(key);
    std::string_view pointer = as_sent.empty() ? violation.pointer : as_sent;
    bool const has_name = !violation.undeclared.empty();
    if (has_name && as_sent.empty()) pointer.remove_suffix(std::string_view{"/*"}.size());
    out += pointer;
    if (has_name) append_step(out, violation.undeclared[which].read(key));
}

void append_message(std::string& out, Violation const& violation, std::size_t which,
                    ToItsSender key) {
    std::size_t const before = out.size();
    out += violation.name;
    append_pointer(out, violation, which, key);
    if (!violation.missing.empty()) append_step(out, violation.missing);
    if (out.size() == before) out += violation.in == ValuePlace::query ? "the query" : "the body";
    out += ' ';
    out += violation.phrase;
}

} // namespace sallyport::contract
