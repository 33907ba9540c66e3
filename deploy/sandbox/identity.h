// Generated values: identifiers, passwords and the present time.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::sandbox {

/// A version 4 UUID (RFC 9562, 5.4) in lower case.
std::string make_uuid();

/// An identifier as the observability API has them: 24 lower-case hexadecimal digits.
std::string make_object_id();

/// An initial credential of a new service: 24 characters, 140 random bits and more.
std::string make_password();

/// The present time in UTC, RFC 3339 with milliseconds.
std::string present_time();

/// ASCII letters in lower case: uuids are compared case-insensitively.
std::string to_lower(std::string_view text);

} // namespace sallyport::sandbox
