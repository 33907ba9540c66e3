// The parameters of a query beside each other: which of them a pair belongs to.
#include "gateway/contract/evaluate/query_owner.h"
#include "gateway/contract/openapi/load.h"
#include "gateway/contract/schema/accepted.h"

#include "config/text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::contract {

namespace {

// A name that pairs of both parameters can have.
[[nodiscard]] std::optional<std::string> shared_name(Parameter const& one, Parameter const& other) {
    for (auto const& [from, to] : {std::pair{&one, &other}, std::pair{&other, &one}}) {
        if (!from->is_spread() && is_named(*to, from->name)) return from->name;
        if (!from->is_spread()) continue;
        for (Parameter::Member const& member : from->members) {
            if (is_named(*to, member.name)) return member.name;
        }
    }
    return std::nullopt;
}

} // namespace

// OpenAPI 3.1, 4.8.12.3 leaves open how lists and objects within an object are written. Clients
// write more brackets, and the schema says what each of them is.
bool Loader::read_nested_names(Parameter& result, Node const& node, Target const& schema) {
    Node const* const style = node.find("style");
    bool const is_deep = style != nullptr && style->text() == "deepObject"
                         && result.place == ParameterPlace::query
                         && node.find("content") == nullptr;
    if (!is_deep) return false;
    Program const& program = *contract_->program_;
    NodeIndex const root = program.schemas[result.schema->index].root;
    std::vector<SchemaInPlace> const schemas{{root, Effect::always}};
    if (!has_deep_names(program, schemas)) return false;
    auto const fault = read_deep_names(program, schemas, result);
    if (!fault) return true;
    unsupported(*schema.node, schema.path, *fault + ", which names with brackets do not show",
                "write one type, or content: {application/json: {schema: ...}} in place of schema");
    return true;
}

// OpenAPI leaves open how a list is written that is a property of an exploded object: clients repeat
// its name. True: it is an object with such lists, and all others of its properties are plain.
bool Loader::read_lists_of_object(Parameter& result, Node const& node) {
    Node const* const style = node.find("style");
    Node const* const explode = node.find("explode");
    bool const is_spread = result.place == ParameterPlace::query
                           && (style == nullptr || style->text() == "form")
                           && (explode == nullptr || explode->text() == "true")
                           && node.find("content") == nullptr && !is_swagger();
    if (!is_spread) return false;
    Program const& program = *contract_->program_;
    std::vector<SchemaInPlace> const schemas{
        {program.schemas[result.schema->index].root, Effect::always}};
    Parameter found;
    constexpr unsigned object = value_bits::object | value_bits::null;
    auto const kinds = kinds_of(program, schemas);
    bool const is_object = kinds.may_be_nested && (kinds.kinds.accepted & ~object) == 0;
    if (!is_object || !read_members(program, schemas, found)
        || read_deep_names(program, schemas, found))
        return false;
    auto const& parts = found.deep;
    auto const is_readable = [&](std::uint32_t at) {
        DeepPart const& item = parts[parts[at].takes_list ? parts[at].others : at];
        return item.takes_value && !item.takes_list && !item.takes_object;
    };
    DeepPart const& whole = parts.front();
    auto const are_readable = [&](auto const& properties) {
        return std::all_of(properties.begin(), properties.end(),
                           [&](auto const& one) { return is_readable(one.second); });
    };
    if (!are_readable(whole.members) || !are_readable(whole.patterns) || !is_readable(whole.others))
        return false;
    result.shape = ParameterShape::object;
    result.members = std::move(found.members);
    result.patterns = std::move(found.patterns);
    result.others = std::move(found.others);
    result.deep = std::move(found.deep);
    return true;
}

// One that is unread is not added: its pairs belong to no parameter, and pass.
void Loader::add_query_parameter(Operation& operation, Parameter parameter,
                                 ParameterNode const& node) {
    auto& known = operation.query_parameters;
    if (!parameter.is_unread) {
        auto const rivals = check_owners(operation, parameter, node);
        if (rivals.empty()) {
            known.push_back(std::move(parameter));
            return;
        }
        forget_rules(*parameter.schema);
        for (auto rival = rivals.rbegin(); rival != rivals.rend(); ++rival) {
            forget_rules(*known[*rival].schema);
            known.erase(known.begin() + static_cast<std::ptrdiff_t>(*rival));
        }
    }
    has_unread_query_ = true;
}

// Pairs of unread parameters would be taken for properties of an object that takes or forbids pairs
// of any name.
void Loader::forget_open_objects(Operation& operation) {
    auto const is_open = [](Parameter const& one) { return one.takes_others || one.closed_by; };
    for (Parameter const& one : operation.query_parameters) {
        if (!is_open(one)) continue;
        forget_rules(*one.schema);
        problems_.add_unsupported_at(one.mark, one.document_path,
                                     config::in_quotes(one.name)
                                         + " cannot be told from a parameter that is unread",
                                     "write style: deepObject");
    }
    std::erase_if(operation.query_parameters, is_open);
}

// Checks that no pair of a query can belong to this parameter and to an earlier one: one of them
// would never be validated. Returns those earlier ones.
std::vector<std::size_t> Loader::check_owners(Operation const& operation,
                                              Parameter const& parameter,
                                              ParameterNode const& node) {
    std::vector<std::size_t> rivals;
    for (std::size_t i = 0; i < operation.query_parameters.size(); ++i) {
        Parameter const& other = operation.query_parameters[i];
        std::size_t const before = unsupported_;
        if (parameter.takes_others && other.takes_others) {
            unsupported(*node.node, node.path,
                        "takes pairs of any name, and so does " + config::in_quotes(other.name)
                            + ": it is ambiguous which of them a pair belongs to",
                        "write style: deepObject, or additionalProperties: false");
        }
        if (auto const name = shared_name(parameter, other)) {
            unsupported(*node.node, node.path,
                        "the pair " + config::in_quotes(*name)
                            + " would belong to this parameter and to "
                            + config::in_quotes(other.name),
                        "write style: deepObject, or other names");
        }
        if (unsupported_ != before) rivals.push_back(i);
    }
    return rivals;
}

} // namespace sallyport::contract
