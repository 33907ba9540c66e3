// The parameter that a pair of a query belongs to. OpenAPI 3.1, 4.8.12.3 defines the names of each
// style, but not the order for names that belong to several: a declared name comes first, then a
// name with brackets, then the object that takes any name. A contract in which two parameters
// declare one name does not load.
#include "gateway/contract/evaluate/query_owner.h"

#include "gateway/contract/evaluate/names.h"
#include "gateway/contract/evaluate/parameter_text.h"
#include "gateway/contract/evaluate/query_names.h"
#include "gateway/contract/forms/form_body.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using As = QueryOwner::As;

[[nodiscard]] bool is_deep(Parameter const& parameter) noexcept {
    return parameter.style == ParameterStyle::deep_object
           && (parameter.shape == ParameterShape::object || !parameter.deep.empty());
}

// For an object of style deepObject: `name[member]`, one level deep. Other names with this
// beginning would be deeper objects or lists for some upstreams, and cannot be validated here,
// unless the schema says what they are.
[[nodiscard]] std::optional<QueryOwner>
deep_owner(std::string_view name, Parameter const& parameter, std::size_t at) noexcept {
    std::string_view const own = parameter.name;
    if (name.substr(0, own.size()) != own) return std::nullopt;
    std::string_view rest = name.substr(own.size());
    bool const is_nested = !parameter.deep.empty() && (rest.empty() || rest.front() == '[');
    if (is_nested) return QueryOwner{at, As::deep, rest};
    if (rest.empty()) return QueryOwner{at, As::misspelt, {}};
    if (rest.front() != '[') return std::nullopt;
    rest.remove_prefix(1);
    bool const is_member =
        rest.size() > 1 && rest.find_first_of("[]") == rest.size() - 1 && rest.back() == ']';
    if (!is_member) return QueryOwner{at, As::misspelt, {}};
    return QueryOwner{at, As::member, rest.substr(0, rest.size() - 1)};
}

} // namespace

bool is_named(Parameter const& parameter, std::string_view name) noexcept {
    if (is_deep(parameter)) return deep_owner(name, parameter, 0).has_value();
    if (!parameter.is_spread()) return parameter.name == name;
    return std::any_of(parameter.members.begin(), parameter.members.end(),
                       [name](Parameter::Member const& known) { return known.name == name; });
}

void index_query(PairParameters& pairs) {
    QueryIndex index;
    auto const& declared = pairs.query_parameters;
    for (std::uint32_t at = 0; at < declared.size(); ++at) {
        Parameter const& one = declared[at];
        append_lookalikes(one, index.lookalikes);
        if (one.takes_others && !index.others) index.others = at;
        if (is_deep(one)) {
            index.deep.push_back(at);
        } else if (!one.is_spread()) {
            index.names.push_back({hash_name(one.name), at, UINT32_MAX});
        } else {
            for (std::uint32_t member = 0; member < one.members.size(); ++member) {
                index.names.push_back({hash_name(one.members[member].name), at, member});
            }
        }
    }
    std::sort(index.names.begin(), index.names.end(),
              [](auto const& left, auto const& right) { return left.hash < right.hash; });
    std::sort(index.lookalikes.begin(), index.lookalikes.end());
    pairs.query_index = std::move(index);
}

std::optional<QueryOwner> find_named(PairParameters const& pairs, std::string_view name) noexcept {
    auto const& declared = pairs.query_parameters;
    auto const& [names, deep, others, lookalikes] = pairs.query_index;
    std::uint32_t const hash = hash_name(name);
    auto found = std::lower_bound(
        names.begin(), names.end(), hash,
        [](QueryIndex::Name const& one, std::uint32_t wanted) { return one.hash < wanted; });
    for (; found != names.end() && found->hash == hash; ++found) {
        Parameter const& one = declared[found->parameter];
        bool const is_member = found->member != UINT32_MAX;
        if ((is_member ? one.members[found->member].name : one.name) != name) continue;
        return QueryOwner{found->parameter, is_member ? As::member : As::whole,
                          is_member ? name : std::string_view{}};
    }
    for (std::uint32_t const at : deep) {
        if (auto const owner = deep_owner(name, declared[at], at)) return owner;
    }
    return std::nullopt;
}

std::optional<QueryOwner> find_owner(PairParameters const& pairs, std::string_view name) noexcept {
    if (auto const owner = find_named(pairs, name)) return owner;
    auto const& others = pairs.query_index.others;
    return others ? std::optional{QueryOwner{*others, As::member, name}} : std::nullopt;
}

std::string_view Operation::query_parameter_of(std::string_view raw_name) const {
    std::string decoded;
    std::string_view name = raw_name;
    if (!is_plain(raw_name)) {
        (void)decode(raw_name, Coding::percent_and_plus, decoded);
        name = decoded;
    }
    bool const is_form = query_string && query_string->type.form != nullptr
                         && query_string->type.syntax == BodySyntax::form;
    PairParameters const& pairs = is_form ? query_string->type.form->fields : *this;
    auto const owner = find_owner(pairs, name);
    return owner ? std::string_view{pairs.query_parameters[owner->at].name} : std::string_view{};
}

} // namespace sallyport::contract
