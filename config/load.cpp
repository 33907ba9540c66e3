// Reads the configuration and the credentials: see load.h.
#include "config/load.h"

#include "config/htpasswd.h"
#include "config/include.h"
#include "config/tables.h"
#include "config/text.h"

#include <set>
#include <utility>

namespace sallyport::config {

namespace {

// The problems of the document, then those of its content.
void merge(yaml::Problems& into, yaml::Problems const& more) {
    into.insert(into.end(), more.begin(), more.end());
    yaml::sort_by_place(into);
}

yaml::Problem empty_document(yaml::Document const& document) {
    return problem_at(document.root(), {}, "the file is empty",
                      "see config/examples for what to write");
}

ReadConfig read_whole_config(yaml::Document const& document, Folders folders, Tables const& tables,
                             Resolver const& resolver) {
    ReadConfig out;
    out.problems = document.problems();
    if (!document.is_whole()) return out;
    if (document.root().is_null()) {
        out.problems.push_back(empty_document(document));
        return out;
    }
    Reader reader{resolver, std::move(folders)};
    tables.config().read(reader, {&document.root(), {}}, out.config);
    if (document.root().is_mapping())
        check_whole(reader, document.root(), tables.authenticators(), out.config);
    merge(out.problems, reader.take_problems());
    out.left_open = reader.take_left_open();
    out.secret_files = reader.take_secret_files();
    return out;
}

ReadCredentials read_whole_credentials(yaml::Document const& document, std::string const& folder,
                                       std::vector<std::string> const& apis, Tables const& tables,
                                       Resolver const& resolver,
                                       std::vector<std::string> const& of_tokens) {
    ReadCredentials out;
    out.problems = document.problems();
    if (!document.is_whole()) return out;
    if (document.root().is_null()) {
        // Those that it had are taken away.
        out.problems.push_back(empty_document(document));
        out.problems.back().severity = yaml::Severity::warning;
        out.is_empty = true;
        return out;
    }
    Reader reader{resolver, {folder}};
    CredentialsFile file;
    file.names.apis = apis;
    file.names.roles_of_tokens = of_tokens;
    tables.credentials().read(reader, {&document.root(), {}}, file);
    check_credentials_file(reader, document.root(), tables.authenticators(), file);
    merge(out.problems, reader.take_problems());
    out.credentials = std::move(file.credentials);
    out.htpasswd = std::move(file.htpasswd);
    for (DeclaredRole& declared : file.names.roles)
        out.roles.push_back(std::move(declared.role));
    out.left_open = reader.take_left_open();
    return out;
}

ReadConfig read_joined_config(yaml::Document const& document, std::string const& path,
                              std::string const& folder, Tables const& tables,
                              Resolver const& resolver) {
    auto joined = join_includes(document, path, folder);
    auto out = read_whole_config(joined.document, std::move(joined.folders), tables, resolver);
    out.included_files = std::move(joined.files);
    if (joined.is_complete) return out;
    ReadConfig known;
    known.config.admin = std::move(out.config.admin);
    known.included_files = std::move(out.included_files);
    known.problems = joined.document.problems();
    yaml::sort_by_place(known.problems);
    return known;
}

ReadConfig without_secrets(ReadConfig out, Tables const& tables) {
    tables.discretion().hide_in_config(out.problems);
    return out;
}

// The authenticator of user names and passwords; null: there is none.
Authenticator const* find_password_authenticator(Authenticators authenticators) {
    for (Authenticator const* const one : authenticators)
        if (one->identity && one->identity->of_password != nullptr) return one;
    return nullptr;
}

// Whether both files speak of htpasswd users, or neither.
bool check_htpasswd(Config const& config, ReadCredentials& out) {
    auto const& file = config.credentials.htpasswd;
    if (out.is_empty) return false;
    if (file && !out.htpasswd && !out.has_errors()) {
        out.problems.push_back(
            problem_at(file->origin, "the file of credentials does not say what its users may do",
                       "write htpasswd: { allow: ... } into " + config.credentials.file->path));
    } else if (!file && out.htpasswd) {
        out.problems.push_back(problem_at(out.htpasswd->origin,
                                          "has no effect: the configuration names no htpasswd file",
                                          "write credentials: { htpasswd: FILE } there, or remove "
                                          "it here"));
    }
    return file && out.htpasswd;
}

// Names stand in logs, key ids in requests: neither of them may mean two callers.
void add_user(HtpasswdUser&& user, Authenticator const& authenticator, ReadCredentials& out,
              std::set<std::string> const& taken) {
    LastingOrigin origin{user.mark, {}};
    if (taken.contains(user.name)) {
        out.problems.push_back(
            problem_at(origin, "the file of credentials has " + in_quotes(user.name) + " too",
                       "rename or remove one of them"));
        return;
    }
    Credential credential = *out.htpasswd;
    credential.name = user.name;
    auto identity = authenticator.identity->of_password(std::move(user.name), std::move(user.hash));
    identity.authenticator = &authenticator;
    credential.identities.push_back(std::move(identity));
    credential.origin = std::move(origin);
    out.credentials.push_back(std::move(credential));
}

void add_users(File const& file, Authenticator const& authenticator, ReadCredentials& out) {
    FileText const text = read_file(file.path, most_htpasswd_bytes);
    if (!text.problem.empty()) return out.problems.push_back(unreadable(file, text.problem));
    auto read = read_htpasswd(text.text, file.path);
    std::set<std::string> taken;
    for (Credential const& one : out.credentials) {
        taken.insert(one.name);
        for (auto const& identity : one.identities)
            if (!identity.key_id.empty()) taken.insert(identity.key_id);
    }
    for (HtpasswdUser& user : read.users)
        add_user(std::move(user), authenticator, out, taken);
    out.problems.insert(out.problems.end(), read.problems.begin(), read.problems.end());
}

yaml::Document load_document(std::string const& path) {
    if (path != standard_input) return yaml::load_file(path);
    auto const text = read_file("/dev/stdin", yaml::max_file_size);
    return text.problem.empty() ? yaml::load_text(text.text, "standard input")
                                : yaml::load_file("/dev/stdin");
}

} // namespace

yaml::Problem unreadable(File const& file, std::string const& reason) {
    return problem_at(file.origin, in_quotes(file.path) + " cannot be read: " + reason,
                      "write the path of a file that the gateway may read");
}

ReadConfig read_config(yaml::Document const& document, std::string const& folder,
                       Tables const& tables, Resolver const& resolver) {
    return without_secrets(read_whole_config(document, {folder}, tables, resolver), tables);
}

ReadConfig load_config(std::string const& path, Tables const& tables, Resolver const& resolver) {
    auto const document = load_document(path);
    bool const is_file = path != standard_input;
    auto const folder = is_file ? folder_of(path) : std::string{};
    if (!has_includes(document)) return read_config(document, folder, tables, resolver);
    auto const own_path = is_file ? path : std::string{};
    return without_secrets(read_joined_config(document, own_path, folder, tables, resolver),
                           tables);
}

std::vector<std::string> roles_of_tokens(Config const& config, Authenticators authenticators) {
    std::vector<std::string> names;
    for (Api const& api : config.apis)
        for (auto const& [of, settings] : api.settings)
            for (auto& role : referred_of(of, settings, authenticators).roles)
                names.push_back(std::move(role.name));
    return names;
}

ReadCredentials read_credentials(yaml::Document const& document, std::string const& folder,
                                 std::vector<std::string> const& apis, Tables const& tables,
                                 Resolver const& resolver,
                                 std::vector<std::string> const& of_tokens) {
    auto out = read_whole_credentials(document, folder, apis, tables, resolver, of_tokens);
    tables.discretion().hide_in_credentials(out.problems);
    return out;
}

ReadCredentials read_credentials_of(Config const& config, std::string_view text,
                                    Tables const& tables, Resolver const& resolver,
                                    WithHtpasswd with) {
    std::string const& path = config.credentials.file->path;
    std::vector<std::string> apis;
    for (Api const& api : config.apis)
        apis.push_back(api.name);
    auto out = read_credentials(yaml::load_text(text, path), folder_of(path), apis, tables,
                                resolver, roles_of_tokens(config, tables.authenticators()));
    auto const* const passwords = find_password_authenticator(tables.authenticators());
    bool const has_users = check_htpasswd(config, out) && with == WithHtpasswd::read;
    if (has_users && passwords != nullptr) add_users(*config.credentials.htpasswd, *passwords, out);
    return out;
}

ReadCredentials load_credentials(Config const& config, Tables const& tables,
                                 Resolver const& resolver, WithHtpasswd with) {
    if (!config.credentials.file) return {};
    FileText const file = read_file(config.credentials.file->path, yaml::max_file_size);
    if (!file.problem.empty())
        return {{}, {}, {}, {unreadable(*config.credentials.file, file.problem)}, {}};
    return read_credentials_of(config, file.text, tables, resolver, with);
}

} // namespace sallyport::config
