// Reads parameters and fields whose schema accepts several shapes: a plain value, a list, an object. The style
// says how each is written; a request passes if one of these readings of its text is valid.
#include "gateway/contract/evaluate/plain_rule.h"
#include "gateway/contract/openapi/in_place.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/schema/accepted.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

// The shapes that the schema accepts and that a text can have. A shape that it does not mention is
// none: `{minLength: 2}` is for plain values.
std::optional<std::string> Loader::read_readings(Parameter& result, Kinds const& kinds) {
    Program const& program = *contract_->program_;
    NodeIndex const root = program.schemas[result.schema->index].root;
    std::vector<SchemaInPlace> const schemas{{root, Effect::always}};
    constexpr unsigned nested = value_bits::array | value_bits::object;
    unsigned const plain = kinds.accepted & ~(nested | value_bits::null);
    std::vector<Parameter> readings;
    if (plain != 0) {
        readings.push_back(result);
        readings.back().reading = reading_of(kinds);
    }
    std::optional<std::string> fault;
    for (auto const& [bit, shape] : {std::pair{value_bits::array, ParameterShape::list},
                                     std::pair{value_bits::object, ParameterShape::object}}) {
        if ((kinds.accepted & kinds.named & bit) == 0) continue;
        Parameter one = result;
        one.shape = shape;
        auto wrong = shape == ParameterShape::list
                         ? read_items(program, schemas, one, NestedForms::ignored)
                         : read_members(program, schemas, one, NestedForms::ignored);
        if (wrong) {
            fault = std::move(wrong);
        } else {
            readings.push_back(std::move(one));
        }
    }
    if (readings.empty()) {
        bool const is_list = (kinds.accepted & value_bits::array) != 0;
        result.shape = is_list ? ParameterShape::list : ParameterShape::object;
        return fault.value_or("the value");
    }
    take_readings(result, std::move(readings));
    return std::nullopt;
}

// One reading alone is the parameter itself.
void Loader::take_readings(Parameter& result, std::vector<Parameter> readings) {
    if (readings.size() == 1) {
        result = Parameter{std::move(readings.front())};
        return;
    }
    // A name that may be repeated is that of a list, and given once that of a plain value as well.
    auto const list =
        std::find_if(readings.begin(), readings.end(), [](Parameter const& one) {
            return one.shape == ParameterShape::list && one.explode == Explode::yes
                   && (one.place == ParameterPlace::query || one.place == ParameterPlace::cookie);
        });
    if (list != readings.end()) result = Parameter{*list};
    else result.shape = ParameterShape::several;
    result.readings = std::move(readings);
}

// Those that the style of the parameter does not have are none.
void Loader::fit_readings(Parameter& result, Node const& node, std::string const& path) {
    auto readings = std::exchange(result.readings, {});
    for (Parameter& one : readings) {
        one.style = result.style;
        one.explode = result.explode;
    }
    std::erase_if(readings, [](Parameter const& one) { return !is_possible(one); });
    bool const is_spread =
        std::any_of(readings.begin(), readings.end(), [](Parameter const& one) {
            bool const is_cookie = one.place == ParameterPlace::cookie;
            return one.is_spread()
                   || (is_cookie && one.shape != ParameterShape::value
                       && one.explode == Explode::yes);
        });
    if (is_spread) {
        unsupported(node, path,
                    "an object of several pairs, or else another value, is not implemented",
                    "write explode: false, style: deepObject, or one type");
    }
    if (readings.empty()) return;
    Program const& program = *contract_->program_;
    for (Parameter& one : readings) {
        if (one.shape != ParameterShape::value) continue;
        NodeIndex const root = program.schemas[one.schema->index].root;
        one.plain_rule = find_plain_rule(program, root, one.reading);
    }
    take_readings(result, std::move(readings));
}

// A field is a list in fields of the same name, a plain value, or an object in JSON (OpenAPI 3.1,
// 4.8.15.1.1).
void Loader::read_several_shapes(FieldPlace const& place, Parameter& parameter, FormField& field) {
    Kinds const& kinds = place.kinds.kinds;
    constexpr unsigned nested = value_bits::array | value_bits::object;
    unsigned const mentioned = kinds.accepted & kinds.named;
    field.is_several = true;
    field.may_be_plain = (kinds.accepted & ~(nested | value_bits::null)) != 0;
    field.may_be_object = (mentioned & value_bits::object) != 0;
    bool const is_multipart = place.form.type.syntax == BodySyntax::multipart;
    bool const is_file =
        is_multipart && std::any_of(place.schemas.begin(), place.schemas.end(),
                                    [this](Target const& one) { return is_binary(*documents_, one); });
    std::optional<std::string> fault;
    if ((mentioned & value_bits::array) != 0) {
        parameter.shape = ParameterShape::list;
        fault = read_items(*contract_->program_, place.kinds.schemas, parameter,
                           NestedForms::ignored);
    }
    if (!is_file && !fault && (field.may_be_plain || field.may_be_object)) return;
    field.is_several = false;
    field_error(place,
                is_file ? "fields that may be a file or something else are not implemented"
                        : "fields that may be a list of lists or objects, or something else, are "
                          "not implemented",
                "write one type, or encoding with contentType: application/json");
}

} // namespace sallyport::contract
