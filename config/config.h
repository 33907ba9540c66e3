// The configuration of the gateway as plain structs with their defaults: what `sallyport.yaml`
// contains, and nothing else.
//
// Every struct is filled by config/load.h. config/README.md describes every key; the tables that
// read them are in config/sections_*.cpp. Only what this program can do has a place here: keys that
// are not built yet are refused.
#pragma once

#include "config/authenticator_set.h"
#include "config/caller_fields.h"
#include "config/cors.h"
#include "config/headers.h"
#include "config/opaque.h"
#include "config/types.h"
#include "config/websocket.h"
#include "gateway/text/networks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::config {

// --- listeners

/// An IP address (no name: it is bound, not looked up) and a port; port 0: any free one.
struct Address {
    std::string ip; // "127.0.0.1", "::1", in canonical spelling, without brackets
    std::uint16_t port = 0;

    friend bool operator==(Address const&, Address const&) = default;
};

struct Certificate {
    File certificate; // PEM: the certificate, then those that sign it
    File private_key; // PEM
    Origin origin;
};

enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

enum class VerifyClients : std::uint8_t {
    none,     // no certificate is asked for
    optional, // one that is sent has to be valid
    required,
};
/// Whether authorities are asked about single certificates (RFC 6960).
enum class Ocsp : std::uint8_t { off };

struct ClientCertificates {
    VerifyClients verify = VerifyClients::none;
    std::optional<File> ca;  // PEM; there unless `verify` is none
    std::optional<File> crl; // PEM; none: nothing is revoked
    Ocsp ocsp = Ocsp::off;
};

struct ListenerTls {
    std::vector<Certificate>
        certificates; // at least one; several are chosen by SNI, the first is the default
    TlsVersion minimum_version = TlsVersion::tls_1_2;
    ClientCertificates client_certificates;
};

/// What counts of what trusted proxies say of their clients.
struct ForwardedFields {
    bool forwarded = false; // RFC 7239; stands alone
    bool x_forwarded_for = true;
    bool x_forwarded_proto = true;
    bool x_forwarded_host = false;
};

enum class ProxyProtocol : std::uint8_t { off, required };

/// Versions of HTTP that ALPN selects.
enum class HttpVersion : std::uint8_t { http_1_1, http_2 };

struct Listener {
    std::string name;
    Address address;
    std::optional<ListenerTls> tls; // none: `tls: off`
    /// In order of preference; HTTP/2 only with TLS.
    std::vector<HttpVersion> protocols{HttpVersion::http_2, HttpVersion::http_1_1};
    text::AddressRules addresses; // of clients
    /// Peers whose word about their clients counts.
    std::vector<text::Network> trusted_proxies;
    ForwardedFields forwarded_fields;
    ProxyProtocol proxy_protocol = ProxyProtocol::off;
    /// The port of https to which every request is redirected; none: requests are served.
    std::optional<std::uint16_t> redirect;
    Origin origin; // of the entry
    Origin address_origin;
};

// --- admin

struct Admin {
    Address address{"127.0.0.1", 9901};
    bool allow_remote = false; // other machines may connect too
    Origin origin;
    Origin address_origin;
};

// --- upstreams

enum class Scheme : std::uint8_t { http, https, unix_socket };

struct Endpoint {
    Scheme scheme = Scheme::http;
    std::string host; // name or IP address without brackets; empty for unix_socket
    std::uint16_t port = 0;
    std::string socket; // path of a unix socket
    std::string path;   // before that of requests, without a slash at its end; may be empty
    std::string text;   // as written; may stand in logs: it holds no userinfo
    Origin origin;
};

struct UpstreamTls {
    std::optional<File> ca;                 // none: the system's
    std::optional<Certificate> certificate; // of the gateway as a client
    std::string server_name;                // empty: the endpoint's host
};

struct UpstreamBasic {
    std::string key_id;
    Secret secret;
};
struct UpstreamBearer {
    Secret token;
};
/// A Bearer token in a file, which is read again whenever it changes.
struct UpstreamTokenFile {
    File file;
};
/// A Bearer token that an authorization server issues to the gateway (RFC 6749, 4.4).
struct UpstreamClientCredentials {
    enum class Authentication : std::uint8_t { basic, post };

