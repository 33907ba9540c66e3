// Extensions: a list of names with parameters.
#include "gateway/websocket/extensions.h"

#include "gateway/websocket/fields.h"
#include "gateway/websocket/rules.h"

#include <string_view>

namespace sallyport::websocket {

namespace {

constexpr std::string_view per_message_deflate = "permessage-deflate";

// What is left of a field's value.
class Cursor {
public:
    explicit Cursor(std::string_view rest) noexcept : rest_{rest} { skip_white_space(); }

    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

    // Takes the character, and the white space behind it.
    bool take(char wanted) noexcept {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        skip_white_space();
        return true;
    }

    // Empty: there is none.
    std::string_view take_token() noexcept {
        std::size_t size = 0;
        while (size < rest_.size() && http::is_of(http::token_character, rest_[size]))
            ++size;
        auto const token = rest_.substr(0, size);
        rest_.remove_prefix(size);
        skip_white_space();
        return token;
    }

    // RFC 6455, 9.1: what a quoted string means has to be a token.
    bool take_quoted_token() noexcept {
        if (!rest_.starts_with('"')) return false;
        rest_.remove_prefix(1);
        std::size_t size = 0;
        for (; !rest_.empty() && rest_.front() != '"'; ++size) {
            if (rest_.front() == '\\') rest_.remove_prefix(1);
            if (rest_.empty() || !http::is_of(http::token_character, rest_.front())) return false;
            rest_.remove_prefix(1);
        }
        return size > 0 && take('"');
    }

private:
    void skip_white_space() noexcept {
        while (rest_.starts_with(' ') || rest_.starts_with('\t'))
            rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

bool take_parameters(Cursor& cursor) noexcept {
    while (cursor.take(';')) {
        if (cursor.take_token().empty()) return false;
        if (!cursor.take('=')) continue;
        if (cursor.take_token().empty() && !cursor.take_quoted_token()) return false;
    }
    return true;
}

// The elements of one line; `elements` counts those of all lines.
http::Rule const* take_line(std::string_view value, std::size_t& elements,
                            TokenList& names) noexcept {
    Cursor cursor{value};
    while (!cursor.is_at_end()) {
        if (cursor.take(',')) continue; // RFC 9110, 5.6.1: an empty element
        auto const name = cursor.take_token();
        if (name.empty() || !take_parameters(cursor)) return &rules::malformed_extensions;
        if (!cursor.is_at_end() && !cursor.take(',')) return &rules::malformed_extensions;
        if (++elements > TokenList::capacity) return &rules::too_many_extensions;
        if (!names.has(name)) names.push(name);
    }
    return nullptr;
}

} // namespace

http::Refused read_extensions(http::FieldTable const& fields, http::Sender sender,
                              TokenList& names) noexcept {
    std::size_t elements = 0;
    for (auto const field : fields) {
        if (!http::is_field_name(field.name, extensions_field)) continue;
        if (auto const* const violated = take_line(field.value, elements, names))
            return violated->broken_by(sender);
    }
    return nullptr;
}

ReservedBits reserved_bits(TokenList const& negotiated) noexcept {
    if (negotiated.is_empty()) return {};
    bool const is_known = negotiated.size() == 1 && negotiated.has(per_message_deflate);
    if (is_known) return {.of_first = rsv1, .of_any = 0};
    return {.of_first = all_reserved_bits, .of_any = all_reserved_bits};
}

} // namespace sallyport::websocket
