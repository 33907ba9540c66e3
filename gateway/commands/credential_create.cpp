// `sallyport credential create` and `hash`: only hashes of secrets are kept.
#include "gateway/commands/credential.h"

#include "config/tables.h"
#include "config/text.h"
#include "config/types.h"
#include "gateway/commands/credential_file.h"
#include "gateway/commands/generated_secret.h"
#include "gateway/secrets/make_hash.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <istream>
#include <optional>
#include <ostream>
#include <utility>

namespace sallyport::commands {

namespace {

// Whether secrets of this kind have a key id beside them, and are not found by themselves.
bool has_key_id(config::IdentitySettings const& kind) {
    return kind.unique.key != kind.secrets->key;
}

bool is_name(std::string_view name) {
    auto const is_word = [](char c) { return text::is_letter_or_digit(c); };
    return !name.empty() && name.size() <= 64 && is_word(name.front())
           && std::all_of(name.begin(), name.end(),
                          [&](char c) { return is_word(c) || c == '.' || c == '_' || c == '-'; });
}

// What the file of credentials would refuse of it; empty: nothing. Whether there is such an API, or
// such an operation, is said by `check`.
std::string problem_of_allow(std::vector<std::string> const& allow) {
    for (std::string const& word : allow) {
        if (word == "all") {
            if (allow.size() == 1) continue;
            return "\"all\" stands alone; leave the others out";
        }
        std::size_t const slash = word.find('/');
        bool const is_operation = slash != std::string::npos && is_name(word.substr(0, slash))
                                  && slash + 1 < word.size()
                                  && word.find('/', slash + 1) == std::string::npos;
        if (!is_operation) {
            return config::in_quotes(word)
                   + " is no operation; write all, API/operationId or API/*";
        }
    }
    return {};
}

// Null: there is no such kind.
config::Authenticator const* find_kind(config::Authenticators authenticators,
                                       std::string_view name) {
    for (auto const* const kind : kinds_of_credentials(authenticators)) {
        if (name.empty() || kind->name == name) return kind;
    }
    return nullptr;
}

} // namespace

std::vector<config::Authenticator const*>
kinds_of_credentials(config::Authenticators authenticators) {
    std::vector<config::Authenticator const*> out;
    for (auto const* const one : authenticators) {
        if (one->identity && one->identity->secrets) out.push_back(one);
    }
    return out;
}

namespace {

// Empty: there is none.
std::string problem_of(CreateOptions const& options, config::Authenticators authenticators) {
    if (!is_name(options.name)) {
        return "--name: write at most 64 letters, digits, '.', '_' or '-', a letter or digit "
               "first";
    }
    if (auto problem = problem_of_allow(options.allow); !problem.empty())
        return "--allow: " + problem;
    if (find_kind(authenticators, options.kind) == nullptr) {
        return "--kind: no authenticator has generated secrets under "
               + config::in_quotes(options.kind);
    }
    for (auto const& role : options.roles) {
        if (!is_name(role)) return "--role: " + config::in_quotes(role) + " is no name of a role";
    }
    if (options.is_read_only && options.allow.empty())
        return "--read-only: say with --allow what the credential may read; a role says it itself";
    if (options.writes && options.config.empty())
        return "--write: name the configuration, with -c FILE";
    if (options.writes && options.allow.empty() && options.roles.empty())
        return "--write: say with --allow or --role what the credential may do";
    return {};
}

// A new secret and its hash.
struct Made {
    std::string secret;
    NewEntry entry;
};

std::optional<Made> make(CreateOptions const& options, config::Authenticator const& kind,
                         std::istream& in, std::ostream& err) {
    auto const& identity = *kind.identity;
    auto key_id = random_text(key_id_length);
    auto secret = options.reads_secret ? read_secret(in, err) : random_text(secret_length);
    if (options.reads_secret && !secret) return std::nullopt;
    auto hash = secret ? secrets::make_hash(secrets::Kind::sha256, *secret) : std::nullopt;
    if (!key_id || !hash) {
        err << "no random numbers could be had\n";
        return std::nullopt;
    }
    NewEntry entry{.name = options.name,
                   .where = {kind.name, identity.secrets->key},
                   .key_id_key = has_key_id(identity) ? identity.unique.key : std::string_view{},
                   .key_id = std::move(*key_id),
                   .digest = std::move(*hash),
                   .allow = options.allow,
                   .roles = options.roles,
                   .is_read_only = options.is_read_only};
    return Made{std::move(*secret), std::move(entry)};
}

// `file`: where the entry was written; null: nowhere. `problem`: CredentialFile::reload_problem().
void print(CreateOptions const& options, config::Authenticator const& kind, Made const& made,
           CredentialFile* file, std::string const& problem, std::ostream& out) {
    auto const& entry = made.entry;
    bool const shows_key_id = !entry.key_id_key.empty();
    auto const line = file == nullptr ? 0 : file->text().line_of(entry.name);
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(entry.name) << ",\"kind\":" << json_string(kind.name)
            << ",\"key_id\":" << (shows_key_id ? json_string(entry.key_id) : "null")
            << ",\"secret\":" << (options.reads_secret ? "null" : json_string(made.secret))
            << ",\"hash\":" << json_string(entry.digest);
        if (file != nullptr)
            out << ",\"file\":" << json_string(file->path()) << ",\"line\":" << line
                << ",\"reload_problem\":" << json_string_or_null(problem);
        out << "}\n";
        return;
    }
    if (shows_key_id) out << kind.identity->unique.noun << ": " << entry.key_id << '\n';
    if (!options.reads_secret) {
        out << kind.identity->secrets->noun << ": " << made.secret
            << "\n\nThis is the only time that it is shown. ";
    }
    if (file == nullptr) {
        out << "For the file of credentials, under `credentials:`:\n\n" << entry_text(entry, 2);
    } else {
        out << "Written to " << file->path() << ':' << line << ". ";
        if (file->is_new())
            out << "The file is new, with mode 0600: a gateway of another user cannot read it. ";
        out << file->when_applied(problem) << '\n';
    }
}

} // namespace

