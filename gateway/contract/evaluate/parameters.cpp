// Checks parameters: one percent-decoding, then the same rules as for bodies, over a tape of one
// value, or over the JSON of a list or an object.
#include "gateway/contract/validator.h"

#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/plain_rule.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/schema/format.h"
#include "gateway/contract/text/decimal.h"

#include <charconv>
#include <cstring>

namespace sallyport::contract {

Violation violation_of(Parameter const& parameter, std::string_view rule, std::string_view phrase) {
    Violation violation;
    violation.rule = rule;
    violation.message = parameter.name;
    violation.message += ' ';
    violation.message += phrase;
    return violation;
}

void refuse(ParameterReport& report, Parameter const& parameter, Violation violation) {
    report.outcome = Outcome::violated;
    report.name = parameter.name;
    report.violation = std::move(violation);
}

void clear(ParameterReport& report) {
    if (report.outcome != Outcome::valid) report.violation = {};
    report.outcome = Outcome::valid;
    report.name = {};
    report.reported.clear();
    report.not_kept.clear();
}

// Puts `text` on the tape as the kind of value that the parameter's schema takes.
void Validator::State::lay_parameter(Parameter const& parameter, std::string_view text) {
    has_large_numbers = false;
    auto const is_word = text == "true" || text == "false";
    TapeKind kind = TapeKind::string;
    std::int64_t number = 0;
    if (!parameter.takes_string && is_number(text)) {
        kind = TapeKind::signed_integer;
        auto const result = std::from_chars(text.data(), text.data() + text.size(), number);
        has_large_numbers = result.ec != std::errc{} || result.ptr != text.data() + text.size();
    } else if (!parameter.takes_string && is_word) {
        kind = text == "true" ? TapeKind::true_value : TapeKind::false_value;
    } else {
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

bool Validator::State::check_parameter(Parameter const& parameter, std::string_view raw,
                                       Question const& question) {
    std::string_view text = raw;
    if (is_plain(raw)) {
        // Most values, seen to be valid at a glance.
        bool const is_valid =
            parameter.schema
            && holds_plainly(*parameter.schema->program, parameter.plain_rule, raw, patterns);
        if (is_valid) return true;
    } else {
        if (!decode(raw, coding_of(parameter.place), decoded)) {
            refuse(parameter_report, parameter,
                   violation_of(parameter, "encoding", "must be percent-encoded UTF-8 text"));
            return false;
        }
        text = decoded;
    }
    if (text.empty() && parameter.allows_empty) return true;
    if (!parameter.schema || !question.levels.asks(parameter.schema->index)) return true;
    lay_parameter(parameter, text);
    return judge_parameter(parameter, text.size(), question);
}

// A value that is written as JSON itself.
bool Validator::State::check_json_parameter(Parameter const& parameter, std::string_view raw,
                                            Question const& question) {
    if (!decode(raw, coding_of(parameter.place), composite)) {
        refuse(parameter_report, parameter,
               violation_of(parameter, "encoding", "must be percent-encoded UTF-8 text"));
        return false;
    }
    std::size_t const size = composite.size();
    composite.append(body_padding, '\0');
    Fault const fault = parse(std::string_view{composite}.substr(0, size), {});
    if (fault.reason == Malformed::none) {
        return !question.levels.asks(parameter.schema->index)
               || judge_parameter(parameter, size, question);
    }
    std::string phrase{"must be JSON"};
    if (fault.reason != Malformed::empty) (phrase += ": ") += describe(fault.reason);
    refuse(parameter_report, parameter, violation_of(parameter, "content", phrase));
    return false;
}

// `composite` holds the value as JSON.
bool Validator::State::check_composite(Parameter const& parameter, Question const& question) {
    std::size_t const size = composite.size();
    composite.append(body_padding, '\0');
    Fault const fault = parse(std::string_view{composite}.substr(0, size), {});
    if (fault.reason != Malformed::none) {
        // It was put together here: nothing but a member that is given twice can be wrong.
        refuse(parameter_report, parameter,
               violation_of(parameter, "duplicate", "must hold each member once"));
        return false;
    }
    if (!parameter.schema || !question.levels.asks(parameter.schema->index)) return true;
    return judge_parameter(parameter, size, question);
}

// What was laid on the tape, or parsed.
bool Validator::State::judge_parameter(Parameter const& parameter, std::size_t size,
                                       Question const& question) {
    Program const& program = *parameter.schema->program;
    Subject const subject{tape, &facts, &texts, size, has_large_numbers, parameter.name};
    Report& found = parameter_scratch;
    found.outcome = Outcome::valid;
    found.violations.clear();
    found.reported.clear();
    found.not_kept.clear();
    bool const is_done = evaluator.run(program, program.schemas[parameter.schema->index].root,
                                       subject, question.conditions, question.levels, found);
    for (auto& one : found.reported)
        parameter_report.reported.push_back(std::move(one));
    for (NotKept const& one : found.not_kept)
        if (one.level == Level::report) parameter_report.not_kept.push_back(one);
    if (!is_done) {
        refuse(parameter_report, parameter,
               violation_of(parameter, "complexity", "would take too long to check"));
        return false;
    }
    if (found.outcome == Outcome::valid) return true;
    refuse(parameter_report, parameter, std::move(found.violations.front()));
    return false;
}

// A value that stands in one place, as those of paths and of fields do.
bool Validator::State::check_whole(Parameter const& parameter, std::string_view raw,
                                   Question const& question) {
    if (parameter.shape == ParameterShape::value) return check_parameter(parameter, raw, question);
    if (parameter.shape == ParameterShape::json) {
        return check_json_parameter(parameter, raw, question);
    }
    composite.clear();
    bool const is_list = parameter.shape == ParameterShape::list;
    if (!(is_list ? append_items(composite, parameter, raw)
                  : append_members(composite, parameter, raw))) {
        refuse(parameter_report, parameter,
               violation_of(parameter, "encoding",
                            is_list ? "must be a list of percent-encoded UTF-8 texts"
                                    : "must be names and percent-encoded UTF-8 texts"));
        return false;
    }
    close_composite(composite, parameter);
    return check_composite(parameter, question);
}

ParameterReport const& Validator::check_path(Operation const& operation, RouteMatch const& match,
                                             Conditions const& conditions,
                                             LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    for (std::size_t i = 0; i < operation.path_parameters.size(); ++i) {
        // Nearly every one: and what is a uuid needs no decoding.
        bool const is_valid =
            operation.path_parameters[i].plain_rule.asks_uuid && is_uuid(match.parameters[i]);
        if (is_valid) continue;
        if (!state.check_whole(operation.path_parameters[i], match.parameters[i],
                               {conditions, levels})) {
            break;
        }
    }
    return state.parameter_report;
}

ParameterReport const& Validator::check_header(Parameter const& parameter, HeaderValue const& value,
                                               Conditions const& conditions,
                                               LevelTable const& levels) {
    State& state = *state_;
    clear(state.parameter_report);
    if (!value.text) {
        if (parameter.required) {
            refuse(state.parameter_report, parameter,
                   violation_of(parameter, "required", "is required"));
        }
    } else if (value.is_repeated && is_whole(parameter)) {
        refuse(state.parameter_report, parameter,
               violation_of(parameter, "duplicate", "must be given once"));
    } else {
        state.check_whole(parameter, *value.text, {conditions, levels});
    }
    return state.parameter_report;
}

} // namespace sallyport::contract
