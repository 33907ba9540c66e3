// Compiles a configuration to a snapshot: opens the files that it names, and finds all remaining
// problems.
#include "gateway/lifecycle/compile.h"

#include "config/load.h"
#include "config/tables.h"
#include "config/text.h"
#include "gateway/lifecycle/denied_watch.h"
#include "gateway/lifecycle/writers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <variant>

namespace sallyport::lifecycle {

namespace {

void append(config::yaml::Problems& problems, config::yaml::Problems const& more) {
    problems.insert(problems.end(), more.begin(), more.end());
}

// The files and folders that a configuration names. Those of `${file:...}` are recorded when they
// are read.
std::vector<config::File> find_named_files(config::Config const& config,
                                           config::Authenticators authenticators) {
    std::vector<config::File> files;
    auto const add = [&files](std::optional<config::File> const& file) {
        if (file && !file->path.empty()) files.push_back(*file);
    };
    auto const add_key = [&add](std::optional<config::CallerFields> const& told) {
        if (told && told->assertion) add(told->assertion->key);
    };
    add(config.credentials.file);
    add(config.credentials.htpasswd);
    for (auto const& listener : config.listeners) {
        if (!listener.tls) continue;
        for (auto const& certificate : listener.tls->certificates) {
            add(certificate.certificate);
            add(certificate.private_key);
        }
        add(listener.tls->client_certificates.ca);
        add(listener.tls->client_certificates.crl);
    }
    for (auto const& upstream : config.upstreams) {
        add(upstream.tls.ca);
        add_key(upstream.identity);
        if (!upstream.tls.certificate) continue;
        add(upstream.tls.certificate->certificate);
        add(upstream.tls.certificate->private_key);
    }
    for (auto const& api : config.apis) {
        add(api.contract);
        add(api.schemas);
        add_key(api.identity);
        files.insert(files.end(), api.overlays.begin(), api.overlays.end());
        for (auto const& [of, settings] : api.settings)
            for (auto const& file : config::referred_of(of, settings, authenticators).files)
                add(file);
    }
    return files;
}

void add_files(config::Config const& config, std::vector<config::File> const& named,
               std::vector<std::string>& files) {
    for (auto const& file : named)
        files.push_back(file.path);
    for (auto const& api : config.apis)
        if (api.schemas) add_folder(api.schemas->path, files);
}

// Resolves as the system does, and records the files.
config::Resolver noting_resolver(std::vector<std::string>& files) {
    auto resolver = config::system_resolver();
    resolver.file = [read = std::move(resolver.file), &files](std::string const& path) {
        files.push_back(path);
        return read(path);
    };
    return resolver;
}

void sort_unique(std::vector<std::string>& files) {
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
}

// A running gateway has its log open, and can be told of other changes.
void look_for_log_folder(config::Config const& config, Compiled& compiled) {
    auto const* const file = std::get_if<config::File>(&config.access_log.output);
    if (file == nullptr) return;
    auto const parent = std::filesystem::path{file->path}.parent_path();
    auto const folder = parent.empty() ? std::string{"."} : parent.string();
    std::error_code ignored;
    auto const report = [&](std::string what, std::string hint) {
        compiled.obstacles.push_back(
            config::problem_at(file->origin, std::move(what), std::move(hint)));
    };
    if (!std::filesystem::is_directory(folder, ignored)) {
        report("there is no folder " + config::in_quotes(folder),
               "make it: the gateway does not start without its log");
    } else if (std::filesystem::is_directory(file->path, ignored)) {
        report(config::in_quotes(file->path) + " is a folder", "write the path of a file");
    } else {
        bool const is_there = std::filesystem::exists(file->path, ignored);
        auto const& written = is_there ? file->path : folder;
        if (::faccessat(AT_FDCWD, written.c_str(), is_there ? W_OK : W_OK | X_OK, AT_EACCESS) == 0)
            return;
        report(config::in_quotes(written) + " cannot be written: " + std::strerror(errno),
               "let the user of the gateway write there: it does not start without its log");
    }
}

// A file written in place is truncated at an arbitrary byte until it is closed, and may have
// another meaning there: an entry without its line of expiry.
void refuse_unfinished(Compiled& compiled) {
    for (auto const& path : compiled.files) {
        if (writers_of(path) != Writers::some) continue;
        compiled.unfinished.push_back(path);
        compiled.problems.push_back(unfinished_file(
            compiled, path, "is still being written: a program has it open for writing"));
    }
    if (!compiled.unfinished.empty()) compiled.snapshot.reset();
}

http::ConnectionLimits connection_limits(config::Limits const& limits) {
    http::ConnectionLimits connections;
    connections.head.head = limits.head.bytes;
    connections.head.fields = limits.fields;
    connections.head_time = limits.head_time;
    connections.idle = limits.idle;
    connections.body_idle = limits.body_idle;
    return connections;
}

// Opens all files that the configuration names, and compiles it; returns the problems, and keeps
// the credentials. `compiled` has the problems of the configuration.
config::yaml::Problems
compile_all(Snapshot& snapshot, std::vector<std::unique_ptr<pipeline::Api>>& apis,
            Compiled& compiled, config::Tables const& tables, config::Resolver const& resolver,
            CarriedOver const& carried_over, std::vector<std::string>& files) {
    auto const& config = snapshot.config;
    auto const& refused = compiled.problems;
    compile::Read const read{config, refused, tables.authenticators(),
                             carried_over.contracts.get()};
    auto read_credentials = config::load_credentials(config, tables, resolver);
    auto problems = read_credentials.problems;
    for (std::string const& member : config.redact.members)
        snapshot.redaction.add(member);
    for (auto const& except : config.redact.except)
        snapshot.redaction.add_exception(except.name);

    apis = compile::apis(read, {snapshot.redaction, files, problems});
    if (read.contracts != nullptr) read.contracts->forget_unused();
    compile::check_exceptions(config, snapshot.redaction, problems);
    auto const table_before = carried_over.credentials.lock();
    auto before = table_before ? CredentialsBefore{*table_before} : CredentialsBefore{};
    snapshot.credentials = compile::credentials(read, read_credentials.credentials, apis, problems,
                                                before, carried_over.compared);
    compiled.changes = std::move(before).changes_to(*snapshot.credentials);
    if (!read_credentials.has_errors())
        compile::roles(read, read_credentials.roles, apis, problems);
    compile::settings(read, apis, carried_over, problems);
    // Only whether it can be read: the list itself changes between reloads (DeniedWatch), and one
    // with an error leaves that in force.
    if (auto const& denied = config.credentials.denied) {
        auto const loaded = load_denied(denied->path);
        if (loaded.list == nullptr)
            compiled.obstacles.push_back(config::problem_at(denied->origin, loaded.problem));
    }
    compile::check_client_certificates(read, problems);
    compile::check_certificate_entries(config, read_credentials.credentials, problems);
    compiled.credentials = std::move(read_credentials.credentials);
    snapshot.listeners = compile::listeners(config, carried_over.ticket_keys, problems);
    snapshot.upstreams = compile::upstreams(config, carried_over, problems, compiled.obstacles);
    compile::caller_fields(config, *carried_over.keys, apis, snapshot, problems);
    config::yaml::remove_consequences(problems, refused);
    return problems;
}

} // namespace

void compile::check_exceptions(config::Config const& config,
                               observe::RedactionList const& redaction, Problems& problems) {
    for (auto const& except : config.redact.except) {
        if (!redaction.has_itself(except.name)) continue;
        problems.push_back(config::problem_at(
            except.origin, config::in_quotes(except.name) + " is itself the name of a secret",
            "an exception is a longer name that has the one of a secret in it, such as "
            "tokenCount"));
    }
}

bool compile::Read::has_error_at(std::string_view path) const {
    return std::any_of(refused.begin(), refused.end(), [path](config::yaml::Problem const& one) {
        return one.severity == config::yaml::Severity::error
               && config::yaml::are_nested(one.path, path);
    });
}

config::yaml::Problem unfinished_file(Compiled const& compiled, std::string const& path,
                                      std::string what) {
    std::string hint{"write another file beside it, and rename that into its place"};
    auto const names_it = [&path](config::File const& file) {
        return path == file.path || path.starts_with(file.path + '/');
    };
    for (auto const* files : {&compiled.named_files, &compiled.secret_files}) {
        auto const named = std::find_if(files->begin(), files->end(), names_it);
        if (named == files->end()) continue;
        return config::problem_at(named->origin, path + ": " + what, std::move(hint));
    }
    return {{config::yaml::intern_file_name(path)},
            {},
            std::move(what),
            std::move(hint),
            config::yaml::Severity::error};
}

namespace {

// What requests of the API may have in their paths: a `;`, where find_operation() decides, and what
// the API lets pass.
void note_spellings(pipeline::Api const& api, http::PathSpellings& spellings) {
    auto const takes_semicolons = [&api] {
        auto const& operations = api.contract->operations();
        return std::any_of(operations.begin(), operations.end(), contract::has_matrix_parameter);
    };
    if (api.contract && takes_semicolons()) spellings.semicolons = http::Spelling::noted;
    if (api.encoded_slashes == pipeline::EncodedSlashes::pass)
        spellings.encoded_slashes = http::Spelling::noted;
    if (api.empty_segments == pipeline::EmptySegments::pass)
        spellings.empty_segments = http::Spelling::noted;
}

} // namespace

void compile::put_in_order(Problems& problems) {
    config::yaml::sort_by_place(problems);
    auto const is_same = [](config::yaml::Problem const& one, config::yaml::Problem const& other) {
        return one.where.line == other.where.line && one.where.column == other.where.column
               && one.where.file_name() == other.where.file_name() && one.path == other.path
               && one.what == other.what;
    };
    problems.erase(std::unique(problems.begin(), problems.end(), is_same), problems.end());
}

Compiled load(std::string const& path, config::Tables const& tables,
              CarriedOver const& carried_over) {
    std::vector<std::string> files{path};
    auto const resolver = noting_resolver(files);
    auto read = config::load_config(path, tables, resolver);
    Compiled compiled;
    compiled.problems = std::move(read.problems);
    compiled.secret_files = std::move(read.secret_files);
    auto const finish = [&] {
        sort_unique(files);
        compiled.files = std::move(files);
        refuse_unfinished(compiled);
        compile::put_in_order(compiled.problems);
        return std::move(compiled);
    };
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->generation = carried_over.generation;
    snapshot->config = std::move(read.config);
    auto const& config = snapshot->config;
    snapshot->connections = connection_limits(config.limits);

    compiled.named_files = find_named_files(config, tables.authenticators());
    compiled.named_files.insert(compiled.named_files.end(), read.included_files.begin(),
                                read.included_files.end());
    add_files(config, compiled.named_files, files);
    for (auto const& api : config.apis)
        for (auto const& [of, settings] : api.settings)
            for (auto const& file :
                 config::referred_of(of, settings, tables.authenticators()).secret_files)
                compiled.secret_files.push_back(file);
    // Even if the configuration has errors: its author needs the complete list of problems.
    std::vector<std::unique_ptr<pipeline::Api>> apis;
    append(compiled.problems,
           compile_all(*snapshot, apis, compiled, tables, resolver, carried_over, files));
    look_for_log_folder(config, compiled);
    if (config::yaml::has_errors(compiled.problems)) return finish();

    std::vector<std::unique_ptr<pipeline::Api const>> finished;
    for (auto& api : apis) {
        note_spellings(*api, snapshot->connections.head.path);
        api->credentials = snapshot->credentials;
        finished.push_back(std::move(api));
    }
    snapshot->apis = pipeline::ApiTable{std::move(finished)};
    sort_unique(files);
    snapshot->files = files;
    compiled.snapshot = std::move(snapshot);
    return finish();
}

} // namespace sallyport::lifecycle
