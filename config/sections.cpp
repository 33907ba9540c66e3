// The whole configuration file, and its small sections: logs, redaction, limits.
#include "config/sections.h"

#include "config/include.h"
#include "config/patterns.h"
#include "config/text.h"

#include <algorithm>

namespace sallyport::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void read_workers(Reader& reader, Value const& value, Config& out) {
    constexpr std::int64_t most = 256;
    bool const is_word =
        value.node->is_string() && value.node->text().find("${") == std::string::npos;
    if (is_word && value.node->text() != "auto") {
        reader.refuse(value, Reader::shown(value) + " is not known here",
                      "write auto, or a number from 1 to 256");
    }
    if (is_word) return;
    if (auto const count = reader.read_integer(value, 1, most)) {
        out.workers = static_cast<std::uint32_t>(*count);
    }
}

Section<Credentials> const& credentials_key_section() {
    static Section<Credentials> const section{
        "credentials",
        {file_key("file", &Credentials::file, "the file of the callers' credentials")
             .required("file: credentials.yaml"),
         file_key("htpasswd", &Credentials::htpasswd,
                  "a file of users and hashes of their passwords, as htpasswd(1) writes it; what "
                  "they may do stands under htpasswd of the former"),
         file_key("denied", &Credentials::denied,
                  "a file of hashes of secrets that are refused, a line each; in force within a "
                  "second of a change, without a reload")}};
    return section;
}

void read_output(Reader& reader, Value const& value, AccessLog& out) {
    auto const text = reader.read_line(value, 4096);
    if (!text) return;
    if (*text == "stdout") {
        out.output = StandardOutput{};
    } else if (*text == "stderr") {
        out.output = StandardError{};
    } else if (text->find_first_of("/.") == std::string::npos) {
        // A file called `off` or `syslog` is hardly what was meant.
        reader.refuse(value, Reader::shown(value) + " is not known here",
                      "write stdout, stderr or a path such as ./access.log");
    } else if (auto file = reader.read_file(value)) {
        out.output = std::move(*file);
    }
}

} // namespace

std::vector<Word<BodyLogging>> const& body_logging_words() {
    static std::vector<Word<BodyLogging>> const words{
        {"none", BodyLogging::none}, {"errors", BodyLogging::errors}, {"all", BodyLogging::all}};
    return words;
}

