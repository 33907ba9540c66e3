// Path parameters of the styles label and matrix (RFC 6570, 3.2.5 and 3.2.7): what the style writes
// in front of a value is removed, and the rest is checked like other parameters.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <algorithm>
#include <string>

namespace sallyport::contract {

namespace {

[[nodiscard]] bool is_exploded(Parameter const& parameter) noexcept {
    return parameter.explode == Explode::yes
           && (parameter.shape == ParameterShape::list
               || parameter.shape == ParameterShape::object);
}

// The text between a `;` and the next one, or between dots; `rest` becomes what follows its mark.
[[nodiscard]] std::string_view take_piece(std::string_view& rest, char mark) noexcept {
    std::size_t const end = std::min(rest.find(mark), rest.size());
    std::string_view const piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
}

// RFC 6570, 3.2.7: `name=value`, or the name alone for an empty value.
[[nodiscard]] std::optional<std::string_view> value_behind(std::string_view name,
                                                           std::string_view piece) noexcept {
    if (!piece.starts_with(name)) return std::nullopt;
    piece.remove_prefix(name.size());
    if (piece.empty()) return piece;
    if (piece.front() != '=') return std::nullopt;
    return piece.substr(1);
}

// The names of an exploded object are those of its properties; all others are the parameter's own.
[[nodiscard]] bool is_matrix(Parameter const& parameter, std::string_view raw) noexcept {
    if (!raw.starts_with(';')) return false;
    bool const has_property_names =
        is_exploded(parameter) && parameter.shape == ParameterShape::object;
    bool is_first = true;
    for (std::string_view rest = raw.substr(1);;) {
        bool const is_last = rest.find(';') == std::string_view::npos;
        std::string_view const piece = take_piece(rest, ';');
        std::size_t const equals = piece.find('=');
        bool const is_named = has_property_names ? equals != 0 && !piece.empty()
                                                 : value_behind(parameter.name, piece).has_value();
        if (!is_named || (!is_first && !is_exploded(parameter))) return false;
        if (is_last) return true;
        is_first = false;
    }
}

// What stands behind the mark and, for matrix, the name; of an exploded parameter all its pieces.
// None: it is not written in its style.
[[nodiscard]] std::optional<std::string_view> without_prefix(Parameter const& parameter,
                                                             std::string_view raw) noexcept {
    if (parameter.style == ParameterStyle::label) {
        if (!raw.starts_with('.')) return std::nullopt;
        return raw.substr(1);
    }
    if (!is_matrix(parameter, raw)) return std::nullopt;
    raw.remove_prefix(1);
    return is_exploded(parameter) ? raw : value_behind(parameter.name, raw);
}

[[nodiscard]] std::string describe_style(Parameter const& parameter) {
    if (parameter.style == ParameterStyle::label) return "must begin with a dot";
    bool const has_property_names =
        is_exploded(parameter) && parameter.shape == ParameterShape::object;
    return "must be written as ;" + (has_property_names ? std::string{"property"} : parameter.name)
           + "=value";
}

} // namespace

std::optional<std::string_view> value_in_style(Parameter const& parameter,
                                               std::string_view raw) noexcept {
    if (parameter.shape != ParameterShape::value) return std::nullopt;
    return without_prefix(parameter, raw);
}

bool has_matrix_parameter(Operation const& operation) noexcept {
    auto const& all = operation.path_parameters;
    return std::any_of(all.begin(), all.end(),
                       [](Parameter const& one) { return one.style == ParameterStyle::matrix; });
}

namespace {

[[nodiscard]] bool is_read_as_matrix(Parameter const& parameter, std::string_view raw) noexcept {
    auto const& all = parameter.readings;
    return is_matrix(parameter, raw)
           || std::any_of(all.begin(), all.end(),
                          [raw](Parameter const& one) { return is_matrix(one, raw); });
}

} // namespace

bool takes_semicolons(Operation const& operation, RouteMatch const& match, std::string_view path) {
    auto left = std::count(path.begin(), path.end(), ';');
    for (std::size_t at = 0; at < operation.path_parameters.size(); ++at) {
        Parameter const& parameter = operation.path_parameters[at];
        std::string_view const raw = match.parameters[at];
        if (parameter.style != ParameterStyle::matrix || !is_read_as_matrix(parameter, raw))
            continue;
        left -= std::count(raw.begin(), raw.end(), ';');
    }
    return left == 0;
}

// A dot cannot be encoded in a path (http/target.cpp), nor can a semicolon: pieces have neither.
TextFault Validator::State::append_exploded(Composite& out, Parameter const& parameter,
                                            std::string_view pieces, CheckContext const& context) {
    bool const is_matrix_style = parameter.style == ParameterStyle::matrix;
    bool const is_list = parameter.shape == ParameterShape::list;
    Coding const coding = coding_of(parameter);
    for (bool is_last = false; !is_last;) {
        char const mark = is_matrix_style ? ';' : '.';
        is_last = pieces.find(mark) == std::string_view::npos;
        std::string_view const piece = take_piece(pieces, mark);
        TextFault fault = TextFault::none;
        if (is_list) {
            auto const item = is_matrix_style ? value_behind(parameter.name, piece) : piece;
            fault = append_item(out, parameter, item.value_or(piece), context);
        } else {
            // RFC 6570, 3.2.7: `;name` is an empty value. Label has no such form.
            std::size_t const equals = std::min(piece.find('='), piece.size());
            if (equals == piece.size() && !is_matrix_style) return TextFault::pairs;
            std::string_view const value = piece.substr(std::min(equals + 1, piece.size()));
            fault = decode(piece.substr(0, equals), coding, pair_name);
            if (fault == TextFault::none)
                fault = append_member(out, parameter, pair_name, value, context);
        }
        if (fault != TextFault::none) return fault;
    }
    return TextFault::none;
}

bool Validator::State::check_in_path_style(Parameter const& parameter, std::string_view raw,
                                           CheckContext const& context) {
    if (parameter.shape == ParameterShape::several) return check_readings(parameter, raw, context);
    auto const text = without_prefix(parameter, raw);
    if (!text) {
        refuse(parameter_report, violation_of(parameter, "style", describe_style(parameter)));
        return false;
    }
    if (parameter.shape == ParameterShape::value) return check_parameter(parameter, *text, context);
    if (!is_exploded(parameter)) return check_separated(parameter, *text, context);
    Composite& composite = whole;
    composite.clear();
    TextFault const fault = append_exploded(composite, parameter, *text, context);
    if (fault != TextFault::none) return refuse_text(parameter, fault);
    return check_composite(parameter, composite, context);
}

} // namespace sallyport::contract
