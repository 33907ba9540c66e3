// Takes members out of request bodies and stored documents.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
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

// How many entries a list may have that is stored one by one.
inline constexpr std::size_t most_entries = 1000;

// Copies the listed members that body has into target and leaves the others alone. Answers what is
// wrong with the first one of another type, or nothing. Whole numbers are stored as integers.
std::optional<std::string> copy_members(boost::json::object const& body,
                                        std::span<Member const> members,
                                        boost::json::object& target);

// What stands as text in the database; only documents of this program do.
boost::json::object object_of(std::string_view text);
boost::json::array array_of(std::string_view text);

// Takes a member out of an object that must have it.
boost::json::value take(boost::json::object& object, std::string_view name);
std::string take_text(boost::json::object& object, std::string_view name);

} // namespace sallyport::sandbox
