// A complete configuration for tests, section by section, and the callers of its credentials
// file.
#pragma once

#include "tests/support/recording_upstream.h"

#include <string>
#include <string_view>

namespace sallyport::test {

inline constexpr std::string_view organization_id = "5f0c8a52-1f3b-4c7e-9d2a-0b6f4e8c1a01";
inline constexpr std::string_view other_organization_id = "77777777-aaaa-4bbb-8ccc-dddddddddddd";
inline constexpr std::string_view service_id = "a1b2c3d4-0000-4000-8000-000000000002";
inline constexpr std::string_view pipe_id = "0A1B2C3D-4E5F-6071-8293-A4B5C6D7E8F9";

/// A key id with its secret, as a Basic credential.
struct Key {
    std::string_view id;
    std::string_view secret;
};

/// The callers; `standard_credentials` has their permissions.
inline constexpr Key administrator{"key-administrator", "Adm1nistrator.secret.0123456789"};
inline constexpr Key enterprise{"key-enterprise", "Enterprise:with:colons:0123456789"};
inline constexpr Key scale{"key-scale", "Scale.secret.0123456789abcdef"};
inline constexpr Key unpaid{"key-unpaid", "Unpaid.secret.0123456789abcdef"};
inline constexpr Key narrow{"key-narrow", "Narrow.secret.0123456789abcdef"};
inline constexpr Key reader{"key-reader", "Reader.secret.0123456789abcdef"};
inline constexpr Key rotating_old{"key-rotating", "Rotating.old.secret.0123456789"};
inline constexpr Key rotating_new{"key-rotating", "Rotating.new.secret.0123456789"};
inline constexpr Key expired_key{"key-expired", "Expired.secret.0123456789abcdef"};
inline constexpr Key mover{"key-mover", "Mover.secret.0123456789abcdefgh"};
inline constexpr std::string_view observer_token = "observer.token-0123456789abcdef";
inline constexpr std::string_view viewer_token = "viewer.token-0123456789abcdefgh";
inline constexpr std::string_view expired_token = "expired.token-0123456789abcdefg";

std::string basic(Key const& key);           // Basic <base64 of id:secret>
std::string basic_of(std::string_view pair); // Basic <base64 of the unchanged pair>
std::string bearer(std::string_view token);  // Bearer <token>

/// The text of credentials.yaml:
/// administrator: everything · enterprise, scale, unpaid (BASIC): everything, with labels · narrow:
/// management/* of `organization_id` only · reader: management/getPipe and listServiceBackups ·
/// rotating: two secrets · expired: since 2020 · mover: api files · observer: everything · viewer:
/// getDashboard and chartSeries.
std::string standard_credentials();

/// administrator alone, for configurations without the shipped contracts: other callers are
/// restricted to operations of those.
std::string administrator_credentials();

/// For configurations with the API `files`, which it allows; others would reject it.
std::string mover_credential();

/// The sections of a configuration, each the YAML below its key, indented by two. Tests change what
/// they need.
struct Configuration {
    std::string
        listeners; // "public": TLS with the certificates server, second, wildcard and rsa, port 0
    std::string workers = "1";
    std::string credentials = "credentials.yaml"; // the file
    std::string upstreams;
    std::string apis;
    std::string access_log = "  output: access.log\n";
    std::string limits;
    std::string rest; // whole top-level keys

    [[nodiscard]] std::string text() const;
};

/// YAML of one upstream, with more keys in flow style after its endpoints.
std::string upstream_yaml(std::string_view name, std::string_view endpoint,
                          std::string_view more = {});
std::string balanced_upstream_yaml(std::string_view name, std::vector<std::string> const& endpoints,
                                   std::string_view more);

/// The two shipped APIs, `management` (basic) and `observability` (bearer), each at an upstream of
/// its name.
Configuration standard_configuration(std::string_view management, std::string_view observability);
/// Both at one upstream.
Configuration standard_configuration(RecordingUpstream const& upstream);

/// YAML of one of the shipped APIs, with more keys in flow style at its end.
std::string api_yaml(std::string_view name, std::string_view more = {});

/// A listener with these certificates; `more` are further lines, indented by four.
std::string tls_listener(std::vector<Certificate> const& certificates, std::string_view more = {});

/// The folder of the shipped contracts.
std::string contracts_folder();

} // namespace sallyport::test
