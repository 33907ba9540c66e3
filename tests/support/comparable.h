// What two requests of the same meaning have in common, in whichever version of HTTP they came: as
// text, for tests that compare.
#pragma once

#include "tests/support/json.h"
#include "tests/support/message.h"

#include <string>

namespace sallyport::test {

/// A line of the access log, or another object of the gateway, without what differs from one
/// request to the next (times, ids) and between the versions (`protocol`, the bytes that frame).
std::string comparable(Json const& json);
/// The members in which two such objects differ, each with both values; empty if they do not.
std::string difference(Json const& older, Json const& newer);
/// A body of the gateway's, or of the upstream.
std::string comparable_body(std::string const& body);
/// A request that reached the upstream: with names in small letters, without its id, and with the
/// version in Via that a request over HTTP/1.1 has.
std::string comparable(Request const& request);
/// The fields of a response, sorted: with names in small letters, without its date and id, and
/// without what HTTP/2 does not have (RFC 9113, 8.2.2).
std::string comparable(Response const& response);

} // namespace sallyport::test
