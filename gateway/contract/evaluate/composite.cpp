// Lists and objects of parameters, converted to JSON, which is validated like a body.
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/contract/text/decimal.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// Position and length of the next delimiter.
struct Delimiter {
    std::size_t at;
    std::size_t length;
};
[[nodiscard]] Delimiter find_delimiter(std::string_view raw, Parameter const& parameter,
                                       Lists lists) noexcept {
    auto const end = raw.size();
    auto const style = parameter.style;
    if (style != ParameterStyle::space_delimited && style != ParameterStyle::pipe_delimited) {
        Delimiter const bare{std::min(raw.find(','), end), 1};
        bool const is_decoded = lists == Lists::decoded && coding_of(parameter) != Coding::none;
        if (!is_decoded) return bare;
        auto const coded = std::min(raw.find("%2C"), raw.find("%2c"));
        return bare.at <= coded ? bare : Delimiter{coded, 3};
    }
    // OpenAPI 3.1, 4.8.12.3: neither character is allowed in a URI, so that both are always
    // encoded.
    bool const is_space = style == ParameterStyle::space_delimited;
    Delimiter const bare{std::min(raw.find(is_space ? '+' : '|'), end), 1};
    Delimiter coded{std::min(raw.find(is_space ? "%20" : "%7C"), end), 3};
    if (!is_space) coded.at = std::min(coded.at, raw.find("%7c"));
    return bare.at < coded.at ? bare : coded;
}

