// Checks types only: ranges and rules are checked by the gateway, and the sandbox must show what
// passed it.
#include "deploy/sandbox/members.h"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sallyport::sandbox {
namespace {

bool is_of_type(boost::json::value const& value, MemberType type) {
    switch (type) {
    case MemberType::string: return value.is_string();
    case MemberType::number: return value.is_number();
    case MemberType::integer: // 1.0 and 5e0 are integers (JSON Schema 2020-12, 6.1.1)
        return value.is_int64() || value.is_uint64()
               || (value.is_double() && std::trunc(value.get_double()) == value.get_double());
    case MemberType::boolean: return value.is_bool();
    case MemberType::array: return value.is_array();
    case MemberType::object: return value.is_object();
    }
    return false;
}

// 5e0 and 5.0 are stored as 5.
boost::json::value plain(boost::json::value const& value) {
    constexpr double exact = 9007199254740992.0; // 2^53: every integer below has its own double
    if (!value.is_double()) return value;
    double const number = value.get_double();
    if (std::trunc(number) != number || std::abs(number) > exact) return value;
    return static_cast<std::int64_t>(number);
}

// Boost.JSON reads a number beyond double as infinity, and writes that as invalid JSON. Its depth
// limit bounds this recursion.
bool is_finite(boost::json::value const& value) {
    if (value.is_double()) return std::isfinite(value.get_double());
    if (auto const* const array = value.if_array()) return std::ranges::all_of(*array, is_finite);
    if (auto const* const object = value.if_object()) {
        return std::ranges::all_of(*object,
                                   [](auto const& member) { return is_finite(member.value()); });
    }
    return true;
}

std::string_view name_of(MemberType type) {
    switch (type) {
    case MemberType::string: return "a string";
    case MemberType::number: return "a number";
    case MemberType::integer: return "an integer";
    case MemberType::boolean: return "a boolean";
    case MemberType::array: return "an array";
    case MemberType::object: return "an object";
    }
    return "something else";
}

} // namespace

std::optional<boost::json::object> parse_object(std::string_view body, std::string& problem) {
    boost::json::error_code error;
    boost::json::value value = boost::json::parse(body, error);
    if (error) {
        problem = "the body is not JSON";
        return std::nullopt;
    }
    if (!value.is_object()) {
        problem = "the body must be an object";
        return std::nullopt;
    }
    if (!is_finite(value)) {
        problem = "the body holds a number that is too large";
        return std::nullopt;
    }
    return std::move(value.get_object());
}

std::optional<std::string> copy_members(boost::json::object const& body,
                                        std::span<Member const> members,
                                        boost::json::object& target) {
    for (Member const& member : members) {
        boost::json::value const* const given = body.if_contains(member.name);
        if (given == nullptr) continue;
        bool const fits =
            is_of_type(*given, member.type) || (given->is_null() && member.null == Null::kept);
        if (!fits)
            return std::string{member.name} + " must be " + std::string{name_of(member.type)};
        target[member.name] = plain(*given);
    }
    return std::nullopt;
}

boost::json::object object_of(std::string_view text) {
    return boost::json::parse(text).as_object();
}

boost::json::array array_of(std::string_view text) {
    return boost::json::parse(text).as_array();
}

boost::json::value take(boost::json::object& object, std::string_view name) {
    boost::json::value value = std::move(object.at(name));
    object.stable_erase(object.find(name)); // the others keep their order
    return value;
}

std::string take_text(boost::json::object& object, std::string_view name) {
    return std::string{take(object, name).as_string()};
}

} // namespace sallyport::sandbox
