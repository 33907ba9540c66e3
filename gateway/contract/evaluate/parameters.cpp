// Checks parameters: one percent-decoding, then the same rules as for bodies, on a tape with one
// value, or on the JSON of a list or an object.
#include "gateway/contract/validator.h"

#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/plain_rule.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/schema/format.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace sallyport::contract {

namespace {

ValuePlace place_of(Parameter const& parameter) noexcept {
    switch (parameter.place) {
    case ParameterPlace::path: return ValuePlace::path;
    case ParameterPlace::query:
    case ParameterPlace::query_string: return ValuePlace::query;
    case ParameterPlace::cookie: return ValuePlace::cookie;
    case ParameterPlace::header: break;
    }
    return ValuePlace::header;
}

// The list among the readings of a parameter; null: there is none.
Parameter const* find_list(Parameter const& parameter) noexcept {
    auto const& all = parameter.readings;
    auto const found = std::find_if(all.begin(), all.end(), [](Parameter const& one) {
        return one.shape == ParameterShape::list;
    });
    return found != all.end() ? &*found : nullptr;
}

} // namespace

Violation violation_of(Parameter const& parameter, std::string_view rule, std::string_view phrase) {
    Violation violation;
    violation.in = place_of(parameter);
    violation.name = parameter.name;
    violation.rule = rule;
    violation.rule_pointer = parameter.pointer;
    violation.phrase = phrase;
    return violation;
}

void refuse(ParameterReport& report, Violation violation) {
    report.outcome = Outcome::violated;
    bool const is_known = std::any_of(
        report.violations.begin(), report.violations.end(), [&violation](Violation const& one) {
            return one.rule_pointer == violation.rule_pointer && one.rule == violation.rule
                   && one.pointer == violation.pointer && one.missing == violation.missing;
        });
    if (is_known) return;
    if (is_full(report)) {
        count_not_kept(report.not_kept, violation.rule, violation.level);
    } else {
        report.violations.push_back(std::move(violation));
    }
}

bool is_full(ParameterReport const& report) noexcept {
    return report.violations.size() >= max_violations;
}

void clear(ParameterReport& report) {
    report.outcome = Outcome::valid;
    report.violations.clear();
    report.reported.clear();
    report.not_kept.clear();
}

// describe() for a text that is not a body.
std::string describe_malformed(std::string_view expected, Malformed reason) {
    std::string phrase{"must be "};
    phrase += expected;
    if (reason == Malformed::empty || reason == Malformed::not_json) return phrase;
    constexpr std::string_view body = "the body ";
    std::string_view const what = describe(reason);
    phrase += ": ";
    if (what.substr(0, body.size()) != body) return phrase.append(what);
    return phrase.append("it ").append(what.substr(body.size()));
}

// Puts `text` on the tape as a value of one kind.
void Validator::State::lay_text(std::string_view text, TapeKind kind) {
    has_large_numbers = false;
    std::int64_t number = 0;
    if (kind == TapeKind::signed_integer) {
        auto const result = std::from_chars(text.data(), text.data() + text.size(), number);
        has_large_numbers = result.ec != std::errc{} || result.ptr != text.data() + text.size();
    } else if (kind == TapeKind::string) {
        auto const length = static_cast<std::uint32_t>(text.size());
        parameter_strings.resize(sizeof length);
        std::memcpy(parameter_strings.data(), &length, sizeof length);
        parameter_strings += text;
    }
    parameter_words.assign({0, tape_word(kind, 0)});
    if (kind == TapeKind::signed_integer) {
        parameter_words.push_back(static_cast<std::uint64_t>(number));
    }
    parameter_words.push_back(tape_word(TapeKind::root, 0));
    parameter_words[0] = tape_word(TapeKind::root, parameter_words.size());
    tape = {parameter_words.data(), reinterpret_cast<std::uint8_t const*>(parameter_strings.data()),
            nullptr};
    texts.reset(text);
}

bool Validator::State::refuse_text(Parameter const& parameter, TextFault fault) {
    bool const is_of_style = fault == TextFault::pairs || fault == TextFault::comma;
    std::string_view const rule = is_of_style ? "style" : "encoding";
    refuse(parameter_report, violation_of(parameter, rule, describe(fault, coding_of(parameter))));
    return false;
}

bool Validator::State::check_parameter(Parameter const& parameter, std::string_view raw,
                                       CheckContext const& context) {
    std::string_view text = raw;
    if (is_plain(raw)) {
        // Most values are found valid here.
        bool const is_valid =
            parameter.schema
            && holds_plainly(*parameter.schema->program, parameter.plain_rule, raw, patterns);
        if (is_valid) return true;
    } else {
        TextFault const fault = decode(raw, coding_of(parameter), decoded);
        if (fault != TextFault::none) return refuse_text(parameter, fault);
        text = decoded;
    }
    if (text.empty() && parameter.allows_empty) return true;
    if (!parameter.schema || !context.levels.checks(parameter.schema->index)) return true;
    TapeKind const kind = kind_of_text(text, parameter.reading);
    lay_text(text, kind);
    bool const is_done = check_whole_schema(parameter, text.size(), context);
    bool const may_be_text = kind != TapeKind::string && parameter.reading.or_text;
    if (!may_be_text || (is_done && is_clean(parameter_scratch))) {
        return settle(parameter, is_done, parameter_scratch);
    }
    Report const as_literal = std::exchange(parameter_scratch, {});
    lay_text(text, TapeKind::string);
    return choose(parameter, is_done, as_literal,
                  check_whole_schema(parameter, text.size(), context));
}

