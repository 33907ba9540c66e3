// Compiles the listeners and upstreams of a configuration: certificates, keys, trust, and the
// upstreams' own credentials.
#include "gateway/lifecycle/compile.h"

#include "config/text.h"
#include "gateway/http/authorization.h"
#include "gateway/lifecycle/issued_token.h"
#include "gateway/lifecycle/token_watch.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::lifecycle::compile {

namespace {

using config::yaml::Severity;

// Adds each problem at the key of the configuration that names the file. `files`: indexed by the
// numbers of their sources.
void add(std::vector<net::TlsProblem> const& found, config::Origin const& fallback,
         std::vector<config::File const*> const& files, Problems& problems) {
    for (auto const& problem : found) {
        bool const is_error = problem.severity == net::TlsProblem::Severity::error;
        bool const is_of_file = !problem.file.empty() && problem.source < files.size();
        problems.push_back(config::problem_at(
            is_of_file ? files[problem.source]->origin : fallback,
            problem.file.empty() ? problem.text : problem.file.string() + ": " + problem.text,
            problem.hint, is_error ? Severity::error : Severity::warning));
    }
}

// A source whose number is its index among the files.
net::PemSource pem(config::File const& file, std::vector<config::File const*>& files) {
    files.push_back(&file);
    return {file.path, std::nullopt, files.size() - 1};
}

constexpr std::size_t largest_pem = 4 * 1024 * 1024;

std::string authority_of(config::Endpoint const& endpoint) {
    if (endpoint.scheme == config::Scheme::unix_socket) return "localhost";
    bool const is_ipv6 = endpoint.host.find(':') != std::string::npos;
    auto const standard_port = endpoint.scheme == config::Scheme::https ? 443 : 80;
    auto text = is_ipv6 ? "[" + endpoint.host + "]" : endpoint.host;
    if (endpoint.port != standard_port) text += ":" + std::to_string(endpoint.port);
    return text;
}

void set_basic(config::Upstream const& from, config::UpstreamBasic const& basic,
               upstream::Settings& settings, Problems& problems) {
    std::array<char, http::authorization_storage> storage;
    auto const spelled = http::spell_basic(basic.key_id, basic.secret.reveal(), storage);
    if (spelled) {
        settings.authorization.emplace(*spelled);
    } else {
        problems.push_back(config::problem_at(
            from.origin, "its basic credential cannot be sent (RFC 7617)",
            "write a key_id without a colon, and no control characters in either part"));
    }
    OPENSSL_cleanse(storage.data(), storage.size());
}

// The token that the running gateway sends, of the same upstream and file; null: there is none.
std::shared_ptr<upstream::RenewedSecret> running_token(std::string const& upstream,
                                                       std::string const& file,
                                                       CarriedOver const& carried_over) {
    auto const running = carried_over.running.lock();
    if (running == nullptr) return nullptr;
    for (auto const& one : running->upstreams) {
        auto const* const from = std::get_if<config::UpstreamTokenFile>(&one.config->credential);
        if (one.config->name == upstream && from != nullptr && from->file.path == file)
            return one.settings.renewed;
    }
    return nullptr;
}

void set_token_file(config::Upstream const& from, config::File const& file,
                    upstream::Settings& settings, CarriedOver const& carried_over,
                    Problems& obstacles) {
    auto loaded = load_token(file.path);
    if (loaded.authorization) {
        settings.renewed =
            std::make_shared<upstream::ReplacedSecret>(std::move(*loaded.authorization));
    } else {
        settings.renewed = running_token(from.name, file.path, carried_over);
        obstacles.push_back(config::problem_at(file.origin, file.path + ": " + loaded.problem,
                                               "put a file with the token alone in its place"));
    }
}

// As whom requests are sent to the upstream.
void set_credential(config::Upstream const& from, upstream::Settings& settings,
                    CarriedOver const& carried_over, Problems& problems, Problems& obstacles) {
    auto const& credential = from.credential;
    if (auto const* const basic = std::get_if<config::UpstreamBasic>(&credential)) {
        set_basic(from, *basic, settings, problems);
    } else if (auto const* const bearer = std::get_if<config::UpstreamBearer>(&credential)) {
        settings.authorization = bearer_authorization(bearer->token.reveal());
    } else if (auto const* const token = std::get_if<config::UpstreamTokenFile>(&credential)) {
        set_token_file(from, token->file, settings, carried_over, obstacles);
    } else if (auto const* const client =
                   std::get_if<config::UpstreamClientCredentials>(&credential)) {
        settings.renewed = issued_token(*client, carried_over, problems);
    } else if (std::holds_alternative<config::PassedCredential>(credential)) {
        settings.client_credential = upstream::ClientCredential::pass;
    } else if (std::holds_alternative<config::NoCredential>(credential)) {
        settings.client_credential = upstream::ClientCredential::drop;
    }
}

} // namespace

