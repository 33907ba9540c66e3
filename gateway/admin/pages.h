// The pages of the admin listener: their paths, and which clients may read them.
#pragma once

#include "gateway/admin/facts.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>

namespace sallyport::admin {

using Request = boost::beast::http::request<boost::beast::http::empty_body>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;

/// Whether other machines may connect: `admin.allow_remote`.
enum class AllowedClients : std::uint8_t { this_machine, any };

/// Whether every worker's loop has turned just now.
enum class Liveness : std::uint8_t { alive, stuck };

/// Only /healthz needs the workers' liveness: the check takes a turn of each loop.
[[nodiscard]] bool needs_liveness(Request const& request);

/// The response to a request. `liveness` is ignored for pages that do not need it.
[[nodiscard]] Response response_to(Request const& request, Facts const& facts,
                                   AllowedClients allowed_clients, Liveness liveness);

} // namespace sallyport::admin
