// The names that the gateway handles, and similar ones.
#include "gateway/http/field_name.h"

#include <catch2/catch.hpp>

#include <string>

namespace field_name {

using namespace sallyport::http;

TEST_CASE("names are identified case-insensitively") {
    CHECK(identify_field("Host") == FieldId::host);
    CHECK(identify_field("hOsT") == FieldId::host);
    CHECK(identify_field("CONTENT-LENGTH") == FieldId::content_length);
    CHECK(identify_field("transfer-encoding") == FieldId::transfer_encoding);
    CHECK(identify_field("TE") == FieldId::te);
    CHECK(identify_field("X-Request-ID") == FieldId::request_id);
    CHECK(identify_field("Proxy") == FieldId::proxy_command);
    CHECK(identify_field("retry-after") == FieldId::retry_after);
}

TEST_CASE("a name is compared case-insensitively, to its last character") {
    CHECK(is_field_name("User-Agent", "user-agent"));
    CHECK(is_field_name("USER-AGENT", "user-agent"));
    CHECK(is_field_name("TE", "te"));
    CHECK_FALSE(is_field_name("user-agenT2", "user-agent"));
    CHECK_FALSE(is_field_name("user-agens", "user-agent"));
    CHECK_FALSE(is_field_name("vser-agent", "user-agent"));
    CHECK_FALSE(is_field_name("user_agent", "user-agent"));
    CHECK_FALSE(is_field_name("traceparens", "traceparent"));
    CHECK_FALSE(is_field_name("", "te"));
}

TEST_CASE("families are identified by the beginning of their names") {
    CHECK(identify_field("X-Forwarded-Port") == FieldId::x_forwarded_other);
    CHECK(identify_field("x-forwarded-anything-at-all-however-long-it-may-be")
          == FieldId::x_forwarded_other);
    CHECK(identify_field("X-Forwarded-For") == FieldId::x_forwarded_for);
    CHECK(identify_field("X-Authenticated-Groups") == FieldId::identity);
    CHECK(identify_field("SSL-Client-Cert") == FieldId::identity);
    CHECK(identify_field("X-Client-Cert-Subject") == FieldId::identity);
    CHECK(identify_field("X-Accel-Redirect") == FieldId::proxy_command);
    CHECK(identify_field("X-Sendfile-Type") == FieldId::proxy_command);
    CHECK(identify_field("X-Original-URL") == FieldId::url_override);
}

TEST_CASE("other names are unknown") {
    for (auto const name : {"",
                            "H",
                            "Hos",
                            "Hosts",
                            "Xhost",
                            "Content-Lengt",
                            "Content-Lengths",
                            "Content Length",
                            "Content_Length",
                            "Accept",
                            "User-Agent",
                            "traceparent",
                            "tracestate",
                            "baggage",
                            "x-hdx-team",
                            "X-Forwarder",
                            "X",
                            "S",
                            "Ssl-",
                            "X-Authenticate",
                            "Set-Cookie",
                            "\xff",
                            "xx-forwarded-for"}) {
        INFO(name);
        CHECK(identify_field(name) == FieldId::unknown);
    }
    CHECK(identify_field(std::string(100'000, 'x')) == FieldId::unknown);
}

TEST_CASE("names are the same variable if only letter case and signs differ") {
    CHECK(is_same_variable("X-Mode", "X-Mode"));
    CHECK(is_same_variable("X-Mode", "x_mode"));
    CHECK(is_same_variable("X_Mode", "X-MODE"));
    CHECK(is_same_variable("X.Mode", "X!Mode"));
    CHECK_FALSE(is_same_variable("X-Mode", "XMode"));
    CHECK_FALSE(is_same_variable("X-Mode", "X-Modes"));
    CHECK_FALSE(is_same_variable("X-Mode", "X--Mode"));
    CHECK_FALSE(is_same_variable("X-Mode", "X0Mode"));
    CHECK_FALSE(is_same_variable("X-Mode", "X-Code"));
    CHECK_FALSE(is_same_variable("X-Mode", ""));
}

TEST_CASE("a name shadows a known one if an underscore or another sign is the only difference") {
    for (auto const name :
         {"Content_Length", "X.Real.IP", "X+Forwarded~For", "oidc_claim_sub", "Remote|User",
          "TRANSFER_ENCODING", "X_Real_IP", "x-real_ip", "X_FORWARDED_PORT", "Remote_User",
          "SSL_CLIENT_S_DN", "X_Request_Id", "Content_Type", "HTTP2_Settings"}) {
        INFO(name);
        CHECK(shadows_known_field(name));
    }
    CHECK(shadows_known_field("x_forwarded_" + std::string(1000, 'a')));
    for (auto const name : {"Content-Length", "X-Real-IP", "user_id", "_", "Content__Length",
                            "Host_", "_Host", "X_Hdx_Team", ""}) {
        INFO(name);
        CHECK(!shadows_known_field(name));
    }
}

} // namespace field_name
