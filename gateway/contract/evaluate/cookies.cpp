// Checks the cookies that an operation declares (OpenAPI 3.2, 4.12.1: `in: cookie`).
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/text/ascii.h"
#include "gateway/text/percent.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sallyport::contract {

namespace {

// RFC 6265, 4.2.1 has `; ` between cookies. White space is what servers remove around them.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept {
    std::size_t const begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Calls `visit` with each piece between `;`, without white space around it.
template <class Visit>
void each_piece(std::string_view cookies, Visit const& visit) {
    while (!cookies.empty()) {
        std::size_t const end = std::min(cookies.find(';'), cookies.size());
        std::string_view const piece = trim(cookies.substr(0, end));
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        if (!piece.empty()) visit(piece);
    }
}

[[nodiscard]] std::string_view name_of_piece(std::string_view piece) noexcept {
    return trim(piece.substr(0, piece.find('=')));
}

// As PHP converts names of variables, and in lower case, as ASP.NET compares them.
[[nodiscard]] char folded(char c) noexcept {
    if (c == ' ' || c == '.' || c == '[') return '_';
    return text::to_lower(c);
}

// Whether some servers take `name` for the declared one: they decode it, ignore letter case, cut it
// at a NUL, or read brackets as a list.
[[nodiscard]] bool may_be_read_as(std::string_view name, std::string_view declared) {
    std::string decoded;
    for (std::size_t at = 0; at < name.size(); ++at) {
        int const byte = text::escaped_byte(name, at);
        decoded += byte >= 0 ? static_cast<char>(byte) : name[at];
        if (byte >= 0) at += 2;
    }
    std::string_view plain = std::string_view{decoded}.substr(0, decoded.find('\0'));
    while (!plain.empty() && text::is_control(plain.back()))
        plain.remove_suffix(1);
    plain = trim(plain);
    auto const is_alike = [declared](std::string_view one) {
        return std::equal(one.begin(), one.end(), declared.begin(), declared.end(),
                          [](char a, char b) { return folded(a) == folded(b); });
    };
    return is_alike(plain) || is_alike(plain.substr(0, plain.find('[')));
}

// RFC 6265 separates cookies at `;` alone. Some servers do so at commas and white space too (RFC
// 2109, 4.4), others keep a `;` between quotes (RFC 2109, 4.1): what stands behind any of these may
// be a cookie to them.
constexpr std::string_view lenient_marks = " \t;,\"&";

// A declared cookie that only some servers find, or under another name; null: none.
[[nodiscard]] Parameter const* find_disguised(std::vector<Parameter> const& declared,
                                              std::string_view cookies) {
    Parameter const* found = nullptr;
    each_piece(cookies, [&](std::string_view piece) {
        std::string_view const own_name = name_of_piece(piece);
        auto const is_declared = [&](Parameter const& one) { return one.name == own_name; };
        bool const is_read = std::any_of(declared.begin(), declared.end(), is_declared);
        bool is_first = true;
        while (!piece.empty() && found == nullptr) {
            std::size_t const end = std::min(piece.find_first_of(lenient_marks), piece.size());
            std::string_view const part = piece.substr(0, end);
            piece.remove_prefix(std::min(end + 1, piece.size()));
            bool const is_begin = std::exchange(is_first, false);
            std::size_t const equals = part.find('=');
            // Without a sign it is a word of a value, unless all of the piece is a name.
            bool const is_cookie = is_begin ? !is_read : equals != std::string_view::npos;
            if (part.empty() || !is_cookie) continue;
            std::string_view const name = part.substr(0, equals);
            auto const twin =
                std::find_if(declared.begin(), declared.end(), [name](Parameter const& one) {
                    return may_be_read_as(name, one.name);
                });
            if (twin != declared.end()) found = &*twin;
        }
    });
    return found;
}

[[nodiscard]] bool may_repeat(Parameter const& parameter) noexcept {
    return parameter.shape == ParameterShape::list && parameter.explode == Explode::yes;
}

} // namespace

bool Validator::State::check_cookie_value(Parameter const& parameter, std::size_t at,
                                          std::string_view raw, CheckContext const& context) {
    // RFC 6265, 4.1.1: quotes are part of the value, but many servers remove them.
    if (raw.starts_with('"') || raw.ends_with('"')) {
        refuse(parameter_report, violation_of(parameter, "style",
                                              "must not be in quotes, which some servers remove"));
        return false;
    }
    if (is_given[at] && !may_repeat(parameter)) {
        refuse(parameter_report, violation_of(parameter, "duplicate", "must be given once"));
        return false;
    }
    is_given[at] = true;
    if (!may_repeat(parameter)) return check_whole(parameter, raw, context);
    if (!parameter.readings.empty()) gathered[at].raw = raw;
    TextFault const fault = append_item(gathered[at], parameter, raw, context);
    return fault == TextFault::none || refuse_text(parameter, fault);
}

void Validator::State::check_cookie(Operation const& operation, std::string_view piece,
                                    CheckContext const& context) {
    auto const& declared = operation.cookie_parameters;
    std::string_view const name = name_of_piece(piece);
    std::size_t const equals = piece.find('=');
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (declared[at].name != name) continue;
        if (equals == std::string_view::npos) {
            refuse(parameter_report,
                   violation_of(declared[at], "style", "must be written as name=value"));
            is_refused[at] = true;
        } else if (!check_cookie_value(declared[at], at, trim(piece.substr(equals + 1)), context)) {
            is_refused[at] = true;
        }
    }
}

ParameterReport const& Validator::check_cookies(Operation const& operation,
                                                std::string_view cookies,
                                                Conditions const& conditions,
                                                LevelTable const& levels, Lists lists) {
    State& state = *state_;
    auto const& declared = operation.cookie_parameters;
    clear(state.parameter_report);
    // It is ambiguous which value the upstream uses: no further check.
    if (auto const* const parameter = find_disguised(declared, cookies)) {
        refuse(state.parameter_report,
               violation_of(*parameter, "name",
                            "must have its exact name, and only ; may separate it from others"));
        return state.parameter_report;
    }
    State::CheckContext const context{conditions, levels, lists};
    state.is_given.assign(declared.size(), false);
    state.is_refused.assign(declared.size(), false);
    state.gathered.resize(std::max(state.gathered.size(), declared.size()));
    for (std::size_t at = 0; at < declared.size(); ++at)
        state.gathered[at].clear();
    each_piece(cookies,
               [&](std::string_view piece) { state.check_cookie(operation, piece, context); });
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (state.is_refused[at]) continue;
        if (state.is_given[at]) {
            if (may_repeat(declared[at])) state.check_gathered(declared[at], at, context);
        } else if (declared[at].required) {
            refuse(state.parameter_report, violation_of(declared[at], "required", "is required"));
        }
    }
    return state.parameter_report;
}

} // namespace sallyport::contract
