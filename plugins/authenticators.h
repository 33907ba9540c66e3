// What the authenticators of the Authorization field share: callers whose field has been verified
// before, the parsed field in memory that is wiped, passwords with slow hashes, and challenges.
#pragma once

#include "config/digests.h"
#include "gateway/http/authorization.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/password_checks.h"
#include "gateway/pipeline/plugin.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::plugins {

/// What the credentials of a request come to.
struct Presented {
    pipeline::Proof proof;
    std::string_view text;   // what follows the scheme: a view into the field
    pipeline::Digest digest; // of its secret
};

/// Of an identity whose secrets have no key id: one or two digests, by each of which it is found.
void read_found_by_digest(config::Reader& reader, config::Value const& value,
                          config::Identity& out);

/// By what a caller is remembered, so that nothing is verified again: a text of the request that
/// leads to one caller alone. It becomes a keyed tag (known_callers.h).
struct Remembered {
    std::string_view authenticator; // the name in its row, a literal
    std::string_view text;          // empty: the caller is not remembered
};

/// Whether the text has led to a caller before, who is still valid; then it is that of the
/// decision.
[[nodiscard]] bool is_known_caller(pipeline::Decision& decision, pipeline::Services& services,
                                   Remembered const& by);

/// Whether there is a valid caller; then it is that of the decision, and remembered. Otherwise the
/// decision has why not. Refuses secrets that are denied.
[[nodiscard]] bool accept(pipeline::Decision& decision, pipeline::Services& services,
                          Remembered const& by, pipeline::Proof proof,
                          pipeline::Digest const& secret);

/// Looks up the credentials of a well-formed field; nothing: the field is of another scheme.
using FindPresented = std::optional<Presented>(http::ParsedAuthorization const& field,
                                               pipeline::CredentialTable const& credentials,
                                               pipeline::Sha256& sha256,
                                               std::chrono::system_clock::time_point now);

/// A key id and its secret: views into the parsed field.
struct Password {
    std::string_view key_id;
    std::string_view secret;
};
/// Those of a well-formed field; nothing: the field is of another scheme.
using FindPassword = std::optional<Password>(http::ParsedAuthorization const& field);

/// A scheme of the Authorization field (RFC 9110, 11.6.2).
struct Scheme {
    std::string_view authenticator; // the name in its row, a literal
    std::string_view name;          // a literal, in its canonical spelling (RFC 9110, 11.1)
    FindPresented* find = nullptr;
    FindPassword* find_password = nullptr; // null: its secrets have fast hashes only
    /// The authenticator behind it to which credentials are left that are not known, where the
    /// operation takes it; empty: they are denied.
    std::string_view unknown_to = {};
};

/// What follows the scheme and one space, where a field is spelled so, as nearly all are; empty: it
/// is spelled otherwise, and parsed each time. `scheme`: in its canonical spelling.
[[nodiscard]] std::string_view proof_in(std::string_view field, std::string_view scheme);

/// Authenticates by the field alone: it is malformed, or of another scheme, or proves a caller, or
/// does not. A secret with a slow hash is verified once, on other threads: check() says `missing`.
[[nodiscard]] std::unique_ptr<pipeline::Plugin> make_field_authenticator(Scheme const& scheme);

/// For credentials that PasswordChecks could not verify now.
[[nodiscard]] pipeline::Verdict refuse_for_now(pipeline::Services const& services,
                                               pipeline::PasswordResult result);

/// RFC 9110, 11.6.1: a challenge with its realm as a quoted string. `parameters`: what stands
/// behind it.
[[nodiscard]] std::string challenge(std::string_view scheme, std::string_view realm,
                                    std::string_view parameters);

} // namespace sallyport::plugins
