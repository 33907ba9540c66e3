// The parts of a multipart body as the fields of a form. A file is an empty string for its schema,
// and is checked by itself: size, media type, fields of its head.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/query_names.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/forms/field_parameters.h"
#include "gateway/contract/forms/multipart.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::contract {

namespace {

// `types`: lower case, or ranges.
[[nodiscard]] bool is_one_of(std::vector<std::string> const& types,
                             std::string_view content_type) noexcept {
    // RFC 7578, 4.4: the default of a part.
    if (content_type.empty()) content_type = "text/plain";
    auto const name = content_type.substr(0, content_type.find_first_of("; \t"));
    return std::any_of(types.begin(), types.end(), [name](std::string_view type) {
        if (type == "*/*") return true;
        if (type.back() != '*') return text::equals_ignoring_case(type, name);
        type.remove_suffix(1);
        return text::equals_ignoring_case(type, name.substr(0, type.size()));
    });
}

// RFC 7578, 4.8: all others "MUST NOT be included"; a contract may describe some.
[[nodiscard]] bool is_field_of_part(std::string_view name, FormField const& detail) {
    constexpr std::array known{
        std::string_view{"content-disposition"}, std::string_view{"content-type"},
        std::string_view{"content-length"}, // as long as it is that: Multipart
        std::string_view{"content-transfer-encoding"}};
    auto const is_it = [name](std::string_view one) {
        return text::equals_ignoring_case(one, name);
    };
    return std::any_of(known.begin(), known.end(), is_it)
           || std::any_of(detail.headers.begin(), detail.headers.end(),
                          [&](Parameter const& one) { return is_it(one.name); });
}

[[nodiscard]] std::string pointer_of(FormValue const& value, std::size_t item) {
    std::string pointer;
    // A name that is not declared may be a secret in the wrong place.
    bool const is_declared = value.name.empty();
    append_step(pointer, is_declared ? std::string_view{value.parameter->name} : "*");
    if (value.parameter->shape == ParameterShape::list) append_step(pointer, std::to_string(item));
    return pointer;
}

} // namespace

Fault Validator::State::read_parts(FormBody const& form, SentBody const& body, PartNames names,
                                   CheckContext const& context) {
    Multipart parts{body.bytes, body.boundary, names};
    for (MultipartPart part;;) {
        switch (parts.next(part)) {
        case Multipart::Next::end: return {};
        case Multipart::Next::fault: return {parts.reason(), parts.offset()};
        case Multipart::Next::part: break;
        }
        bool const has_names = names == PartNames::required;
        Malformed const reason =
            has_names ? take_part(form, part, context) : take_position(form, part, context);
        if (reason != Malformed::none) return {reason, part.offset};
    }
}

Malformed Validator::State::take_part(FormBody const& form, MultipartPart const& part,
                                      CheckContext const& context) {
    Malformed const of_name = decode_part_name(part.name, pair_name);
    if (of_name != Malformed::none) return of_name;
    if (is_disguised(form.fields, pair_name)) return Malformed::disguised_field;
    Malformed const of_charset = take_charset(pair_name, part.body);
    if (of_charset != Malformed::none) return of_charset;
    FormValue& value = value_of(form, pair_name, find_named(form.fields, pair_name));
    if (value.is_given) {
        if (value.parameter->shape != ParameterShape::list) return Malformed::duplicate_field;
        if (value.raw_name != part.name) return Malformed::field_spellings;
    }
    value.is_given = true;
    value.raw_name = part.name;
    auto const fields = part.fields();
    bool const are_known = std::all_of(fields.begin(), fields.end(), [&](auto const& field) {
        return is_field_of_part(field.first, *value.field);
    });
    if (!are_known) return Malformed::part_field;
    std::string const pointer = pointer_of(value, value.json.count);
    check_part_type(value, part, pointer, context);
    check_part_headers(value, part, pointer, context);
    if (value.field->content == FieldContent::bytes)
        check_sizes(value, part.body.size(), pointer, context);
    return append_part_body(value, part, context);
}