// A value that is itself JSON.
bool Validator::State::check_json_parameter(Parameter const& parameter, std::string_view raw,
                                            CheckContext const& context) {
    TextFault const wrong = decode(raw, coding_of(parameter), parameter_json);
    if (wrong != TextFault::none) return refuse_text(parameter, wrong);
    std::size_t const size = parameter_json.size();
    Fault const fault = parse_parameter(parameter_json);
    if (fault.reason == Malformed::none) {
        if (!context.levels.checks(parameter.schema->index)) return true;
        bool const is_done = check_whole_schema(parameter, size, context);
        return settle(parameter, is_done, parameter_scratch);
    }
    refuse(parameter_report,
           violation_of(parameter, "content", describe_malformed("JSON", fault.reason)));
    return false;
}

// Adds padding to `json`.
Fault Validator::State::parse_parameter(std::string& json) {
    std::size_t const size = json.size();
    json.append(body_padding, '\0');
    return parse(std::string_view{json}.substr(0, size), {});
}

bool Validator::State::check_composite(Parameter const& parameter, Composite& composite,
                                       CheckContext const& context) {
    bool const is_list = parameter.shape == ParameterShape::list;
    if (!parameter.deep.empty()) {
        append_deep(composite, parameter, 0, context);
    } else {
        if (composite.json.empty()) composite.append(is_list ? "[" : "{");
        composite.append(is_list ? "]" : "}");
    }
    std::size_t const size = composite.json.size();
    if (parse_parameter(composite.json).reason != Malformed::none) {
        // The JSON was generated here: the only possible fault is a duplicate property.
        refuse(parameter_report,
               violation_of(parameter, "duplicate", "must contain each property once"));
        return false;
    }
    if (!parameter.schema || !context.levels.checks(parameter.schema->index)) return true;
    bool const is_done = check_whole_schema(parameter, size, context);
    if (composite.as_text.empty() || (is_done && is_clean(parameter_scratch))) {
        return settle(parameter, is_done, parameter_scratch);
    }
    Report const as_literal = std::exchange(parameter_scratch, {});
    std::size_t const text_size = composite.as_text.size();
    (void)parse_parameter(composite.as_text); // with the same names
    return choose(parameter, is_done, as_literal,
                  check_whole_schema(parameter, text_size, context));
}

// Checks a schema against the current tape; the result is in parameter_scratch. False: the check
// would take too long.
bool Validator::State::check_schema(Parameter const& parameter, NodeIndex node, std::size_t size,
                                    CheckContext const& context) {
    Subject const subject{tape, &facts, &texts, size, has_large_numbers, parameter.name,
                          place_of(parameter)};
    parameter_scratch.outcome = Outcome::valid;
    parameter_scratch.violations.clear();
    parameter_scratch.reported.clear();
    parameter_scratch.not_kept.clear();
    return evaluator.run(*parameter.schema->program, {parameter.schema->index, node}, subject,
                         context.conditions, context.levels, parameter_scratch);
}

bool Validator::State::check_whole_schema(Parameter const& parameter, std::size_t size,
                                          CheckContext const& context) {
    Program const& program = *parameter.schema->program;
    return check_schema(parameter, program.schemas[parameter.schema->index].root, size, context);
}

// For a value that was checked as a literal and then as a string, with the second result in
// parameter_scratch. A text that is valid as either is valid; otherwise the violations of the
// literal are recorded.
bool Validator::State::choose(Parameter const& parameter, bool is_literal_done,
                              Report const& as_literal, bool is_text_done) {
    bool const is_literal_valid = is_literal_done && as_literal.outcome == Outcome::valid;
    bool const is_text_valid = is_text_done && parameter_scratch.outcome == Outcome::valid;
    bool const takes_text =
        is_text_valid && (!is_literal_valid || parameter_scratch.reported.empty());
    if (takes_text) return settle(parameter, is_text_done, parameter_scratch);
    return settle(parameter, is_literal_done, as_literal);
}

// Adds a result to that of the parameter.
bool Validator::State::settle(Parameter const& parameter, bool is_done, Report const& found) {
    auto& reported = parameter_report.reported;
    reported.insert(reported.end(), found.reported.begin(), found.reported.end());
    if (!is_done) {
        refuse(parameter_report,
               violation_of(parameter, "complexity", "would take too long to check"));
        return false;
    }
    auto& not_kept = parameter_report.not_kept;
    not_kept.insert(not_kept.end(), found.not_kept.begin(), found.not_kept.end());
    for (Violation const& one : found.violations)
        refuse(parameter_report, one);
    return found.outcome == Outcome::valid;
}

