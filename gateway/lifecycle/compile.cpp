// Configuration to snapshot: opens what it names, and finds every problem that is left.
#include "gateway/lifecycle/compile.h"

#include "config/load.h"

#include <utility>

namespace sallyport::lifecycle {

namespace {

void append(config::yaml::Problems& problems, config::yaml::Problems const& more) {
    problems.insert(problems.end(), more.begin(), more.end());
}

http::Http1Limits http1_limits(config::Limits const& limits) {
    http::Http1Limits http1;
    http1.head.head = limits.head.bytes;
    http1.head.fields = limits.fields;
    http1.head_time = limits.head_time;
    http1.idle = limits.idle;
    http1.body_idle = limits.body_idle;
    return http1;
}

} // namespace

Compiled load(std::string const& path, Keepsakes const& keepsakes) {
    auto read = config::load_config(path);
    Compiled compiled{nullptr, std::move(read.problems)};
    auto const finish = [&] {
        config::yaml::sort_by_place(compiled.problems);
        return std::move(compiled);
    };
    // What a broken configuration names need not exist: only its own problems are worth reading.
    if (config::yaml::has_errors(compiled.problems)) return finish();

    auto snapshot = std::make_shared<Snapshot>();
    snapshot->generation = keepsakes.generation;
    snapshot->config = std::move(read.config);
    auto const& config = snapshot->config;
    snapshot->http1 = http1_limits(config.limits);

    auto const read_credentials = config::load_credentials(config);
    append(compiled.problems, read_credentials.problems);
    for (std::string const& member : config.redact.members)
        snapshot->redaction.add(member);

    auto apis = compile::apis(config, snapshot->redaction, compiled.problems);
    snapshot->credentials =
        compile::credentials(read_credentials.credentials, apis, compiled.problems);
    snapshot->listeners = compile::listeners(config, keepsakes.ticket_keys, compiled.problems);
    snapshot->upstreams = compile::upstreams(config, compiled.problems);
    if (config::yaml::has_errors(compiled.problems)) return finish();

    std::vector<std::unique_ptr<pipeline::Api const>> finished;
    for (auto& api : apis) {
        api->credentials = snapshot->credentials;
        finished.push_back(std::move(api));
    }
    snapshot->apis = pipeline::ApiTable{std::move(finished)};
    compiled.snapshot = std::move(snapshot);
    return finish();
}

} // namespace sallyport::lifecycle
