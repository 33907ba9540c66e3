// The parts of a multipart body without names: an array for its schema, or items that have one each
// (OpenAPI 3.2, 4.14.5.2). What is no text is an empty string there, as in multipart_body.cpp.
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/contract/items.h"

#include <string>
#include <utility>

namespace sallyport::contract {

Malformed Validator::State::take_position(FormBody const& form, MultipartPart const& part,
                                          CheckContext const& context) {
    std::size_t const at = form_values.size();
    auto const& declared = at < form.first.size() ? form.first[at] : form.others;
    FormValue& value = form_values.emplace_back();
    value.parameter = &declared.parameter;
    value.field = &declared.detail;
    std::string const pointer = "/" + std::to_string(at);
    check_part_type(value, part, pointer, context);
    check_part_headers(value, part, pointer, context);
    if (value.field->content == FieldContent::bytes)
        check_sizes(value, part.body.size(), pointer, context);
    return append_part_body(value, part, context);
}

// Writes the parts as one array.
void Validator::State::join_parts() {
    form_json.clear();
    for (FormValue const& value : form_values) {
        form_json.append(form_json.json.empty() ? "[" : ",");
        form_json.append(value.json);
    }
    form_json.append(form_json.json.empty() ? "[]" : "]");
}

// Up to the first one that is not valid.
void Validator::State::check_items(Validator& validator, BodySchema schema,
                                   CheckContext const& context) {
    ItemReports reports;
    for (FormValue& value : form_values) {
        check_made(validator, schema, value.json, context);
        reports.add(report);
        if (reports.report().outcome != Outcome::valid) break;
    }
    report = std::move(reports.report());
}

} // namespace sallyport::contract