    std::string token_url;
    Origin origin; // of token_url
    std::string client_id;
    Secret client_secret;
    Authentication authentication = Authentication::basic; // RFC 6749, 2.3.1
    std::string scope;                                     // RFC 6749, 3.3; empty: not sent
    std::string audience;                                  // the same
    std::string resource;                                  // RFC 8707, 2; empty: not sent
    std::optional<File> ca;                                // none: the system's
};
/// The client's own Authorization is passed on.
struct PassedCredential {
    bool also_issued = false; // said explicitly: also where this gateway has issued it
    Origin origin;
};
struct NoCredential {};
/// monostate: the client's own is passed on unless it is of the gateway's file of credentials.
using UpstreamCredential =
    std::variant<std::monostate, PassedCredential, NoCredential, UpstreamBasic, UpstreamBearer,
                 UpstreamTokenFile, UpstreamClientCredentials>;

struct UpstreamTimeouts {
    Duration connect = std::chrono::seconds{3};
    Duration first_byte = std::chrono::seconds{60};
    Duration idle = std::chrono::seconds{30};
    Duration total = std::chrono::seconds{310};
};

/// Of one worker.
struct UpstreamConnections {
    std::uint32_t max = 256;
    std::uint32_t idle = 64; // kept for later; more where more were needed lately; 0: none
    /// Of them, held by one caller at once; none: a quarter, and one at least.
    std::optional<std::uint32_t> per_caller;
    std::uint32_t queue = 1024;
    Duration queue_time = std::chrono::seconds{5};

    [[nodiscard]] std::uint32_t share() const {
        return std::min(per_caller.value_or(std::max(max / 4, 1U)), max);
    }
};

struct Upstream {
    std::string name;
    std::vector<Endpoint> endpoints; // at least one; all with the same path
    std::string host; // the Host field; empty: tls.server_name, else the endpoint's authority
    UpstreamTls tls;
    UpstreamCredential credential;
    std::optional<CallerFields> identity;
    UpstreamTimeouts timeouts;
    UpstreamConnections connections;
    ByteCount response_head{64UL * 1024}; // of the head of a response
    std::uint32_t response_fields = 256;  // in it
    Origin origin;
};

// --- apis

enum class Level : std::uint8_t { enforce, report, off };

struct ResponseCheck {
    Level level = Level::off; // report or off
    double sample = 1.0;      // the part of the responses that is checked, 0 to 1
};

/// What stands in the body of a refusal beside the members of a problem (RFC 9457).
enum class Refusals : std::uint8_t {
    compatible, // error, message and requestId, which clients of the two shipped APIs read
    problem,    // nothing: the request's identifier is the problem's `instance`
};

enum class BodyLogging : std::uint8_t { none, errors, all };

/// Of one operation, instead of those of its contract and upstream.
struct OperationTimeouts {
    std::optional<Duration> connect;
    std::optional<Duration> first_byte;
    std::optional<Duration> idle;
    std::optional<Duration> total;
};

/// Of one operation, instead of those of the access log.
struct OperationBodies {
    std::optional<BodyLogging> requests;
    std::optional<BodyLogging> responses;
};

/// How an upstream reads a list, or an object, whose text could be two of them.
enum class Lists : std::uint8_t { both, strict, decoded };

/// Whether a request that may have reached the upstream is sent again.
enum class Retry : std::uint8_t { safe, never };

/// What an API says of some operations of its contract. Of several rules that say the same of an
/// operation the last one applies.
struct OperationRule {
    // Which operations: those that fit all that is here, of which there is at least one.
    std::optional<std::string> operation; // operationId
    std::optional<std::string> tag;
    std::optional<std::string> method; // in capital letters
    std::optional<std::string> path;   // of the contract; with `/*` at its end all below it