int run_credential_create(CreateOptions const& options, config::Tables const& tables,
                          std::istream& in, std::ostream& out, std::ostream& err) {
    auto const authenticators = tables.authenticators();
    if (auto const problem = problem_of(options, authenticators); !problem.empty()) {
        err << problem << '\n';
        return 2;
    }
    std::optional<CredentialFile> file;
    if (!options.config.empty()) {
        file = CredentialFile::open(options.config, tables, Opened::to_add, err);
        if (!file) return 1;
        auto const line = file->text().line_of(options.name);
        if (!options.writes && line != 0) {
            err << file->path() << ':' << line << ": there is a credential "
                << config::in_quotes(options.name) << " already\n";
            return 1;
        }
        if (!options.writes) file.reset();
    }
    auto const& kind = *find_kind(authenticators, options.kind);
    auto made = make(options, kind, in, err);
    if (!made) return 1;
    bool const is_written = !file || file->save(file->text().add(made->entry), err);
    auto const problem = file && is_written ? file->reload_problem() : std::string{};
    // A secret whose entry is nowhere is of no use.
    if (is_written) print(options, kind, *made, file ? &*file : nullptr, problem, out);
    config::wipe(made->secret);
    if (!is_written) return 1;
    return problem.empty() ? 0 : written_in_vain;
}

std::vector<secrets::Kind> kinds_of_hashes() {
    using secrets::Kind;
    return {Kind::sha256, Kind::argon2id, Kind::bcrypt, Kind::yescrypt, Kind::sha512_crypt};
}

int run_credential_hash(HashOptions const& options, std::istream& in, std::ostream& out,
                        std::ostream& err) {
    auto const all = kinds_of_hashes();
    auto const kind = std::find_if(
        all.begin(), all.end(), [&](secrets::Kind one) { return to_string(one) == options.kind; });
    if (kind == all.end()) {
        err << "--kind: there is no hash of " << config::in_quotes(options.kind) << '\n';
        return 2;
    }
    auto secret = read_secret(in, err, *kind);
    if (!secret) return 1;
    auto const hash = secrets::make_hash(*kind, *secret);
    config::wipe(*secret);
    if (!hash) {
        err << "the hash cannot be computed: there is no memory, or no randomness\n";
        return 1;
    }
    if (options.format == Format::json) {
        out << "{\"hash\":" << json_string(*hash) << "}\n";
    } else {
        out << *hash << '\n';
    }
    return 0;
}

} // namespace sallyport::commands
