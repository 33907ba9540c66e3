// Checks parameters and fields whose schema accepts several shapes: the text is valid if one of its
// readings is.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

// `raw`: all of the value. Without a valid reading the violations are those of the first.
bool Validator::State::check_readings(Parameter const& parameter, std::string_view raw,
                                      CheckContext const& context) {
    ParameterReport others = std::exchange(parameter_report, {});
    ParameterReport best;
    bool is_valid = false;
    for (Parameter const& one : parameter.readings) {
        clear(parameter_report);
        bool const holds = check_reading(one, raw, context);
        bool const is_first = &one == parameter.readings.data();
        if (is_first || (holds && !is_valid)
            || (holds && parameter_report.reported.empty() && !best.reported.empty()))
            best = parameter_report;
        is_valid = is_valid || holds;
        if (is_valid && best.reported.empty()) break;
    }
    parameter_report = std::move(others);
    for (Violation& violation : best.violations)
        refuse(parameter_report, std::move(violation));
    std::move(best.reported.begin(), best.reported.end(),
              std::back_inserter(parameter_report.reported));
    parameter_report.not_kept.insert(parameter_report.not_kept.end(), best.not_kept.begin(),
                                     best.not_kept.end());
    return is_valid;
}

// A field that was sent once: its value becomes that of the first reading that is valid for the
// schemas that always apply to it, else of the first. False: it is a list as it stands.
bool Validator::State::choose_reading(FormValue& value, CheckContext const& context) {
    if (value.times != 1) return false;
    std::vector<std::string> readings;
    if (value.field->may_be_plain) {
        Composite plain;
        append_part(plain, *value.parameter, value.field->part, value.text, context);
        readings.push_back(plain.json);
        if (!plain.as_text.empty()) readings.push_back(plain.as_text);
    }
    bool const is_object = value.field->may_be_object && value.text.starts_with('{')
                           && find_fault(value.text, limits.depth).reason == Malformed::none;
    if (is_object) readings.push_back(value.text);
    bool const is_list = value.parameter->shape == ParameterShape::list;
    if (is_list) readings.push_back(value.json.json + "]");
    if (is_list && !value.json.as_text.empty()) readings.push_back(value.json.as_text + "]");
    auto const valid = std::find_if(
        readings.begin(), readings.end(),
        [&](std::string const& json) { return holds_as_json(value, json, context); });
    value.json.clear();
    if (readings.empty()) return true;
    value.json.append(valid != readings.end() ? *valid : readings.front());
    return true;
}

bool Validator::State::holds_as_json(FormValue const& value, std::string const& json,
                                     CheckContext const& context) {
    std::string padded = json;
    if (parse_parameter(padded).reason != Malformed::none) return false;
    auto const& nodes = value.field->part.nodes;
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex node) {
        bool const is_done = check_schema(*value.parameter, node, json.size(), context);
        return is_done && is_clean(parameter_scratch);
    });
}

bool Validator::State::check_reading(Parameter const& reading, std::string_view raw,
                                     CheckContext const& context) {
    bool const is_pair =
        reading.place == ParameterPlace::query || reading.place == ParameterPlace::cookie;
    bool const is_item =
        is_pair && reading.shape == ParameterShape::list && reading.explode == Explode::yes;
    if (!is_item) return check_whole(reading, raw, context);
    whole.clear();
    TextFault const fault = append_item(whole, reading, raw, context);
    if (fault != TextFault::none) return refuse_text(reading, fault);
    return check_composite(reading, whole, context);
}

} // namespace sallyport::contract