    std::optional<std::string> rule; // rule_pointer of what `level` is of; none: all of it
    std::optional<Level> level;
    AuthenticatorSets authenticate;      // empty: as the API
    std::optional<std::size_t> upstream; // index into Config::upstreams
    std::optional<ByteCount> body_limit;
    yaml::Mark body_limit_mark;
    OperationTimeouts timeouts;
    std::optional<Retry> retry;
    std::optional<Lists> lists;
    OperationBodies log_bodies;
    Origin origin;
};

/// Of the path that goes to the upstream; without a slash at its end, may be empty.
struct UpstreamPath {
    std::string strip_prefix;    // not passed on; every path of the API begins with it
    std::string upstream_prefix; // in its place, or before the path
    Origin strip_origin;
};

struct PathPrefix {
    std::string path; // `/blob/`: everything below it; without a slash at the end exactly this path
    Origin origin;
};

enum class TrailingSlash : std::uint8_t { refuse, same };
/// Whether `%2F` in the value of a path parameter, or `//` below one of `paths`, reaches the upstream.
enum class EncodedSlashes : std::uint8_t { refuse, pass };
enum class EmptySegments : std::uint8_t { refuse, pass };
/// Whether the paths of an API without a contract may lie below those of contracts.
enum class Fallback : std::uint8_t { no, yes };
enum class UnknownOperations : std::uint8_t { refuse, forward };
/// What happens to a contract that is valid and cannot be enforced as a whole.
enum class Unsupported : std::uint8_t { refuse, unchecked };
enum class SecurityHeaders : std::uint8_t { off, on };
/// Whether `security` of the contract says who may call its operations.
enum class ContractSecurity : std::uint8_t { ignore, use };

struct Api {
    std::string name;
    std::optional<File> contract;     // a contract, or paths, or both
    std::vector<PathPrefix> paths;    // as `mount` has them below it
    std::vector<std::string> methods; // of these paths; empty where there are none
    bool upgrades_to_websocket = false; // each of these paths
    std::size_t upstream = 0;         // index into Config::upstreams
    AuthenticatorSets authenticate;   // at least one
    std::vector<std::pair<std::string_view, Opaque>> settings; // that it has of them, by name
    std::vector<std::string> hosts; // lower case, without port, or `*.` and one; empty: any
    std::string mount; // all its paths are below it; without a slash at its end, may be empty
    Fallback fallback = Fallback::no;
    text::AddressRules addresses; // of clients
    std::optional<File> schemas;    // folder with what the contract's $ref lead to
    std::vector<File> overlays;     // applied to the contract, in this order
    /// A folder around the contract, inside which the paths of its `$ref` stay; none: its own.
    std::optional<File> contract_folder;
    Unsupported unsupported = Unsupported::refuse;
    Level requests = Level::enforce;
    Level read_only = Level::off; // members that the contract marks readOnly, in requests
    ResponseCheck responses;
    std::vector<OperationRule> rules;
    bool forward_cookies = false;
    Refusals refusals = Refusals::compatible;
    Lists lists = Lists::both;
    TrailingSlash trailing_slash = TrailingSlash::refuse; // whether /a/ is /a, and /a is /a/
    EncodedSlashes encoded_slashes = EncodedSlashes::refuse;
    EmptySegments empty_segments = EmptySegments::refuse;
    UnknownOperations unknown_operations = UnknownOperations::refuse; // that no contract has
    UpstreamPath upstream_path;
    Headers headers;
    SecurityHeaders security_headers = SecurityHeaders::off;
    std::optional<CallerFields> identity;     // none: that of the upstream
    std::optional<Cors> cors;                 // none: nothing is said to browsers
    std::optional<WebSocket> websocket;       // none: as x-upgrade of the contract has it
    std::optional<ContractSecurity> security; // none: `ignore`, and `check` says where it matters
    Origin origin;
};

// --- the rest

struct Credentials {
    std::optional<File> file;     // there where an API authenticates
    std::optional<File> htpasswd; // more callers: users with passwords
    std::optional<File> denied;   // secrets that are refused, by their digests
};

