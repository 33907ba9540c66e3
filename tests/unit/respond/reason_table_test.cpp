// Every reason has its status, and texts where a client sees them.
#include "gateway/respond/reason_table.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

namespace reason_table_test {

using namespace sallyport::respond;
using sallyport::pipeline::Reason;

namespace {

std::vector<Reason> all_reasons() {
    std::vector<Reason> reasons;
    for (std::size_t i = 0; i < sallyport::pipeline::reason_words.size(); ++i) {
        reasons.push_back(static_cast<Reason>(i));
    }
    return reasons;
}

} // namespace

TEST_CASE("reasons that are only logged have no status") {
    for (auto const reason :
         {Reason::none, Reason::client_closed, Reason::upstream_incomplete,
          Reason::response_too_slow, Reason::tls_failed, Reason::too_many_connections,
          Reason::flooded, Reason::protocol_failed, Reason::tunnel_idle,
          Reason::credential_expired}) {
        CHECK(status_of(reason) == 0);
    }
}

TEST_CASE("every other reason has the status that clients rely on") {
    std::map<Reason, unsigned> const expected = {
        {Reason::unauthenticated, 401},
        {Reason::forbidden, 403},
        {Reason::address_denied, 403},
        {Reason::origin_denied, 403},
        {Reason::unknown_operation, 403},
        {Reason::method_not_allowed, 405},
        {Reason::bad_request, 400},
        {Reason::bad_parameter, 400},
        {Reason::malformed_body, 400},
        {Reason::contract_violation, 400},
        {Reason::head_too_large, 431},
        {Reason::body_too_large, 413},
        {Reason::unsupported_media_type, 415},
        {Reason::expectation_failed, 417},
        {Reason::misdirected, 421},
        {Reason::timeout, 408},
        {Reason::rate_limited, 429},
        {Reason::upstream_failed, 502},
        {Reason::upstream_invalid, 502},
        {Reason::upstream_head_too_large, 502},
        {Reason::upstream_too_many_fields, 502},
        {Reason::upstream_timeout, 504},
        {Reason::no_upstream, 503},
        {Reason::issuer_unavailable, 503},
        {Reason::overloaded, 503},
        {Reason::draining, 503},
        {Reason::internal_error, 500},
    };
    std::size_t told = 0;
    for (auto const reason : all_reasons()) {
        auto const& row = row_of(reason);
        CAPTURE(std::string{to_string(reason)});
        CHECK(row.reason == reason);
        if (row.status == 0) continue;
        ++told;
        REQUIRE(expected.count(reason) == 1);
        CHECK(row.status == expected.at(reason));
        // A client understands a 404 as "deleted".
        CHECK(row.status != 404);
        CHECK_FALSE(row.title.empty());
        CHECK_FALSE(row.detail.empty());
    }
    CHECK(told == expected.size());
}

TEST_CASE("every status of the table has a code of its own") {
    std::map<std::string_view, unsigned> statuses;
    for (auto const reason : all_reasons()) {
        auto const status = status_of(reason);
        if (status == 0) continue;
        auto const [place, is_new] = statuses.emplace(code_of(status), status);
        CAPTURE(status);
        CHECK((is_new || place->second == status));
    }
    CHECK(statuses.size() == 15);
    CHECK(code_of(400) == "BAD_REQUEST");
    CHECK(code_of(401) == "UNAUTHORIZED");
    CHECK(code_of(403) == "FORBIDDEN");
    CHECK(code_of(405) == "METHOD_NOT_ALLOWED");
    CHECK(code_of(500) == "INTERNAL_SERVER_ERROR");
}

} // namespace reason_table_test
