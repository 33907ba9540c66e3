// `sallyport credential rotate` and `revoke`: another secret for a credential, or none any more.
#include "gateway/commands/credential.h"

#include "config/types.h"
#include "gateway/commands/credential_file.h"
#include "gateway/commands/generated_secret.h"
#include "gateway/secrets/make_hash.h"

#include <array>
#include <optional>
#include <ostream>

namespace sallyport::commands {

namespace {

// Null, and the reason is in `err`: it has no generated secret.
config::GeneratedSecrets const* secrets_of(config::Credential const& credential,
                                           std::ostream& err) {
    auto const& authenticator = *credential.identity().authenticator;
    if (authenticator.identity->secrets) return &*authenticator.identity->secrets;
    err << "a credential of " << authenticator.name << " has no generated secret\n";
    return nullptr;
}

void print_place(std::ostream& out, RotateOptions const& options, CredentialFile& file) {
    out << ",\"file\":" << json_string(file.path())
        << ",\"line\":" << file.text().line_of(options.name);
}

// The hashes of the entry, the older one first.
using Hashes = std::array<std::string, 2>;

void print(RotateOptions const& options, config::GeneratedSecrets const& kind,
           std::string_view secret, Hashes const& hashes, CredentialFile& file, std::ostream& out) {
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name) << ",\"secret\":" << json_string(secret)
            << ",\"hashes\":[" << json_string(hashes[0]) << ',' << json_string(hashes[1]) << ']';
        if (options.writes) print_place(out, options, file);
        out << "}\n";
        return;
    }
    out << kind.noun << ": " << secret << "\n\nThis is the only time that it is shown. ";
    if (options.writes) {
        out << "Both are right now: " << file.path() << ':' << file.text().line_of(options.name)
            << ". " << file.when_applied()
            << "\nWhen all callers have the new one: sallyport credential rotate --finish\n";
    } else {
        out << "In the entry of " << options.name << ", until its callers have the new one:\n\n    "
            << kind.key << ": [\"" << hashes[0] << "\", \"" << hashes[1]
            << "\"]\n\nThen take the first one out.\n";
    }
}

int begin_rotation(RotateOptions const& options, config::Credential const& credential,
                   config::GeneratedSecrets const& kind, CredentialFile& file, std::ostream& out,
                   std::ostream& err) {
    auto const& digests = credential.identity().secrets;
    if (digests.size() != 1) {
        err << "the credential has two secrets already; take out the one that is not used any "
               "more: sallyport credential rotate --finish\n";
        return 1;
    }
    auto secret = random_text(secret_length);
    auto const hash = secret ? secrets::make_hash(secrets::Kind::sha256, *secret) : std::nullopt;
    if (!hash) {
        err << "no random numbers could be had\n";
        return 1;
    }
    DigestsKey const where{credential.identity().authenticator->name, kind.key};
    bool const is_written =
        !options.writes || file.save(file.text().add_digest(options.name, where, *hash), err);
    if (is_written) print(options, kind, *secret, {digests.front().text(), *hash}, file, out);
    config::wipe(*secret);
    return is_written ? 0 : 1;
}

int finish_rotation(RotateOptions const& options, config::Credential const& credential,
                    config::GeneratedSecrets const& kind, CredentialFile& file, std::ostream& out,
                    std::ostream& err) {
    auto const& digests = credential.identity().secrets;
    if (digests.size() != 2) {
        err << "the credential has one secret: no rotation is under way\n";
        return 1;
    }
    DigestsKey const where{credential.identity().authenticator->name, kind.key};
    if (!file.save(file.text().remove_first_digest(options.name, where), err)) return 1;
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name)
            << ",\"removed\":" << json_string(digests.front().text());
        print_place(out, options, file);
        out << "}\n";
    } else {
        out << "The older " << kind.noun << " of " << options.name
            << " is wrong from now on: " << file.path() << ':' << file.text().line_of(options.name)
            << ". " << file.when_applied() << '\n';
    }
    return 0;
}

} // namespace

int run_credential_rotate(RotateOptions const& options, config::Tables const& tables,
                          std::ostream& out, std::ostream& err) {
    auto file = CredentialFile::open(options.config, tables, err);
    auto const* const credential = file ? file->find(options.name, err) : nullptr;
    auto const* const kind = credential == nullptr ? nullptr : secrets_of(*credential, err);
    if (kind == nullptr) return 1;
    return options.finishes ? finish_rotation(options, *credential, *kind, *file, out, err)
                            : begin_rotation(options, *credential, *kind, *file, out, err);
}

int run_credential_revoke(RevokeOptions const& options, config::Tables const& tables,
                          std::ostream& out, std::ostream& err) {
    auto file = CredentialFile::open(options.config, tables, err);
    auto const* const credential = file ? file->find(options.name, err) : nullptr;
    if (credential == nullptr) return 1;
    bool const was_revoked = credential->disabled;
    if (!was_revoked && !file->save(file->text().disable(options.name), err)) return 1;
    auto const line = file->text().line_of(options.name);
    if (options.format == Format::json) {
        out << "{\"name\":" << json_string(options.name)
            << ",\"changed\":" << (was_revoked ? "false" : "true")
            << ",\"file\":" << json_string(file->path()) << ",\"line\":" << line << "}\n";
    } else if (was_revoked) {
        out << options.name << " is disabled already: " << file->path() << ':' << line << '\n';
    } else {
        out << options.name << " is disabled: " << file->path() << ':' << line << ". "
            << file->when_applied() << '\n';
    }
    return 0;
}

} // namespace sallyport::commands
