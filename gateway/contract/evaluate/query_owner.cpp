// Which parameter a pair of a query belongs to. OpenAPI 3.1, 4.8.12.3 says how each style writes
// its names, and not what becomes of names that two styles could have written: a declared name goes
// first, then brackets, then the object that takes any name. Where two parameters declare one name
// the contract does not load.
#include "gateway/contract/evaluate/query_owner.h"

#include "gateway/contract/evaluate/parameter_text.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

using As = QueryOwner::As;

[[nodiscard]] bool is_deep(Parameter const& parameter) noexcept {
    return parameter.shape == ParameterShape::object
           && parameter.style == ParameterStyle::deep_object;
}

[[nodiscard]] bool has_member(Parameter const& parameter, std::string_view name) noexcept {
    return std::any_of(parameter.members.begin(), parameter.members.end(),
                       [name](Parameter::Member const& known) { return known.name == name; });
}

// Of an object in the style deepObject: `name[member]`, one level deep. What else begins so would
// be read as deeper objects or lists by some upstreams, and no rule could be asked of it here.
[[nodiscard]] std::optional<QueryOwner>
deep_owner(std::string_view name, Parameter const& parameter, std::size_t at) noexcept {
    std::string_view const own = parameter.name;
    if (name.substr(0, own.size()) != own) return std::nullopt;
    std::string_view rest = name.substr(own.size());
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
    if (parameter.is_spread()) return has_member(parameter, name);
    if (is_deep(parameter)) return deep_owner(name, parameter, 0).has_value();
    return parameter.name == name;
}

std::optional<QueryOwner> find_owner(std::vector<Parameter> const& declared,
                                     std::string_view name) noexcept {
    for (std::size_t at = 0; at < declared.size(); ++at) {
        Parameter const& one = declared[at];
        if (is_deep(one) || !is_named(one, name)) continue;
        return QueryOwner{at, one.is_spread() ? As::member : As::whole,
                          one.is_spread() ? name : std::string_view{}};
    }
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (!is_deep(declared[at])) continue;
        if (auto const owner = deep_owner(name, declared[at], at)) return owner;
    }
    for (std::size_t at = 0; at < declared.size(); ++at) {
        if (declared[at].takes_others) return QueryOwner{at, As::member, name};
    }
    return std::nullopt;
}

std::string_view Operation::query_parameter_of(std::string_view raw_name) const {
    std::string decoded;
    std::string_view name = raw_name;
    if (!is_plain(raw_name)) {
        (void)decode(raw_name, Coding::percent_and_plus, decoded);
        name = decoded;
    }
    auto const owner = find_owner(query_parameters, name);
    return owner ? std::string_view{query_parameters[owner->at].name} : std::string_view{};
}

} // namespace sallyport::contract
