// A token in the compact form of a JSON Web Signature (RFC 7515, 7.1), parsed and verified.
#pragma once

#include "gateway/jose/algorithm.h"
#include "gateway/jose/key_set.h"
#include "gateway/jose/strict_json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::jose {

/// Of the whole token, in bytes.
inline constexpr std::size_t longest_token = std::size_t{64} * 1024;

/// Why a token is refused.
enum class Fault : std::uint8_t {
    none,
    malformed, // no JWS, or one that may mean two things
    signature, // no key of the issuer has made it: its key is not known, or it was changed
    claim,     // it is of another issuer, for another audience, or lacks what is required
    expired,
    not_yet_valid,
};

/// Which of the expectations (claims.h) a token does not meet.
struct Unmet {
    enum class Which : std::uint8_t { none, type, issuer, audience, required };
    Which which = Which::none;
    std::size_t required = 0; // the index of a required claim
};

/// The fault, and what it is in detail: a literal for operators, without anything of the token.
struct Refusal {
    Fault fault = Fault::none;
    std::string_view why;
    Unmet unmet = {};
};

/// Whether a Bearer token is for the reader of JSON Web Tokens, and for no other: it has two dots
/// or more, and begins like the base64url of `{`, as every header does. Whether it is well-formed
/// is another question.
[[nodiscard]] bool looks_like_jws(std::string_view token) noexcept;

/// What an issuer says in front of the payload. `alg` is never trusted: it only chooses among keys,
/// each of which has its own algorithm.
struct Header {
    Algorithm algorithm = Algorithm::rs256;
    std::optional<std::string> kid;
    std::optional<std::string> type; // `typ`
    std::string other_algorithm; // `alg`, of a token that is refused because it is not one of them
};

/// The parts of a token.
struct Parsed {
    Refusal refusal;
    Header header;
    std::string_view signed_part; // header and payload, encoded: a view into the token
    std::string payload;
    std::string signature;
};

/// Reads tokens, one after the other; of one thread.
class JwsReader {
public:
    /// Without a look at the payload's content or the signature.
    [[nodiscard]] Parsed parse(std::string_view token);
    /// The payload's object, valid until the next call; nothing: it is none.
    [[nodiscard]] std::optional<simdjson::dom::object> read_payload(std::string_view payload);

private:
    [[nodiscard]] Refusal read_header(std::string_view encoded, Header& out);

    StrictJson header_;
    StrictJson payload_;
};

/// Whether a key that may have made the signature is costly (Key::is_costly).
[[nodiscard]] bool is_costly(Header const& header, KeySet const& keys) noexcept;

/// Whether one of the keys has made the signature.
[[nodiscard]] Refusal verify(Parsed const& token, KeySet const& keys);

} // namespace sallyport::jose
