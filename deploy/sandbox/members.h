// Reads members of request bodies and stored documents.
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

/// Parses a body that must be an object; otherwise empty, with the reason in `problem`.
std::optional<boost::json::object> parse_object(std::string_view body, std::string& problem);

/// The most entries of a list that is stored entry by entry.
inline constexpr std::size_t most_entries = 1000;

/// Copies the listed members of `body` into `target` and leaves the others. Returns the problem of
/// the first one with a wrong type, if any. Whole numbers are stored as integers.
std::optional<std::string> copy_members(boost::json::object const& body,
                                        std::span<Member const> members,
                                        boost::json::object& target);

/// Parses text of the database, which only this program writes.
boost::json::object object_of(std::string_view text);
boost::json::array array_of(std::string_view text);

/// Removes a member from an object that must have it, and returns it.
boost::json::value take(boost::json::object& object, std::string_view name);
std::string take_text(boost::json::object& object, std::string_view name);

} // namespace sallyport::sandbox
