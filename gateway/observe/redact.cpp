// The single pass over a body that removes secrets.
#include "gateway/observe/redact.h"

#include "gateway/observe/json_string.h"
#include "gateway/observe/json_text.h"
#include "gateway/simd/blocks.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace sallyport::observe {

namespace {

using simd::Block;
using simd::load_block;
using simd::mask_of;

constexpr std::string_view redacted = "\"[redacted]\"";
constexpr std::size_t deepest = 1024;

constexpr bool is_space(char byte) { // RFC 8259, 2: ws
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

// Copies only `text`, usually a name or a number between two spaces: a call of memcpy costs
// more.
void copy_bytes(char* to, std::string_view text) {
    auto const size = text.size();
    auto const copy_both_ends = [&]<class Word>(Word word) {
        std::memcpy(&word, text.data(), sizeof word);
        std::memcpy(to, &word, sizeof word);
        std::memcpy(&word, text.data() + size - sizeof word, sizeof word);
        std::memcpy(to + size - sizeof word, &word, sizeof word);
    };
    if (size > 2 * sizeof(std::uint64_t)) {
        std::memcpy(to, text.data(), size);
    } else if (size >= sizeof(std::uint64_t)) {
        copy_both_ends(std::uint64_t{});
    } else if (size >= sizeof(std::uint32_t)) {
        copy_both_ends(std::uint32_t{});
    } else {
        for (std::size_t i = 0; i < size; ++i)
            to[i] = text[i];
    }
}

// Like is_ordinary(), for bytes that are copied unchanged: not DEL, and no byte that may begin a C1
// control character (C2) or a line separator (E2).
constexpr bool is_kept(char byte) {
    return is_ordinary(byte) && byte != 0x7F && (static_cast<unsigned char>(byte) | 0x20U) != 0xE2;
}

std::size_t kept_prefix(std::string_view text) {
    auto const size = ordinary_prefix(text);
    for (std::size_t at = 0; at < size; ++at)
        if (!is_kept(text[at])) return at;
    return size;
}

// Whether the bytes that are read appear in the output.
enum class Seen : std::uint8_t { copied, hidden };

// One pass over a body: checks the whole grammar of RFC 8259 and copies everything except secret
// values. It has a grammar of its own, so that the code that copies also decides what a name is and
// where its value ends.
class Redaction {
public:
    Redaction(std::string_view body, RedactionList const& list, std::string& out)
        : list_{list}, out_{out}, to_{out.data()}, at_{body.data()}, end_{at_ + body.size()} {
        make_room();
    }

    // False if the body is not one JSON text; the output must not be used then. Everything is
    // inlined here, so that the members stay in registers.
    [[gnu::flatten]] bool run() {
        skip_space();
        if (!read_value<Seen::copied>()) return false;
        skip_space();
        if (at_ != end_) return false;
        out_.resize(written());
        return true;
    }

private:
    // The next token: a value or a name; a closing bracket or a comma; none; or an error.
    enum class Step : std::uint8_t { next, ends, done, fails };

    static Step ends_if(bool is_good) { return is_good ? Step::ends : Step::fails; }

    bool is_at(char byte) const { return at_ != end_ && *at_ == byte; }
    std::size_t written() const { return static_cast<std::size_t>(to_ - out_.data()); }
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    // For the rest of the body, one more replaced value, and the bytes that a block writes beyond
    // its string.
    void make_room() {
        auto const before = written();
        auto const wanted = before + rest().size() + redacted.size() + sizeof(Block);
        if (out_.size() < wanted) out_.resize(wanted + wanted / 8);
        to_ = out_.data() + before;
    }

    // One space or none, as most writers have it.
    void skip_space() {
        while (is_at(' '))
            ++at_;
        if (at_ != end_ && static_cast<unsigned char>(*at_) < ' ') at_ = skip_lines(at_, end_);
    }

    // Static, so that what a redaction remembers stays in registers.
    [[gnu::noinline]] static char const* skip_lines(char const* at, char const* end) {
        while (at != end && is_space(*at))
            ++at;
        return at;
    }

    // Whether this token is the next one. Few writers put space in front of a colon or a comma.
    bool is_next(char byte) {
        if (is_at(byte)) return true;
        skip_space();
        return is_at(byte);
    }

    // The next token of one byte.
    template <Seen seen>
    void take_byte() {
        if constexpr (seen == Seen::copied) *to_++ = *at_;
        ++at_;
    }

    // The next bytes of a token.
    template <Seen seen>
    void take(std::size_t size) {
        if constexpr (seen == Seen::copied) {
            copy_bytes(to_, {at_, size});
            to_ += size;
        }
        at_ += size;
    }

    // The next value with everything inside it, and nothing behind it.
    template <Seen seen>
    bool read_value() {
        auto const outside = depth_;
        for (;;) {
            auto step = read_token<seen>();
            do {
                if (step == Step::ends) step = read_ends<seen>(outside);
                if (step == Step::done) return true;
                if (step == Step::fails) return false;
                if (is_in_object_) step = read_name<seen>();
            } while (step != Step::next);
        }
    }

    // A value without nested values, or the beginning of one with them.
    template <Seen seen>
    Step read_token() {
        if (at_ == end_) return Step::fails;
        switch (*at_) {
        case '"': return ends_if(read_string<seen>());
        case '{': return open<seen>('}');
        case '[': return open<seen>(']');
        case 't': return ends_if(read_literal<seen>("true"));
        case 'f': return ends_if(read_literal<seen>("false"));
        case 'n': return ends_if(read_literal<seen>("null"));
        default: return ends_if(read_number<seen>());
        }
    }

    template <Seen seen>
    Step open(char end) {
        if (depth_ == deepest) return Step::fails;
        was_in_object_[depth_++] = is_in_object_;
        is_in_object_ = end == '}';
        take_byte<seen>();
        skip_space();
        return is_at(end) ? Step::ends : Step::next;
    }

    // After a value, or at the end of an empty array or object: all closing brackets, and the comma
    // before the next value; or up to the end of the one that was opened at the depth `outside`.
    template <Seen seen>
    Step read_ends(std::size_t outside) {
        while (depth_ != outside) {
            if (is_next(',')) {
                take_byte<seen>();
                skip_space();
                return Step::next;
            }
            if (!is_at(is_in_object_ ? '}' : ']')) return Step::fails;
            take_byte<seen>();
            is_in_object_ = was_in_object_[--depth_];
        }
        return Step::done;
    }

    // A name, and the tokens between it and its value; the value too, if it is replaced.
    template <Seen seen>
    Step read_name() {
        if (!is_at('"')) return Step::fails;
        auto is_secret = read_short_name<seen>();
        if (!is_secret) {
            auto const* const begin = at_ + 1;
            has_escapes_ = false;
            if (!read_string<seen>()) return Step::fails;
            std::string_view const name{begin, static_cast<std::size_t>(at_ - 1 - begin)};
            if constexpr (seen == Seen::copied)
                is_secret = has_escapes_ ? list_.has_escaped(name) : list_.has(name);
        }
        if (!is_next(':')) return Step::fails;
        take_byte<seen>();
        skip_space();
        if constexpr (seen == Seen::copied) {
            if (*is_secret) return ends_if(replace_value());
        }
        return Step::next;
    }

    // Whether the next name is secret, if it ends within a block and contains only bytes that are
    // copied unchanged, as most do; otherwise nothing has been read.
    template <Seen seen>
    std::optional<bool> read_short_name() {
        if (rest().size() < sizeof(Block)) return std::nullopt;
        Block const block = load_block(at_);
        auto const special = special_bytes(block) & ~1U; // the quote that begins it
        if (special == 0) return std::nullopt;
        auto const end = static_cast<std::size_t>(std::countr_zero(special));
        if (at_[end] != '"') return std::nullopt;
        std::string_view const name{at_ + 1, end - 1};
        if constexpr (seen == Seen::copied) std::memcpy(to_, &block, sizeof block);
        pass<seen>(end + 1);
        if constexpr (seen == Seen::hidden) return false;
        auto const uneven = RedactionList::uneven_bytes(block) & ((1U << end) - 1);
        return list_.has(name, uneven >> 1);
    }

    // Copies nothing of the next value, whatever it is.
    bool replace_value() {
        to_ += redacted.copy(to_, redacted.size());
        make_room();
        return read_value<Seen::hidden>();
    }

    // From its opening to behind its closing quote; sets has_escapes_ if it contains one.
    template <Seen seen>
    bool read_string() {
        auto ends_nothing = 1U; // the quote that begins it
        while (rest().size() >= sizeof(Block)) {
            Block const block = load_block(at_);
            if constexpr (seen == Seen::copied) std::memcpy(to_, &block, sizeof block);
            auto const special = special_bytes(block) & ~ends_nothing;
            ends_nothing = 0;
            pass<seen>(static_cast<std::size_t>(std::countr_zero(special | 0x10000U)));
            if (special == 0) continue;
            if (*at_ == '"') {
                pass<seen>(1);
                return true;
            }
            if (!read_special<seen>()) return false;
        }
        if (ends_nothing != 0) take_byte<seen>();
        return read_last_string<seen>();
    }

    // Why a block of the body was copied.
    template <Seen seen>
    void pass(std::size_t size) {
        if constexpr (seen == Seen::copied) to_ += size;
        at_ += size;
    }

    // A bit for each byte that ends a string or is not copied unchanged.
    static unsigned special_bytes(Block block) {
        Block const is_control = ((block & ~0x1F) == 0) | (block == 0x7F);
        // First bytes of U+0080 to U+00BF and U+2000 to U+2FFF.
        Block const may_be_odd = (block | 0x20) == static_cast<signed char>(0xE2);
        return mask_of((block == '"') | (block == '\\') | is_control | may_be_odd);
    }

    // For the last bytes of a body, fewer than a block.
    template <Seen seen>
    bool read_last_string() {
        for (;;) {
            take<seen>(kept_prefix(rest()));
            if (at_ == end_) return false;
            if (*at_ == '"') {
                take_byte<seen>();
                return true;
            }
            if (!read_special<seen>()) return false;
        }
    }

    // An escape, or a character that is not copied unchanged or is not allowed.
    template <Seen seen>
    bool read_special() {
        if (*at_ != '\\') return take_odd_character<seen>();
        auto const escape = read_escape(rest());
        if (escape.size == 0) return false;
        has_escapes_ = true;
        take<seen>(escape.size);
        return true;
    }

    template <Seen seen>
    bool take_odd_character() {
        auto const text = rest();
        // RFC 8259, 7: control characters must be escaped. A raw line feed would also split the
        // line.
        if (static_cast<unsigned char>(text[0]) < ' ') return false;
        auto const size = text::utf8_length(text);
        if (size == 0) return false;
        auto const last = static_cast<unsigned char>(text[size - 1]);
        // DEL, C1: terminals interpret them. U+2028, U+2029: some readers end a line there.
        if (size == 1 || (size == 2 && last < 0xA0)) {
            put_escape<seen>(last);
        } else if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) {
            put_escape<seen>(0x2000U + (last & 0x3FU));
        } else {
            take<seen>(size);
            return true;
        }
        at_ += size;
        make_room(); // it grew
        return true;
    }

    template <Seen seen>
    void put_escape(unsigned code) {
        if constexpr (seen == Seen::hidden) return;
        *to_++ = '\\';
        *to_++ = 'u';
        for (unsigned shift = 16; shift != 0;)
            *to_++ = "0123456789abcdef"[code >> (shift -= 4) & 0xF];
    }

    template <Seen seen>
    bool read_literal(std::string_view literal) {
        if (!rest().starts_with(literal)) return false;
        take<seen>(literal.size());
        return true;
    }

    // RFC 8259, 6, of any length.
    template <Seen seen>
    bool read_number() {
        auto const* at = at_;
        if (at != end_ && *at == '-') ++at;
        if (at != end_ && *at == '0') {
            ++at;
        } else if (!skip_digits(at)) {
            return false;
        }
        if (at != end_ && *at == '.' && !skip_digits(++at)) return false;
        if (at != end_ && (*at == 'e' || *at == 'E')) {
            ++at;
            if (at != end_ && (*at == '+' || *at == '-')) ++at;
            if (!skip_digits(at)) return false;
        }
        take<seen>(static_cast<std::size_t>(at - at_));
        return true;
    }

    // At least one.
    bool skip_digits(char const*& at) const {
        auto const* const begin = at;
        while (at != end_ && text::is_digit(*at))
            ++at;
        return at != begin;
    }

    RedactionList const& list_;
    std::string& out_; // larger than the output
    char* to_;         // the end of the output
    char const* at_;
    char const* end_;
    std::size_t depth_ = 0; // how many arrays and objects are open; the innermost is an object:
    bool is_in_object_ = false;
    bool has_escapes_ = false;
    std::array<bool, deepest> was_in_object_; // around each open one
};

} // namespace

LoggedBody redact_json(std::string_view body, RedactionList const& list, std::size_t limit,
                       std::string& out) {
    if (body.size() <= std::min(limit, longest_logged_body)
        && simdjson::validate_utf8(body.data(), body.size()) && Redaction{body, list, out}.run()) {
        return LoggedBody::redacted;
    }
    bytes_only(body.size(), out);
    return LoggedBody::bytes_only;
}

void bytes_only(std::uint64_t size, std::string& out) {
    std::array<char, 40> memory;
    JsonText text{memory.data(), memory.data() + memory.size()};
    text.raw("{\"bytes\":", size, "}");
    out.assign(text.text());
}

} // namespace sallyport::observe
