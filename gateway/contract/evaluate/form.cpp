// Checks bodies that are not JSON: a text as a string, the fields of a form as the properties of an
// object, which is written as JSON and validated like any other body.
#include "gateway/contract/evaluate/query_names.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/forms/form_body.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/contract/items.h"
#include "gateway/contract/schema/constants.h"
#include "gateway/text/charset.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <utility>

namespace sallyport::contract {

namespace {

[[nodiscard]] bool is_exploded_list(Parameter const& parameter) noexcept {
    return parameter.shape == ParameterShape::list && parameter.explode == Explode::yes;
}

// Behind decoding: clients encode all three.
[[nodiscard]] char separator_of(ParameterStyle style) noexcept {
    if (style == ParameterStyle::space_delimited) return ' ';
    return style == ParameterStyle::pipe_delimited ? '|' : ',';
}

// Some parsers split at `;` too, and each piece is compared with the declared names.
[[nodiscard]] bool has_too_many_fields(std::string_view body) noexcept {
    std::size_t fields = 1;
    for (char const c : body)
        fields += c == '&' || c == ';' ? 1U : 0U;
    return fields > max_form_fields;
}

} // namespace

void Validator::State::check_text(MediaType const& type, std::string_view body,
                                  CheckContext const& context) {
    if (auto const at = text::first_invalid_utf8(body))
        return refuse_body(Malformed::invalid_utf8, at);
    refuse_body(Malformed::none, {});
    BodySchema const schema = *type.schema;
    if (!context.levels.checks(schema.index)) return;
    Program const& program = *schema.program;
    auto const check = [&](TapeKind kind) {
        lay_text(body, kind);
        Subject const subject{tape, &facts, &texts, body.size(), has_large_numbers};
        SchemaPart const part{schema.index, program.schemas[schema.index].root};
        bool const is_done = evaluator.run(program, part, subject, context.conditions,
                                           context.levels, report);
        if (!is_done) refuse_body(Malformed::too_complex, {});
    };
    TapeKind const kind = kind_of_text(body, type.form->reading);
    check(kind);
    if (kind == TapeKind::string || !type.form->reading.or_text || is_clean(report)) return;
    // A text that is valid as either is valid.
    Report as_literal = std::exchange(report, {});
    check(TapeKind::string);
    if (report.outcome != Outcome::valid) report = std::move(as_literal);
}

void Validator::State::begin_form(FormBody const& form) {
    auto const& declared = form.fields.query_parameters;
    form_values.resize(declared.size());
    for (std::size_t at = 0; at < declared.size(); ++at) {
        FormValue& value = form_values[at];
        value.parameter = &declared[at];
        value.field = &form.details[at];
        value.name.clear();
        value.is_given = false;
        value.is_free = false;
        value.times = 0;
        value.json.clear();
    }
    form_others.clear();
    part_violations.clear();
}

Fault Validator::State::read_pairs(FormBody const& form, std::string_view body,
                                   CheckContext const& context) {
    if (has_too_many_fields(body)) return {Malformed::too_many_fields, body.size()};
    // It is ambiguous which value the upstream uses.
    if (find_disguised(form.fields, body, decoded) != nullptr)
        return {Malformed::disguised_field, body.size()};
    FormPairs pairs{body};
    for (FormPair pair; pairs.next(pair);) {
        Malformed const reason = take_pair(form, pair, context);
        if (reason != Malformed::none) return {reason, pair.offset};
    }
    return {};
}

// The value that a field belongs to; a new one for a name that is not declared.
FormValue& Validator::State::value_of(FormBody const& form, std::string_view name,
                                      std::optional<QueryOwner> const& owner) {
    if (owner) return form_values[owner->at];
    auto const [known, is_new] = form_others.emplace(name, form_values.size());
    if (!is_new) return form_values[known->second];
    FormBody::Undeclared const* undeclared = &form.others;
    if (!form.patterns.empty()) {
        Program const& program = *form.others.parameter.schema->program;
        patterns.use(program);
        for (auto const& one : form.patterns)
            if (patterns.of(program, one.pattern).is_in(name)) undeclared = &one;
    }
    FormValue& value = form_values.emplace_back();
    value.parameter = &undeclared->parameter;
    value.field = &undeclared->detail;
    value.name = name;
    value.is_free = undeclared == &form.others && form.others_are_free;
    return value;
}

Malformed Validator::State::take_pair(FormBody const& form, FormPair const& pair,
                                      CheckContext const& context) {
    Malformed const of_name = decode_form_text(pair.name, pair_name);
    if (of_name != Malformed::none) return of_name;
    auto const owner = find_named(form.fields, pair_name);
    if (owner && owner->as == QueryOwner::As::misspelt) return Malformed::field_style;
    FormValue& value = value_of(form, pair_name, owner);
    if (owner && owner->as == QueryOwner::As::deep)
        return take_deep_field(value, pair, owner->member, context.lists);
    bool const is_member = owner && owner->as == QueryOwner::As::member;
    bool const is_list = is_exploded_list(*value.parameter);
    if (value.is_given && !is_member) {
        if (!is_list) return Malformed::duplicate_field;
        if (value.raw_name != pair.name) return Malformed::field_spellings;
    }
    value.is_given = true;
    value.raw_name = pair.name;
    Malformed const of_value = decode_form_text(pair.value, form_text);
    if (of_value != Malformed::none) return of_value;
    Malformed const of_charset = take_charset(pair_name, form_text);
    if (of_charset != Malformed::none) return of_charset;
    if (!is_member) return append_value(value, form_text, context);
    append_member_text(value.json, *value.parameter, owner->member, form_text, context);
    return Malformed::none;
}

// RFC 7578, 4.6: the charset of all fields for readers that know this one, whose name has no letter
// case (HTML Living Standard, 4.10.21.4).
Malformed Validator::State::take_charset(std::string_view name, std::string_view value) {
    if (!text::equals_ignoring_case(name, "_charset_")) return Malformed::none;
    auto const charset = text::charset_named(value);
    form_is_ascii = form_is_ascii || charset == text::Charset::us_ascii;
    return charset == text::Charset::other ? Malformed::charset : Malformed::none;
}

// A whole field, or one item of a list.
Malformed Validator::State::append_value(FormValue& value, std::string_view text,
                                         CheckContext const& context) {
    Parameter const& parameter = *value.parameter;
    bool const is_json = value.field->content == FieldContent::json;
    if (value.field->is_several) {
        ++value.times;
        value.text = text;
    }
    if (parameter.shape == ParameterShape::json) return append_json(value.json, text);
    if (parameter.shape == ParameterShape::value) {
        append_part(value.json, parameter, value.field->part, text, context);
        return Malformed::none;
    }
    if (!is_exploded_list(parameter)) return append_separated(value, text, context);
    if (!is_json) {
        append_item_text(value.json, parameter, text, context);
        return Malformed::none;
    }
    value.json.append(value.json.json.empty() ? "[" : ",");
    ++value.json.count;
    return append_json(value.json, text);
}

// A list or an object in one field: `a,b`, or `name,value,name,value`.
Malformed Validator::State::append_separated(FormValue& value, std::string_view text,
                                             CheckContext const& context) {
    Parameter const& parameter = *value.parameter;
    char const separator = separator_of(parameter.style);
    bool const is_list = parameter.shape == ParameterShape::list;
    std::optional<std::string_view> name;
    for (;;) {
        auto const end = std::min(text.find(separator), text.size());
        auto const piece = text.substr(0, end);
        if (is_list) {
            append_item_text(value.json, parameter, piece, context);
        } else if (!name) {
            name = piece;
        } else {
            append_member_text(value.json, parameter, *std::exchange(name, {}), piece, context);
        }
        if (end == text.size()) return name ? Malformed::field_style : Malformed::none;
        text.remove_prefix(end + 1);
    }
}

// Checked before it becomes part of another text, in which it could mean more than one value.
Malformed Validator::State::append_json(Composite& out, std::string_view text) const {
    Fault const fault = find_fault(text, limits.depth);
    if (fault.reason == Malformed::too_deep) return fault.reason;
    if (fault.reason != Malformed::none) return Malformed::field_json;
    out.append(text);
    return Malformed::none;
}

// Writes the fields as one object.
void Validator::State::join_form(FormBody const& form, CheckContext const& context) {
    form_json.clear();
    auto const& declared = form.fields.query_parameters;
    for (std::size_t at = 0; at < form_values.size(); ++at) {
        FormValue& value = form_values[at];
        if (!value.is_given) continue;
        std::string_view const name = at < declared.size() ? declared[at].name : value.name;
        scratch_text = form_json.json.empty() ? "{" : ",";
        append_json_string(scratch_text, name);
        scratch_text += ':';
        form_json.append(scratch_text);
        bool const is_whole = value.field->is_several && choose_reading(value, context);
        if (is_whole) {
            // It is complete.
        } else if (!value.parameter->deep.empty()) {
            append_deep(value.json, *value.parameter, 0, context);
        } else if (value.parameter->shape == ParameterShape::list) {
            value.json.append("]");
        } else if (value.parameter->shape == ParameterShape::object) {
            value.json.append("}");
        }
        form_json.append(value.json);
    }
    form_json.append(form_json.json.empty() ? "{}" : "}");
}

Fault Validator::State::read_fields(MediaType const& type, SentBody const& body,
                                    CheckContext const& context) {
    if (type.syntax == BodySyntax::form) return read_pairs(*type.form, body.bytes, context);
    bool const has_names = type.syntax != BodySyntax::parts;
    auto const names = has_names ? PartNames::required : PartNames::ignored;
    return read_parts(*type.form, body, names, context);
}

// Validates a value that was made of a body, which becomes its report.
void Validator::State::check_made(Validator& validator, BodySchema schema, Composite& value,
                                  CheckContext const& context) {
    if (form_is_ascii && !text::is_ascii(value.json)) return refuse_body(Malformed::not_ascii, {});
    auto const check = [&](std::string& json) {
        std::size_t const size = json.size();
        json.append(body_padding, '\0');
        static_cast<void>(validator.validate(schema, std::string_view{json}.substr(0, size),
                                             context.conditions, context.levels));
    };
    check(value.json);
    bool const may_be_text = !value.as_text.empty() && !is_clean(report);
    if (!may_be_text || report.outcome == Outcome::malformed) return;
    Report as_literal = std::exchange(report, {});
    check(value.as_text);
    // As for parameters: what is valid as either is valid.
    bool const takes_text = report.outcome == Outcome::valid
                            && (as_literal.outcome != Outcome::valid || report.reported.empty());
    if (!takes_text) report = std::move(as_literal);
}

// The memory of a large body.
void Validator::State::give_back_form(std::size_t size) {
    if (size <= limits.kept_body) return;
    form_values = {};
    form_others = {};
    form_json = {};
    form_text = {};
    decoded = {};
    parameter_strings = {};
}

Report& Validator::validate(MediaType const& type, SentBody const& body,
                            Conditions const& conditions, LevelTable const& levels) {
    State& state = *state_;
    if (has_items(type.syntax)) {
        ItemValidator items{type};
        static_cast<void>(items.take(body.bytes, MoreFollow::no, {*this, conditions, levels}));
        state.report = std::move(items.report());
        return state.report;
    }
    State::CheckContext const context{conditions, levels, body.lists};
    bool const is_text = type.syntax == BodySyntax::json || type.syntax == BodySyntax::text;
    if (body.says_ascii && is_text && !text::is_ascii(body.bytes)) {
        state.refuse_body(Malformed::not_ascii, {});
        return state.report;
    }
    if (type.syntax == BodySyntax::json)
        return validate(*type.schema, body.bytes, conditions, levels);
    if (body.bytes.empty()) {
        state.refuse_body(Malformed::empty, {});
        return state.report;
    }
    if (type.syntax == BodySyntax::text) {
        state.check_text(type, body.bytes, context);
        state.give_back_form(body.bytes.size());
        return state.report;
    }
    FormBody const& form = *type.form;
    state.begin_form(form);
    state.form_is_ascii = body.says_ascii;
    Fault const fault = state.read_fields(type, body, context);
    if (fault.reason != Malformed::none) {
        bool const is_inside = fault.offset < body.bytes.size();
        state.refuse_body(fault.reason, is_inside ? std::optional{fault.offset} : std::nullopt);
        state.give_back_form(body.bytes.size());
        return state.report;
    }
    if (form.are_items) {
        state.check_items(*this, *type.schema, context);
    } else {
        if (type.syntax == BodySyntax::parts) {
            state.join_parts();
        } else {
            state.join_form(form, context);
        }
        state.check_made(*this, *type.schema, state.form_json, context);
    }
    Report& report = state.report;
    if (report.malformed == Malformed::duplicate_member && type.syntax != BodySyntax::parts)
        report.malformed = Malformed::duplicate_field;
    report.offset.reset(); // of a text that was not sent
    if (report.outcome != Outcome::malformed) state.add_part_violations();
    state.give_back_form(body.bytes.size());
    return report;
}

} // namespace sallyport::contract