namespace {

Section<LoggedBodies> const& bodies_section() {
    auto const& words = body_logging_words();
    static Section<LoggedBodies> const section{
        "bodies",
        {
            word_key("requests", &LoggedBodies::requests, words,
                     "which request bodies are logged, redacted: of refused or failed exchanges, "
                     "or all"),
            word_key("responses", &LoggedBodies::responses, words, "the same for responses"),
            // observe::longest_logged_body: more would have no effect.
            size_key("limit", &LoggedBodies::limit, ByteCount{0}, kibibytes(64),
                     "a longer body is logged as its size alone"),
        }};
    return section;
}

Section<AccessLog> const& access_log_section() {
    KeyInfo output{
        "output",
        either_shape(word_shape({{"stdout"}, {"stderr"}}), file_shape(evident_path_pattern())),
        "stdout, stderr or a path; a file is made with mode 0640", "stdout"};
    std::vector<Word<WhenLogIsFull>> const words{{"drop", WhenLogIsFull::drop},
                                                 {"refuse", WhenLogIsFull::refuse}};
    static Section<AccessLog> const section{
        "access_log",
        {
            custom_key<AccessLog>(std::move(output), read_output),
            section_key("bodies", &AccessLog::bodies, bodies_section(), "bodies in the log"),
            size_key("buffer", &AccessLog::buffer, mebibytes(1), gibibytes(1),
                     "for lines of one worker that wait to be written; rounded up to a power of "
                     "two; takes memory only as far as lines wait"),
            word_key("when_full", &AccessLog::when_full, words,
                     "drop: lines are lost and counted; refuse: no request is forwarded whose line "
                     "has no place (503, overloaded)"),
        }};
    return section;
}

Section<ControlLogging> const& log_section() {
    std::vector<Word<LogFormat>> const formats{{"text", LogFormat::text},
                                               {"json", LogFormat::json}};
    std::vector<Word<LogLevel>> const levels{
        {"info", LogLevel::info}, {"warning", LogLevel::warning}, {"error", LogLevel::error}};
    static Section<ControlLogging> const section{
        "log",
        {
            word_key("format", &ControlLogging::format, formats,
                     "of a line: text, or one JSON object"),
            word_key("level", &ControlLogging::level, levels, "what is less severe is not written"),
        }};
    return section;
}

void read_members(Reader& reader, Value const& value, Redact& out) {
    for (Value const& item : reader.read_list(value, Empty::allowed)) {
        if (auto name = reader.read_line(item, 256)) out.members.push_back(std::move(*name));
    }
}

void read_exceptions(Reader& reader, Value const& value, Redact& out) {
    for (Value const& item : reader.read_list(value, Empty::allowed)) {
        if (auto name = reader.read_line(item, 256))
            out.except.push_back({std::move(*name), Reader::origin_of(item)});
    }
}

Section<Redact> const& redact_section() {
    KeyInfo members{
        "members", list_shape(text_shape(256)),
        "names of secret properties, added to the built-in ones and those that contracts "
        "mark; also found as whole words of longer names; letter case, '_' and '-' do "
        "not matter",
        "[]"};
    KeyInfo except{"except", list_shape(text_shape(256)),
                   "names that are no secrets though they have the name of one as whole words, "
                   "such as tokenCount; added to the built-in ones",
                   "[]"};
    static Section<Redact> const section{"redact",
                                         {custom_key<Redact>(std::move(members), read_members),
                                          custom_key<Redact>(std::move(except), read_exceptions)}};
    return section;
}

Section<Http2Limits> const& http2_section() {
    using T = Http2Limits;
    static Section<T> const section{
        "http2",
        {
            integer_key("streams", &T::streams, 1, 1'000, "requests that it has at once"),
            size_key("window", &T::window, kibibytes(64), mebibytes(16),
                     "of a request body, the most that its client may send before it is read"),
            integer_key("patience", &T::patience, 100, 1'000'000,
                        "points for what costs the gateway more than the client: resets, pings, "
                        "settings, tiny frames; without any left the connection ends (flooded)"),
            integer_key("patience_per_second", &T::patience_per_second, 1, 1'000'000,
                        "points that come back"),
        }};
    return section;
}

Section<Limits> const& limits_section() {
    using T = Limits;
    static Section<T> const section{
        "limits",
        {
            size_key("head", &T::head, kibibytes(1), mebibytes(1),
                     "head of a request; one line of it has 64 KiB at most"),
            integer_key("fields", &T::fields, 1, 256, "fields of a head"),
            size_key("body", &T::body, ByteCount{0}, gibibytes(1024),
                     "body of a request, where the contract has no limit of its own"),
            size_key("buffered_bodies", &T::buffered_bodies, mebibytes(1), gibibytes(1024),
                     "all bodies held in memory at once"),
            size_key("buffered_bodies_per_caller", &T::buffered_bodies_per_caller, kibibytes(64),
                     gibibytes(1024),
                     "of them, the share of one caller, beyond which others come first; "
                     "without it an eighth of buffered_bodies"),
            integer_key("json_depth", &T::json_depth, 1, 1024, "nesting of a JSON body"),
            integer_key("connections", &T::connections, 1, 10'000'000, "of clients, all together"),
            integer_key("connections_per_address", &T::connections_per_address, 1, 10'000'000,
                        "of clients at one IPv4 address, or in one IPv6 network of 64 bits"),
            integer_key("exchanges", &T::exchanges, 1, 10'000'000,
                        "requests at once over HTTP/2, besides one of each connection"),
            integer_key("exchanges_per_address", &T::exchanges_per_address, 1, 10'000'000,
                        "of them those of one address, counted as above"),
            integer_key("handshakes", &T::handshakes, 1, 10'000'000,
                        "TLS handshakes that each worker has under way"),
            integer_key("handshakes_per_address", &T::handshakes_per_address, 1, 10'000'000,
                        "of them with clients at one address, counted as above"),
            integer_key("hashing_threads", &T::hashing_threads, 1, 256,
                        "that verify passwords against slow hashes, and signatures of tokens by "
                        "costly keys; without it half of the processors, and one at least"),
            integer_key("hashing_queue", &T::hashing_queue, 1, 100'000,
                        "credentials that wait for these threads, each for head_time at most; "
                        "beyond it requests are refused (429, rate_limited)"),
            duration_key("handshake", &T::handshake, milliseconds{1}, hours{1},
                         "for the TLS handshake"),
            duration_key("head_time", &T::head_time, milliseconds{1}, hours{1},
                         "from the first byte of a head to its end"),
            duration_key("body_idle", &T::body_idle, milliseconds{1}, hours{1},
                         "without a byte of a body"),
            duration_key("idle", &T::idle, milliseconds{1}, hours{24},
                         "between two requests on one connection"),
            section_key("http2", &T::http2, http2_section(), "of each connection of HTTP/2"),
        }};
    return section;
}

std::vector<Key<Config>> config_keys(Section<ApiDraft> const& api, Authenticators authenticators) {
    KeyInfo listeners{"listeners", list_shape(section_shape(listener_info()), 1),
                      "where clients come in"};
    KeyInfo admin{"admin", section_shape(admin_info()),
                  "where health, status and metrics are served; without it nowhere"};
    KeyInfo workers{"workers",
                    either_shape(literal_shape("auto"), Shape{ShapeKind::integer, 1, 256}),
                    "threads that serve; auto: one for each processor", "auto"};
    KeyInfo upstreams{"upstreams", named_shape(section_shape(upstream_info()), 1, name_pattern()),
                      "the services behind the gateway, by name"};
    KeyInfo apis{"apis", named_shape(section_shape(api.info()), 1, name_pattern()),
                 "what is let through, by name"};

    std::vector<Key<Config>> keys;
    // Only its form: load_config() joins the files.
    keys.push_back(
        custom_key<Config>(include_info(), [](Reader& reader, Value const& value, Config&) {
            static_cast<void>(read_includes(reader, value));
        }));
    keys.push_back(custom_key<Config>(std::move(listeners), read_listeners)
                       .required("listeners: [{ name: public, address: 0.0.0.0:8443, tls: ... }]"));
    keys.push_back(custom_key<Config>(std::move(admin), read_admin));
    keys.push_back(custom_key<Config>(std::move(workers), read_workers));
    keys.push_back(section_key("credentials", &Config::credentials, credentials_key_section(),
                               "who may call; needed as soon as an API authenticates"));
    // Before the APIs, which name them.
    keys.push_back(custom_key<Config>(std::move(upstreams), read_upstreams)
                       .required("upstreams: { NAME: { endpoints: [...] } }"));
    keys.push_back(
        custom_key<Config>(std::move(apis),
                           [&api, authenticators](Reader& reader, Value const& value, Config& out) {
                               read_apis(reader, value, api, authenticators, out);
                           })
            .required("apis: { NAME: { contract: FILE, upstream: NAME, "
                      + example_of_authenticate(authenticators) + " } }"));
    keys.push_back(
        section_key("access_log", &Config::access_log, access_log_section(), "one line a request"));
    keys.push_back(section_key("log", &Config::log, log_section(),
                               "the gateway's own log, on standard error"));
    keys.push_back(
        section_key("redact", &Config::redact, redact_section(), "what never stands in a log"));
    keys.push_back(section_key("limits", &Config::limits, limits_section(),
                               "what one client, or all, may ask of the gateway"));
    keys.push_back(section_key("failed_authentication", &Config::failed_authentication,
                               failed_authentication_section(),
                               "what a client may send of wrong credentials"));
    keys.push_back(duration_key("drain", &Config::drain, milliseconds{0}, hours{1},
                                "for requests that run when the gateway is told to end, or when a "
                                "reload removes their listener"));
    keys.push_back(duration_key("drain_delay", &Config::drain_delay, milliseconds{0}, hours{1},
                                "how long, once /readyz says no, connections are still accepted: "
                                "for load balancers that look only now and then"));
    keys.push_back(word_key<Config, Reload>(
        "reload", &Config::reload,
        {{"automatic", Reload::automatic}, {"on_signal", Reload::on_signal}},
        "when changed files are read: as soon as they are whole, or only when told to"));
    return keys;
}

std::string does_not_fit(ByteCount body, Limits const& limits) {
    return "a body of " + format_size(body) + " does not fit into buffered_bodies, "
           + format_size(limits.buffered_bodies);
}

void check_budget(Reader& reader, yaml::Node const& root, Limits const& limits) {
    if (limits.body <= limits.buffered_bodies) return;
    if (reader.has_left_open("limits.body") || reader.has_left_open("limits.buffered_bodies"))
        return;
    yaml::Node const* const node = root.find("limits");
    if (node == nullptr) return;
    // One of the two stands there: the defaults agree with each other.
    yaml::Node const* const written =
        node->find("body") != nullptr ? node->find("body") : node->find("buffered_bodies");
    reader.refuse(Origin{written != nullptr ? written->mark() : node->mark(), "limits.body"},
                  does_not_fit(limits.body, limits), "write a larger buffered_bodies");
}

void check_budget_of_rules(Reader& reader, Config const& config) {
    if (reader.has_left_open("limits.buffered_bodies")) return;
    for (auto const& api : config.apis) {
        for (auto const& rule : api.rules) {
            if (!rule.body_limit || *rule.body_limit <= config.limits.buffered_bodies) continue;
            reader.refuse(
                Origin{rule.body_limit_mark, yaml::join_key(rule.origin.path, "body_limit")},
                does_not_fit(*rule.body_limit, config.limits), "write a larger buffered_bodies");
        }
    }
}

// Whether callers of the API have entries in the file of credentials, or roles of it.
bool needs_credentials(Api const& api, Authenticators authenticators) {
    return any_named(authenticators, api.authenticate, [](auto const& one) {
        bool const has_roles = one.api && one.api->refers_to != nullptr;
        return has_roles || one.identity.has_value();
    });
}

void check_credentials(Reader& reader, yaml::Node const& root, Authenticators authenticators,
                       Config const& config) {
    if (root.find("credentials") != nullptr) return;
    for (Api const& api : config.apis) {
        if (!needs_credentials(api, authenticators)) continue;
        reader.refuse(Origin{root.mark(), "credentials"},
                      "is missing, and the API " + in_quotes(api.name) + " authenticates",
                      "write credentials: { file: credentials.yaml }");
        return;
    }
}

void check_admin(Reader& reader, Config const& config) {
    if (!config.admin || reader.has_left_open("admin.address")) return;
    for (Listener const& listener : config.listeners) {
        if (!is_same_place(listener.address, config.admin->address)) continue;
        reader.refuse(config.admin->address_origin,
                      "the listener " + in_quotes(listener.name) + " has this address too",
                      "choose another");
    }
}

} // namespace

std::unique_ptr<Section<Config> const> make_config_section(Section<ApiDraft> const& api,
                                                           Authenticators authenticators) {
    return std::make_unique<Section<Config> const>(
        "configuration", config_keys(api, authenticators), SectionRules{.others_have = "include"});
}

void check_whole(Reader& reader, yaml::Node const& root, Authenticators authenticators,
                 Config const& config) {
    check_budget(reader, root, config.limits);
    check_failed_authentication(reader, root, config);
    check_budget_of_rules(reader, config);
    check_credentials(reader, root, authenticators, config);
    check_admin(reader, config);
}

} // namespace sallyport::config
