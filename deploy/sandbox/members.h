// Takes the members that an operation knows out of a request body.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::sandbox {

enum class MemberType { string, number, integer, boolean, array, object };
enum class Null { refused, kept };

struct Member {
    std::string_view name;
    MemberType type;
    Null null = Null::refused;
};

// Parses a body that has to be an object; nothing, with the reason in problem, where it is none.
std::optional<boost::json::object> parse_object(std::string_view body, std::string& problem);

// Copies the listed members that body has into target and leaves the others alone. Answers what is
// wrong with the first one of another type, or nothing.
std::optional<std::string> copy_members(boost::json::object const& body,
                                        std::span<Member const> members,
                                        boost::json::object& target);

} // namespace sallyport::sandbox