Malformed Validator::State::append_part_body(FormValue& value, MultipartPart const& part,
                                             CheckContext const& context) {
    bool const is_bytes = value.field->content == FieldContent::bytes;
    // Files are not read, and may be in any.
    bool const is_file = is_bytes || (value.is_free && part.file_name);
    auto const charset = is_file ? text::Charset::utf_8 : charset_of(part.content_type);
    if (charset == text::Charset::other) return Malformed::charset;
    if (value.is_free || is_bytes) {
        bool const is_list = value.parameter->shape == ParameterShape::list;
        if (is_list) value.json.append(value.json.json.empty() ? "[" : ",");
        value.json.append(R"("")");
        ++value.json.count;
        return Malformed::none;
    }
    bool const is_json = value.field->content == FieldContent::json;
    // A server that sees a file has no field with that name.
    if (part.file_name && !is_json) return Malformed::part_disposition;
    if (!text::is_utf8(part.body)) return Malformed::field_coding;
    if (charset == text::Charset::us_ascii && !text::is_ascii(part.body)) return Malformed::not_ascii;
    if (part.body.find('\0') != std::string_view::npos) return Malformed::nul;
    return append_value(value, part.body, context);
}

void Validator::State::break_part_rule(Program const& program, std::uint32_t rule,
                                       std::string const& pointer, CheckContext const& context) {
    Level const level = context.levels.of(rule);
    if (level == Level::off) return;
    Rule const& broken = program.rules[rule];
    Violation violation;
    violation.pointer = pointer;
    violation.rule = broken.keyword;
    violation.expected = broken.expected;
    violation.phrase = broken.phrase;
    violation.rule_pointer = broken.pointer;
    violation.source = broken.source;
    violation.file = broken.mark.file_name();
    violation.line = broken.mark.line;
    violation.level = level;
    part_violations.push_back(std::move(violation));
}

void Validator::State::check_sizes(FormValue const& value, std::size_t size,
                                   std::string const& pointer, CheckContext const& context) {
    for (SizeRule const& one : value.field->sizes) {
        bool const holds =
            one.bound == SizeRule::Bound::least ? size >= one.size : size <= one.size;
        if (!holds) break_part_rule(*value.parameter->schema->program, one.rule, pointer, context);
    }
}

void Validator::State::check_part_type(FormValue const& value, MultipartPart const& part,
                                       std::string const& pointer, CheckContext const& context) {
    auto const& field = *value.field;
    if (!field.content_type_rule || is_one_of(field.content_types, part.content_type)) return;
    break_part_rule(*value.parameter->schema->program, *field.content_type_rule, pointer, context);
}

void Validator::State::check_part_headers(FormValue const& value, MultipartPart const& part,
                                          std::string const& pointer, CheckContext const& context) {
    for (Parameter const& header : value.field->headers) {
        auto const fields = part.fields();
        auto const found = std::find_if(fields.begin(), fields.end(), [&](auto const& field) {
            return text::equals_ignoring_case(field.first, header.name);
        });
        clear(parameter_report);
        if (found != fields.end()) {
            check_whole(header, found->second, context);
        } else if (header.required) {
            refuse(parameter_report, violation_of(header, "required", "is required"));
        }
        auto const keep = [&](std::vector<Violation>& violations) {
            for (Violation& one : violations) {
                one.in = ValuePlace::body;
                one.name = {};
                one.pointer = pointer;
                one.pointer_as_sent = {};
                one.phrase = "(its field " + header.name + ") " + one.phrase;
                part_violations.push_back(std::move(one));
            }
        };
        keep(parameter_report.violations);
        keep(parameter_report.reported);
    }
}

// Adds what was found beside the schema to the report.
void Validator::State::add_part_violations() {
    for (Violation& one : part_violations) {
        bool const is_reported = one.level == Level::report;
        auto& list = is_reported ? report.reported : report.violations;
        if (!is_reported) report.outcome = Outcome::violated;
        if (list.size() < max_violations) {
            list.push_back(std::move(one));
        } else {
            (is_reported ? report.more_reported : report.more_violations) = true;
            count_not_kept(report.not_kept, one.rule, one.level);
        }
    }
    part_violations.clear();
}

} // namespace sallyport::contract