[[nodiscard]] std::string_view trim(std::string_view text, Parameter const& parameter) noexcept {
    // RFC 9110, 5.6.1: white space around the items of a list in a header field.
    if (parameter.place != ParameterPlace::header) return text;
    std::size_t const begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

[[nodiscard]] bool is_digits(std::string_view text) noexcept {
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

template <class Visit>
[[nodiscard]] TextFault split(std::string_view raw, Parameter const& parameter, Lists lists,
                              Visit const& visit) {
    for (;;) {
        auto const [at, length] = find_delimiter(raw, parameter, lists);
        TextFault const fault = visit(trim(raw.substr(0, at), parameter));
        if (fault != TextFault::none) return fault;
        if (at == raw.size()) return TextFault::none;
        raw.remove_prefix(at + length);
    }
}

} // namespace

bool has_coded_comma(std::string_view raw, Parameter const& parameter) noexcept {
    bool const parts_at_commas = parameter.style != ParameterStyle::space_delimited
                                 && parameter.style != ParameterStyle::pipe_delimited;
    return parts_at_commas && coding_of(parameter) != Coding::none
           && (raw.find("%2C") != std::string_view::npos
               || raw.find("%2c") != std::string_view::npos);
}

TapeKind kind_of_text(std::string_view text, Reading const& reading) noexcept {
    if (reading.numbers && is_number(text)) {
        // A number with a fraction is checked as a number, and refused.
        bool const is_taken =
            !reading.only_digits || is_digits(text) || !Decimal{text}.is_integer();
        if (is_taken) return TapeKind::signed_integer;
    }
    if (reading.words && text == "true") return TapeKind::true_value;
    if (reading.words && text == "false") return TapeKind::false_value;
    if (reading.null && text == "null") return TapeKind::null;
    return TapeKind::string;
}

void Composite::append(std::string_view text) {
    json += text;
    if (!as_text.empty()) as_text += text;
}

void Composite::append(Composite const& value) {
    if (!value.as_text.empty() && as_text.empty()) as_text = json;
    json += value.json;
    if (!as_text.empty()) as_text += value.as_text.empty() ? value.json : value.as_text;
}

// Whether a text, read as a literal, is valid for the schemas that always apply to its part.
bool Validator::State::holds_as_literal(Parameter const& parameter, Part const& part,
                                        std::string_view text, TapeKind kind,
                                        CheckContext const& context) {
    lay_text(text, kind);
    return std::all_of(part.nodes.begin(), part.nodes.end(), [&](NodeIndex node) {
        bool const is_done = check_schema(parameter, node, text.size(), context);
        return is_done && is_clean(parameter_scratch);
    });
}

void Validator::State::append_part(Composite& out, Parameter const& parameter, Part const& part,
                                   std::string_view text, CheckContext const& context) {
    TapeKind const kind = kind_of_text(text, part.reading);
    bool const may_be_text = kind == TapeKind::string || part.reading.or_text;
    bool const is_literal =
        kind != TapeKind::string
        && (!may_be_text || holds_as_literal(parameter, part, text, kind, context));
    if (!is_literal) {
        scratch_text.clear();
        append_json_string(scratch_text, text);
        out.append(scratch_text);
    } else if (!may_be_text) {
        out.append(text);
    } else {
        if (out.as_text.empty()) out.as_text = out.json;
        out.json += text;
        append_json_string(out.as_text, text);
    }
}

TextFault Validator::State::append_item(Composite& out, Parameter const& parameter,
                                        std::string_view raw, CheckContext const& context) {
    TextFault const fault = decode(raw, coding_of(parameter), decoded);
    if (fault != TextFault::none) return fault;
    append_item_text(out, parameter, decoded, context);
    return TextFault::none;
}

void Validator::State::append_item_text(Composite& out, Parameter const& parameter,
                                        std::string_view text, CheckContext const& context) {
    out.append(out.json.empty() ? "[" : ",");
    std::size_t const at = out.count++;
    Part const& part = at < parameter.first.size() ? parameter.first[at] : parameter.others;
    append_part(out, parameter, part, text, context);
}

TextFault Validator::State::append_items(Composite& out, Parameter const& parameter,
                                         std::string_view raw, CheckContext const& context) {
    return split(raw, parameter, context.lists,
                 [&](std::string_view item) { return append_item(out, parameter, item, context); });
}

// The part for the property with that name.
Part const& Validator::State::part_of(Parameter const& parameter, std::string_view name) {
    auto const known =
        std::find_if(parameter.members.begin(), parameter.members.end(),
                     [name](Parameter::Member const& one) { return one.name == name; });
    if (known != parameter.members.end()) return known->part;
    if (parameter.patterns.empty()) return parameter.others;
    Program const& program = *parameter.schema->program;
    patterns.use(program);
    auto const matching = std::find_if(parameter.patterns.begin(), parameter.patterns.end(),
                                       [&](Parameter::PatternMember const& one) {
                                           return patterns.of(program, one.pattern).is_in(name);
                                       });
    return matching != parameter.patterns.end() ? matching->part : parameter.others;
}

TextFault Validator::State::append_member(Composite& out, Parameter const& parameter,
                                          std::string_view name, std::string_view raw,
                                          CheckContext const& context) {
    TextFault const fault = decode(raw, coding_of(parameter), decoded);
    if (fault != TextFault::none) return fault;
    append_member_text(out, parameter, name, decoded, context);
    return TextFault::none;
}

void Validator::State::append_member_text(Composite& out, Parameter const& parameter,
                                          std::string_view name, std::string_view text,
                                          CheckContext const& context) {
    scratch_text = out.json.empty() ? "{" : ",";
    append_json_string(scratch_text, name);
    scratch_text += ':';
    out.append(scratch_text);
    append_part(out, parameter, part_of(parameter, name), text, context);
}

TextFault Validator::State::append_members(Composite& out, Parameter const& parameter,
                                           std::string_view raw, CheckContext const& context) {
    Coding const coding = coding_of(parameter);
    bool const has_pairs = parameter.explode == Explode::yes; // k=v,k=v instead of k,v,k,v
    std::string name;
    bool has_name = false;
    TextFault const fault = split(raw, parameter, context.lists, [&](std::string_view part) {
        if (!has_pairs && has_name) {
            has_name = false;
            return append_member(out, parameter, name, part, context);
        }
        std::size_t const equals = has_pairs ? part.find('=') : part.size();
        if (equals == std::string_view::npos) return TextFault::pairs;
        TextFault const of_name = decode(part.substr(0, equals), coding, name);
        if (of_name != TextFault::none) return of_name;
        if (has_pairs) {
            return append_member(out, parameter, name, part.substr(equals + 1), context);
        }
        has_name = true;
        return TextFault::none;
    });
    return fault == TextFault::none && has_name ? TextFault::pairs : fault;
}

} // namespace sallyport::contract
