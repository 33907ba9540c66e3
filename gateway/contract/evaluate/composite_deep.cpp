// Parameters and fields with nested names of style deepObject, converted to JSON.
#include "gateway/contract/evaluate/parameter_refusal.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/validator_state.h"
#include "gateway/contract/forms/urlencoded.h"
#include "gateway/contract/schema/constants.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

// The name of a pair up to its first bracket, and how that is written: `[`, `%5B`, `%5b`.
[[nodiscard]] std::string_view opening_of(std::string_view raw_name) noexcept {
    auto const bare = std::min(raw_name.find('['), raw_name.size());
    auto const coded = std::min(
        {raw_name.find("%5B"), raw_name.find("%5b"), raw_name.size()});
    return raw_name.substr(0, bare < coded ? bare + 1 : std::min(coded + 3, raw_name.size()));
}

} // namespace

DeepFault Validator::State::add_deep(Composite& out, Parameter const& parameter,
                                     std::string_view path, std::string_view text, Lists lists) {
    return out.deep.add(
        parameter.deep, path, text, lists, [&](DeepPart const& part, std::string_view name) {
            if (part.patterns.empty()) return part.others;
            Program const& program = *parameter.schema->program;
            patterns.use(program);
            for (auto const& [pattern, own] : part.patterns)
                if (patterns.of(program, pattern).is_in(name)) return own;
            return part.others;
        });
}

void Validator::State::append_deep(Composite& out, Parameter const& parameter, std::uint32_t node,
                                   CheckContext const& context) {
    using Kind = DeepValue::Kind;
    DeepValue::Node const& one = out.deep.nodes()[node];
    if (one.kind == Kind::value) {
        append_part(out, parameter, parameter.deep[one.part].part, one.text, context);
        return;
    }
    bool const is_list = one.kind == Kind::list;
    out.append(is_list ? "[" : "{");
    for (std::size_t i = 0; i < one.children.size(); ++i) {
        if (i != 0) out.append(",");
        if (!is_list) {
            scratch_text.clear();
            append_json_string(scratch_text, out.deep.nodes()[one.children[i]].name);
            scratch_text += ':';
            out.append(scratch_text);
        }
        append_deep(out, parameter, one.children[i], context);
    }
    out.append(is_list ? "]" : "}");
}

// A pair of a query; `raw` is its value, still encoded.
bool Validator::State::take_deep_pair(Parameter const& parameter, QueryOwner const& owner,
                                      std::string_view raw, Lists lists) {
    TextFault const wrong = decode(raw, coding_of(parameter), decoded);
    if (wrong != TextFault::none) return refuse_text(parameter, wrong);
    is_given[owner.at] = true;
    switch (add_deep(gathered[owner.at], parameter, owner.member, decoded, lists)) {
    case DeepFault::none: return true;
    case DeepFault::duplicate:
        refuse(parameter_report,
               violation_of(parameter, "duplicate", "must contain each property once"));
        return false;
    case DeepFault::look_alike:
        refuse(parameter_report, violation_of(parameter, "name",
                                              "must have properties with their exact names"));
        return false;
    case DeepFault::style: break;
    }
    auto const names = parameter.is_spread()
                           ? std::string{"property=value"}
                           : parameter.name + "[property]=value, with [] for an item of a list, or "
                                              "[0], [1], ...";
    std::string_view const key =
        lists == Lists::strict ? "; the API would have to say lists: decoded for a name that is "
                                 "repeated"
                               : "";
    refuse(parameter_report,
           violation_of(parameter, "style", "must be written as " + names + std::string{key}));
    return false;
}

Malformed Validator::State::take_deep_field(FormValue& value, FormPair const& pair,
                                            std::string_view path, Lists lists) {
    // Some servers join what is encoded in one way, and others what is in another one.
    bool const is_alike = !value.is_given || opening_of(value.raw_name) == opening_of(pair.name);
    if (!is_alike) return Malformed::field_spellings;
    value.is_given = true;
    value.raw_name = pair.name;
    Malformed const wrong = decode_form_text(pair.value, form_text);
    if (wrong != Malformed::none) return wrong;
    switch (add_deep(value.json, *value.parameter, path, form_text, lists)) {
    case DeepFault::none: return Malformed::none;
    case DeepFault::duplicate: return Malformed::duplicate_field;
    case DeepFault::look_alike: return Malformed::disguised_field;
    case DeepFault::style: break;
    }
    return Malformed::field_style;
}

} // namespace sallyport::contract
