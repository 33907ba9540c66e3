// Reads parameters of fields.
#include "gateway/contract/forms/field_parameters.h"

#include "gateway/text/ascii.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using text::equals_ignoring_case;

[[nodiscard]] std::string_view take_token(std::string_view& rest) noexcept {
    auto const end = std::find_if_not(rest.begin(), rest.end(), text::is_token_character);
    auto const token = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(token.size());
    return token;
}

// Whether there was a tab in it.
bool skip_white_space(std::string_view& rest) noexcept {
    auto const size = std::min(rest.find_first_not_of(" \t"), rest.size());
    bool const has_tab = rest.substr(0, size).find('\t') != std::string_view::npos;
    rest.remove_prefix(size);
    return has_tab;
}

// RFC 2046, 5.1.1: bchars
[[nodiscard]] bool is_boundary_character(char c) noexcept {
    return text::is_letter_or_digit(c)
           || std::string_view{"'()+_,-./:=? "}.find(c) != std::string_view::npos;
}

[[nodiscard]] bool is_boundary(std::string_view value) noexcept {
    constexpr std::size_t most = 70;
    return !value.empty() && value.size() <= most && value.back() != ' '
           && std::all_of(value.begin(), value.end(), is_boundary_character);
}

// For readers that search for the word, or know of parameters in pieces (RFC 2231).
[[nodiscard]] bool may_hide_charset(FieldParameter const& one) noexcept {
    return one.name.find('*') != std::string_view::npos || text::mentions_charset(one.value)
           || (text::mentions_charset(one.name) && !equals_ignoring_case(one.name, "charset"));
}

[[nodiscard]] std::string_view behind_type(std::string_view content_type) noexcept {
    content_type.remove_prefix(std::min(content_type.find(';'), content_type.size()));
    return content_type;
}

} // namespace

FieldParameters::Next FieldParameters::next(FieldParameter& parameter) noexcept {
    bool const has_tab = skip_white_space(rest_);
    if (rest_.empty()) return Next::end;
    if (rest_.front() != ';') return Next::fault;
    rest_.remove_prefix(1);
    parameter.is_behind_tab = skip_white_space(rest_) || has_tab;
    parameter.name = take_token(rest_);
    if (parameter.name.empty() || rest_.empty() || rest_.front() != '=') return Next::fault;
    rest_.remove_prefix(1);
    parameter.is_quoted = !rest_.empty() && rest_.front() == '"';
    if (!parameter.is_quoted) {
        parameter.value = take_token(rest_);
        return parameter.value.empty() ? Next::fault : Next::parameter;
    }
    rest_.remove_prefix(1);
    auto const end = rest_.find('"');
    if (end == std::string_view::npos) return Next::fault;
    parameter.value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    bool const is_plain = std::none_of(parameter.value.begin(), parameter.value.end(), [](char c) {
        return c == '\\' || (text::is_control(c) && c != '\t');
    });
    return is_plain ? Next::parameter : Next::fault;
}

std::optional<std::string_view> find_boundary(std::string_view content_type) noexcept {
    FieldParameters parameters{behind_type(content_type)};
    FieldParameter one;
    std::optional<std::string_view> boundary;
    bool has_charset = false;
    auto const type = content_type.substr(0, content_type.find_first_of("; \t"));
    bool const is_form = equals_ignoring_case(type, "multipart/form-data");
    for (;;) {
        switch (parameters.next(one)) {
        case FieldParameters::Next::end: return boundary;
        case FieldParameters::Next::fault: return std::nullopt;
        case FieldParameters::Next::parameter: break;
        }
        // `boundary*0` and the like are a boundary for some readers, too.
        if (may_hide_charset(one)) return std::nullopt;
        if (equals_ignoring_case(one.name, "boundary")) {
            // A second one: readers disagree which of them counts.
            if (boundary || !is_boundary(one.value)) return std::nullopt;
            boundary = one.value;
        } else if (is_form) {
            if (has_charset || !equals_ignoring_case(one.name, "charset")) return std::nullopt;
            has_charset = true;
        }
    }
}

text::Charset charset_of(std::string_view content_type) noexcept {
    FieldParameters parameters{behind_type(content_type)};
    FieldParameter one;
    std::optional<text::Charset> charset;
    for (;;) {
        switch (parameters.next(one)) {
        case FieldParameters::Next::end: return charset.value_or(text::Charset::utf_8);
        case FieldParameters::Next::fault: return text::Charset::other;
        case FieldParameters::Next::parameter: break;
        }
        if (may_hide_charset(one)) return text::Charset::other;
        if (!equals_ignoring_case(one.name, "charset")) continue;
        if (charset) return text::Charset::other;
        charset = text::charset_named(one.value);
    }
}

} // namespace sallyport::contract