namespace {

std::shared_ptr<pipeline::ProxiedClients const> proxied_clients(config::Listener const& from) {
    if (from.trusted_proxies.empty()) return nullptr;
    auto const& fields = from.forwarded_fields;
    auto proxied = std::make_shared<pipeline::ProxiedClients>();
    proxied->proxies.networks = from.trusted_proxies;
    proxied->proxies.fields = {fields.forwarded, fields.x_forwarded_for, fields.x_forwarded_proto,
                               fields.x_forwarded_host};
    proxied->addresses = from.addresses;
    return proxied;
}

// As ALPN writes them (RFC 7301, 6; RFC 9113, 3.1).
std::vector<std::string> protocols_of(config::Listener const& from) {
    std::vector<std::string> names;
    for (auto const version : from.protocols)
        names.emplace_back(version == config::HttpVersion::http_2 ? "h2" : "http/1.1");
    return names;
}

std::optional<net::ClientCertificateSettings>
client_certificates(config::ListenerTls const& from, std::vector<config::File const*>& files) {
    auto const& clients = from.client_certificates;
    // Without authorities, which was reported when the configuration was read.
    if (clients.verify == config::VerifyClients::none || !clients.ca) return std::nullopt;
    net::ClientCertificateSettings settings;
    settings.verify = clients.verify == config::VerifyClients::required
                          ? net::ClientCertificates::required
                          : net::ClientCertificates::optional;
    settings.ca = pem(*clients.ca, files);
    if (clients.crl) settings.crl = pem(*clients.crl, files);
    return settings;
}

} // namespace

std::vector<Listener> listeners(config::Config const& config,
                                std::shared_ptr<net::TicketKeys> const& ticket_keys,
                                Problems& problems) {
    std::vector<Listener> listeners;
    for (auto const& from : config.listeners) {
        Listener listener{&from, nullptr, proxied_clients(from)};
        if (from.tls) {
            net::ServerTlsSettings settings;
            settings.protocols = protocols_of(from);
            settings.minimum_version = from.tls->minimum_version == config::TlsVersion::tls_1_3
                                           ? net::TlsVersion::tls_1_3
                                           : net::TlsVersion::tls_1_2;
            settings.session_id_context = from.name;
            std::vector<config::File const*> files;
            for (auto const& certificate : from.tls->certificates) {
                // A missing one was reported when the configuration was read; the other is still
                // checked.
                bool const is_empty =
                    certificate.certificate.path.empty() && certificate.private_key.path.empty();
                if (is_empty) continue;
                settings.certificates.push_back(
                    {pem(certificate.certificate, files), pem(certificate.private_key, files)});
            }
            settings.client_certificates = client_certificates(*from.tls, files);
            if (!settings.certificates.empty()) {
                auto made = net::TlsServerContext::make(settings, ticket_keys);
                add(made.problems, from.origin, files, problems);
                listener.tls = std::move(made.context);
            }
        }
        listeners.push_back(std::move(listener));
    }
    return listeners;
}

namespace {

// Changes with everything that a connection to the upstream depends on, including the content of
// its CA file and of the gateway's certificate, which has the public half of its key.
std::string connects_as(config::Upstream const& upstream, std::vector<std::string> const& hosts) {
    std::string text;
    auto const add = [&text](std::string_view part) {
        text += part;
        text += '\n';
    };
    for (auto const& endpoint : upstream.endpoints)
        add(endpoint.text);
    for (auto const& host : hosts)
        add(host);
    add(upstream.tls.server_name);
    if (upstream.tls.ca) add(config::read_file(upstream.tls.ca->path, largest_pem).text);
    if (auto const& shown = upstream.tls.certificate)
        add(config::read_file(shown->certificate.path, largest_pem).text);
    auto const& limits = upstream.connections;
    for (std::uint64_t const number :
         {std::uint64_t{limits.max}, std::uint64_t{limits.idle}, std::uint64_t{limits.queue},
          std::uint64_t{limits.share()}, static_cast<std::uint64_t>(limits.queue_time.count()),
          static_cast<std::uint64_t>(upstream.timeouts.connect.count())})
        add(std::to_string(number));
    return text;
}

} // namespace

std::vector<Upstream> upstreams(config::Config const& config, CarriedOver const& carried_over,
                                Problems& problems, Problems& obstacles) {
    std::vector<Upstream> upstreams;
    for (auto const& from : config.upstreams) {
        Upstream upstream{&from, {}, nullptr, {}, {}};
        upstream.settings.name = from.name;
        upstream.settings.timeouts = {from.timeouts.connect, from.timeouts.first_byte,
                                      from.timeouts.idle, from.timeouts.total};
        upstream.settings.response_head.head = from.response_head.bytes;
        upstream.settings.response_head.fields = from.response_fields;
        set_credential(from, upstream.settings, carried_over, problems, obstacles);
        bool const speaks_tls =
            std::any_of(from.endpoints.begin(), from.endpoints.end(), [](auto const& endpoint) {
                return endpoint.scheme == config::Scheme::https;
            });
        // An authority, or a certificate, without such an endpoint has been rejected, and is still
        // checked.
        if (speaks_tls || from.tls.ca || from.tls.certificate) {
            net::ClientTlsSettings settings;
            std::vector<config::File const*> files;
            if (from.tls.ca) {
                settings.ca = pem(*from.tls.ca, files);
            }
            if (auto const& shown = from.tls.certificate) {
                settings.certificate = {pem(shown->certificate, files),
                                        pem(shown->private_key, files)};
            }
            auto made = net::TlsClientContext::make(settings);
            add(made.problems, from.origin, files, problems);
            upstream.tls = std::move(made.context);
        }
        for (auto const& endpoint : from.endpoints) {
            auto const& named = !from.host.empty() ? from.host : from.tls.server_name;
            upstream.hosts.push_back(named.empty() ? authority_of(endpoint) : named);
        }
        upstream.connects_as = connects_as(from, upstream.hosts);
        upstreams.push_back(std::move(upstream));
    }
    return upstreams;
}

} // namespace sallyport::lifecycle::compile