// A value in one place, as in paths and header fields.
bool Validator::State::check_whole(Parameter const& parameter, std::string_view raw,
                                   CheckContext const& context) {
    bool const has_prefix =
        parameter.style == ParameterStyle::label || parameter.style == ParameterStyle::matrix;
    if (has_prefix) [[unlikely]]
        return check_in_path_style(parameter, raw, context);
    if (parameter.shape == ParameterShape::value) return check_parameter(parameter, raw, context);
    if (parameter.shape == ParameterShape::json) {
        return check_json_parameter(parameter, raw, context);
    }
    if (parameter.shape == ParameterShape::several) return check_readings(parameter, raw, context);
    return check_separated(parameter, raw, context);
}

// A list or an object in one text.
bool Validator::State::check_pieces(Parameter const& parameter, std::string_view raw,
                                    CheckContext const& context) {
    Composite& composite = whole;
    composite.clear();
    bool const is_list = parameter.shape == ParameterShape::list;
    TextFault const fault = is_list ? append_items(composite, parameter, raw, context)
                                    : append_members(composite, parameter, raw, context);
    if (fault != TextFault::none) return refuse_text(parameter, fault);
    return check_composite(parameter, composite, context);
}

// RFC 6570, 3.2.1: an encoded comma is part of a value. Many clients encode all of them, and servers
// that decode first see the end of a value there. As long as nothing says which it is, both have to
// be valid.
bool Validator::State::check_separated(Parameter const& parameter, std::string_view raw,
                                       CheckContext const& context) {
    bool const is_open = context.lists == Lists::both && has_coded_comma(raw, parameter);
    if (!is_open) return check_pieces(parameter, raw, context);
    ParameterReport before = std::exchange(parameter_report, {});
    bool holds = check_pieces(parameter, raw, {context.conditions, context.levels, Lists::strict});
    // Of what rules only report, one of the two is enough.
    auto reported = std::exchange(parameter_report, {}).reported;
    holds = holds
            && check_pieces(parameter, raw, {context.conditions, context.levels, Lists::decoded});
    if (reported.empty()) reported = std::move(parameter_report.reported);
    parameter_report = std::move(before);
    if (!holds) return refuse_text(parameter, TextFault::comma);
    parameter_report.reported.insert(parameter_report.reported.end(), reported.begin(),
                                     reported.end());
    return true;
}

// Which of the readings of a path the upstream takes is not known: one of them has to satisfy all
// rules. Without one, the violations are those of the first that satisfies the enforced rules, else
// of the first. Router::route() bounds their number.
void Validator::State::check_other_readings(Operation const& operation, RouteMatch match,
                                            CheckContext const& context) {
    ParameterReport best = parameter_report;
    while (match.next_reading()) {
        clear(parameter_report);
        for (std::size_t i = 0; i < operation.path_parameters.size(); ++i)
            check_whole(operation.path_parameters[i], match.parameters[i], context);
        bool const is_valid = parameter_report.outcome == Outcome::valid;
        if (is_valid && parameter_report.reported.empty()) return;
        if (is_valid && best.outcome != Outcome::valid) best = parameter_report;
    }
    parameter_report = std::move(best);
}

ParameterReport const& Validator::check_path(Operation const& operation, RouteMatch const& match,
                                             Conditions const& conditions,
                                             LevelTable const& levels, Lists lists) {
    State& state = *state_;
    clear(state.parameter_report);
    bool is_valid = true;
    for (std::size_t i = 0; i < operation.path_parameters.size(); ++i) {
        // Nearly all values; a uuid needs no decoding.
        bool const is_wanted_uuid =
            operation.path_parameters[i].plain_rule.requires_uuid && is_uuid(match.parameters[i]);
        if (is_wanted_uuid) continue;
        is_valid = state.check_whole(operation.path_parameters[i], match.parameters[i],
                                     {conditions, levels, lists})
                   && is_valid;
    }
    auto const& report = state.parameter_report;
    bool const may_differ = !is_valid || !report.reported.empty();
    if (may_differ && match.item != nullptr && !match.item->shared_segments.empty())
        state.check_other_readings(operation, match, {conditions, levels, lists});
    return report;
}

ParameterReport const& Validator::check_header(Parameter const& parameter, HeaderValue const& value,
                                               Conditions const& conditions,
                                               LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    if (!value.text) {
        if (parameter.required) {
            refuse(state.parameter_report,
                   violation_of(parameter, "required", "is required"));
        }
    } else if (auto const* const list = value.is_repeated ? find_list(parameter) : nullptr) {
        // RFC 9110, 5.3: the lines of a list are one value.
        state.check_whole(*list, *value.text, {conditions, levels});
    } else if (value.is_repeated && is_whole(parameter)) {
        refuse(state.parameter_report,
               violation_of(parameter, "duplicate", "must be given once"));
    } else {
        state.check_whole(parameter, *value.text, {conditions, levels});
    }
    return state.parameter_report;
}

} // namespace sallyport::contract