struct LoggedBodies {
    BodyLogging requests = BodyLogging::none;
    BodyLogging responses = BodyLogging::none;
    ByteCount limit = kibibytes(16);
};

struct StandardOutput {};
struct StandardError {};
using LogOutput = std::variant<StandardOutput, StandardError, File>;

enum class WhenLogIsFull : std::uint8_t { drop, refuse };

struct AccessLog {
    LogOutput output;
    LoggedBodies bodies;
    ByteCount buffer = mebibytes(8); // of each worker
    WhenLogIsFull when_full = WhenLogIsFull::drop;
};

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { info, warning, error };

/// The gateway's own log, on standard error.
struct ControlLogging {
    LogFormat format = LogFormat::text;
    LogLevel level = LogLevel::info; // what is less severe is not written
};

struct RedactException {
    std::string name;
    Origin origin;
};

struct Redact {
    std::vector<std::string> members; // added to the built-in list and to what the contracts mark
    std::vector<RedactException> except;
};

/// Of each connection of HTTP/2.
struct Http2Limits {
    std::uint32_t streams = 100;             // that are served at once
    ByteCount window = mebibytes(1);         // of a stream, at most
    std::uint32_t patience = 1'000;          // points
    std::uint32_t patience_per_second = 100; // that come back
};

struct Limits {
    ByteCount head = kibibytes(16);
    std::uint32_t fields = 100;
    ByteCount body = mebibytes(1);
    ByteCount buffered_bodies = mebibytes(256);
    std::optional<ByteCount> buffered_bodies_per_caller; // none: an eighth of buffered_bodies
    std::uint32_t json_depth = 64;
    std::uint32_t connections = 20'000;
    std::uint32_t connections_per_address = 2'000;
    std::uint32_t exchanges = 20'000; // over HTTP/2, besides one a connection
    std::uint32_t exchanges_per_address = 2'000;
    std::uint32_t handshakes = 1'000; // of each worker
    std::uint32_t handshakes_per_address = 500;
    std::optional<std::uint32_t> hashing_threads; // none: half of the processors, one at least
    std::uint32_t hashing_queue = 128;            // passwords that wait for them
    Duration handshake = std::chrono::seconds{10};
    Duration head_time = std::chrono::seconds{10};
    Duration body_idle = std::chrono::seconds{30};
    Duration idle = std::chrono::seconds{75};
    Http2Limits http2;

    [[nodiscard]] ByteCount share_of_buffered_bodies() const {
        return buffered_bodies_per_caller.value_or(ByteCount{buffered_bodies.bytes / 8});
    }
};

/// Requests with wrong credentials: what a client may send of them.
struct FailedAuthentication {
    std::uint32_t per_address = 300; // within `window`
    std::uint32_t per_id = 100;      // the same, of passwords: NIST SP 800-63B, 5.2.2
    Duration window = std::chrono::minutes{1};
    Duration first_block = std::chrono::seconds{1};
    Duration longest_block = std::chrono::minutes{15};
    std::vector<text::Network> except = loopback_networks();

    /// Of this machine: RFC 1122, 3.2.1.3; RFC 4291, 2.5.3.
    [[nodiscard]] static std::vector<text::Network> loopback_networks() {
        return {text::parse_network("127.0.0.0/8").network, text::parse_network("::1").network};
    }
};

/// When what changed on disk is read again.
enum class Reload : std::uint8_t { automatic, on_signal };

struct Config {
    std::vector<Listener> listeners;      // at least one
    std::optional<Admin> admin;           // none: there is no such listener
    std::optional<std::uint32_t> workers; // none: `auto`, one a processor
    Credentials credentials;
    std::vector<Upstream> upstreams; // in the order of the file
    std::vector<Api> apis;           // at least one, in the order of the file
    AccessLog access_log;
    ControlLogging log;
    Redact redact;
    Limits limits;
    FailedAuthentication failed_authentication;
    Duration drain = std::chrono::seconds{30};
    Duration drain_delay = std::chrono::seconds{0}; // between "not ready" and the drain
    Reload reload = Reload::automatic;
};

} // namespace sallyport::config
