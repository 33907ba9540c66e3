// What a document says of the credentials that an operation takes.
#pragma once

#include "config/yaml.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sallyport::contract {

/// One of the ways to be let in: all of it is needed (OpenAPI 3.1, 4.8.30).
struct SecurityAlternative {
    std::string takes;               // one of Security::takes
    std::vector<std::string> scopes; // sorted, without repetitions; empty: none is needed
};

/// `security` of an operation, or else of its document (OpenAPI 3.1, 4.8.10 and 4.8.30). Nothing
/// of it is enforced by the contract: the configuration decides.
struct Security {
    bool is_stated = false; // neither has one: nothing is known
    bool is_public = false; // `[]`, or one of the alternatives is `{}`
    /// Names of authenticators that fit an alternative, without repetitions: "basic" for http
    /// basic, "bearer" for http bearer, oauth2 and openIdConnect, "api_key"
    /// for apiKey in a header or a query.
    std::vector<std::string> takes;
    /// Those that an authenticator fits, in the order of the document.
    std::vector<SecurityAlternative> alternatives;
    /// Alternatives that no authenticator fits, each as "key (apiKey)".
    std::vector<std::string> unsupported;
    config::yaml::Mark mark;   // the position of the statement in the document,
    std::string document_path; // and its path there: for problems

    /// Whether some alternative needs scopes.
    [[nodiscard]] bool has_scopes() const {
        return std::any_of(alternatives.begin(), alternatives.end(),
                           [](auto const& one) { return !one.scopes.empty(); });
    }
};

} // namespace sallyport::contract
