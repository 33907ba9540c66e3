// What the authenticators of the Authorization field share: callers that are known already,
// challenges, and the parsed field in memory that is wiped.
#pragma once

#include "gateway/http/authorization.h"
#include "gateway/pipeline/decision.h"
#include "gateway/pipeline/plugin.h"
#include "gateway/pipeline/request.h"
#include "gateway/pipeline/services.h"
#include "gateway/pipeline/steps.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::plugins {

/// What an authenticator of the Authorization field is known by.
struct Scheme {
    std::string_view authenticator; // the name in its row, a literal
    std::string_view name;          // a literal, in its canonical spelling (RFC 9110, 11.1)
};

/// Whether this authenticator has found the very same field to be right before: then the caller is
/// known, and nothing of the field is read again.
bool is_known_caller(pipeline::Request const& request, pipeline::Decision& decision,
                     pipeline::Services& services, Scheme const& scheme);

/// What a checked field comes to: the caller, who is remembered, or a denial. `proof_text`: what
/// follows the scheme, a view into the field.
pipeline::Verdict conclude(pipeline::Request const& request, pipeline::Decision& decision,
                           pipeline::Services& services, Scheme const& scheme,
                           pipeline::Proof const& proof, std::string_view proof_text);

/// RFC 9110, 11.6.1: a challenge with its realm as a quoted string. `parameters`: what stands
/// behind it.
[[nodiscard]] std::string challenge(std::string_view scheme, std::string_view realm,
                                    std::string_view parameters);

/// The Authorization field of a request, decoded into the worker's scratch memory for the length
/// of one check: the secret in it is wiped when the check ends.
class DecodedAuthorization {
public:
    DecodedAuthorization(pipeline::Request const& request, pipeline::Services& services)
        : scratch_{services.secret_scratch},
          size_{
              std::min(scratch_.size(),
                       request.head.fields.find(http::FieldId::authorization).value_or("").size())},
          parsed_{http::parse_authorization(request.head.fields, scratch_)} {}
    ~DecodedAuthorization() { OPENSSL_cleanse(scratch_.data(), size_); }
    DecodedAuthorization(DecodedAuthorization const&) = delete;
    DecodedAuthorization& operator=(DecodedAuthorization const&) = delete;

    /// Null: another scheme, or none, or malformed.
    template <class Parsed>
    [[nodiscard]] Parsed const* as() const {
        return std::get_if<Parsed>(&parsed_);
    }
    [[nodiscard]] bool is_malformed() const {
        return as<http::MalformedAuthorization>() != nullptr;
    }

private:
    std::span<char> scratch_;
    std::size_t size_;
    http::ParsedAuthorization parsed_;
};

} // namespace sallyport::plugins
