// `sallyport credential rotate` and `revoke`: another secret for a credential, or none any more.
#include "gateway/commands/credential.h"

#include "config/types.h"
#include "gateway/commands/credential_file.h"
#include "gateway/commands/generated_secret.h"
#include "gateway/secrets/make_hash.h"

#include <array>
#include <istream>
#include <optional>
#include <ostream>

namespace sallyport::commands {

namespace {

struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
};

// Null, and the reason is in `err`: it has no generated secret.
config::GeneratedSecrets const* secrets_of(config::Credential const& credential,
                                           std::ostream& err) {
    auto const& authenticator = *credential.identity().authenticator;
    if (authenticator.identity->secrets) return &*authenticator.identity->secrets;
    err << "a credential of " << authenticator.name << " has no generated secret\n";
    return nullptr;
}

// `problem`: CredentialFile::reload_problem().
void print_place(std::ostream& out, std::string const& name, CredentialFile& file,
                 std::string const& problem) {
    out << ",\"file\":" << json_string(file.path()) << ",\"line\":" << file.text().line_of(name)
        << ",\"reload_problem\":" << json_string_or_null(problem);
}

int exit_code_for(std::string const& problem) {
    return problem.empty() ? 0 : written_in_vain;
}

// The hashes of the entry, the older one first.
using Hashes = std::array<std::string, 2>;

void print(RotateOptions const& options, config::GeneratedSecrets const& kind,
           std::string_view secret, Hashes const& hashes, CredentialFile& file,
           std::string const& problem, std::ostream& out) {
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name)
            << ",\"secret\":" << (options.reads_secret ? "null" : json_string(secret))
            << ",\"hashes\":[" << json_string(hashes[0]) << ',' << json_string(hashes[1]) << ']';
        if (options.writes) print_place(out, options.name, file, problem);
        out << "}\n";
        return;
    }
    if (!options.reads_secret)
        out << kind.noun << ": " << secret << "\n\nThis is the only time that it is shown. ";
    if (options.writes) {
        out << "Both are right now: " << file.path() << ':' << file.text().line_of(options.name)
            << ". " << file.when_applied(problem)
            << "\nWhen all callers have the new one: sallyport credential rotate --finish\n";
    } else {
        out << "In the entry of " << options.name << ", until its callers have the new one:\n\n    "
            << kind.key << ": [\"" << hashes[0] << "\", \"" << hashes[1]
            << "\"]\n\nThen take the first one out.\n";
    }
}

int begin_rotation(RotateOptions const& options, config::Credential const& credential,
                   config::GeneratedSecrets const& kind, CredentialFile& file, Streams const& io) {
    auto const& digests = credential.identity().secrets;
    if (digests.empty()) {
        io.err << "the credential has no secret: write the hash of a new one into its entry, made "
                  "with sallyport credential hash\n";
        return 1;
    }
    if (digests.size() != 1) {
        io.err << "the credential has two secrets already; take out the one that is not used any "
                  "more: sallyport credential rotate --finish\n";
        return 1;
    }
    auto secret = options.reads_secret ? read_secret(io.in, io.err) : random_text(secret_length);
    if (options.reads_secret && !secret) return 1;
    auto const hash = secret ? secrets::make_hash(secrets::Kind::sha256, *secret) : std::nullopt;
    if (!hash) {
        io.err << "no random numbers could be had\n";
        return 1;
    }
    DigestsKey const where{credential.identity().authenticator->name, kind.key};
    bool const is_done =
        !options.writes || file.save(file.text().add_digest(options.name, where, *hash), io.err);
    auto const problem = is_done && options.writes ? file.reload_problem() : std::string{};
    if (is_done)
        print(options, kind, *secret, {digests.front().text(), *hash}, file, problem, io.out);
    config::wipe(*secret);
    return is_done ? exit_code_for(problem) : 1;
}

int finish_rotation(RotateOptions const& options, config::Credential const& credential,
                    config::GeneratedSecrets const& kind, CredentialFile& file, Streams const& io) {
    auto const& digests = credential.identity().secrets;
    if (digests.size() != 2) {
        io.err << "the credential has " << (digests.empty() ? "no" : "one")
               << " secret: no rotation is under way\n";
        return 1;
    }
    DigestsKey const where{credential.identity().authenticator->name, kind.key};
    // A secret less, which may have leaked: nothing else may prevent that.
    if (!file.save_unjudged(file.text().remove_first_digest(options.name, where), io.err)) return 1;
    auto const problem = file.reload_problem();
    if (options.format == Format::json) {
        io.out << "{\"name\":" << json_string(options.name)
               << ",\"removed\":" << json_string(digests.front().text());
        print_place(io.out, options.name, file, problem);
        io.out << "}\n";
    } else {
        io.out << "The older " << kind.noun << " of " << options.name
               << " is wrong from now on: " << file.path() << ':'
               << file.text().line_of(options.name) << ". " << file.when_applied(problem) << '\n';
    }
    return exit_code_for(problem);
}

} // namespace

int run_credential_rotate(RotateOptions const& options, config::Tables const& tables,
                          std::istream& in, std::ostream& out, std::ostream& err) {
    auto file = CredentialFile::open(options.config, tables, Opened::to_change, err);
    auto const* const credential = file ? file->find(options.name, err) : nullptr;
    auto const* const kind = credential == nullptr ? nullptr : secrets_of(*credential, err);
    if (kind == nullptr) return 1;
    Streams const io{in, out, err};
    return options.finishes ? finish_rotation(options, *credential, *kind, *file, io)
                            : begin_rotation(options, *credential, *kind, *file, io);
}

int run_credential_revoke(RevokeOptions const& options, config::Tables const& tables,
                          std::ostream& out, std::ostream& err) {
    auto file = CredentialFile::open(options.config, tables, Opened::to_change, err);
    if (!file) return 1;
    // An entry with errors is revoked too.
    bool const has_entry = file->text().line_of(options.name) != 0;
    if (!has_entry && file->find(options.name, err) == nullptr) return 1;
    auto const before = file->text().text();
    auto const failed = file->text().disable(options.name);
    bool const was_revoked = failed.empty() && file->text().text() == before;
    if (!was_revoked && !file->save_unjudged(failed, err)) return 1;
    auto const problem = file->reload_problem();
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name)
            << ",\"changed\":" << (was_revoked ? "false" : "true");
        print_place(out, options.name, *file, problem);
        out << "}\n";
    } else {
        out << options.name << " is disabled" << (was_revoked ? " already" : "") << ": "
            << file->path() << ':' << file->text().line_of(options.name);
        if (!was_revoked || !problem.empty()) out << ". " << file->when_applied(problem);
        out << '\n';
    }
    return exit_code_for(problem);
}

} // namespace sallyport::commands
