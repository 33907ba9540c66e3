// What a document says of the credentials that an operation takes.
#pragma once

#include "config/yaml.h"

#include <string>
#include <vector>

namespace sallyport::contract {

/// `security` of an operation, or else of its document (OpenAPI 3.1, 4.8.10 and 4.8.30). Nothing
/// of it is enforced by the contract: the configuration decides.
struct Security {
    bool is_stated = false; // neither has one: nothing is known
    bool is_public = false; // `[]`, or one of the alternatives is `{}`
    /// Names of authenticators that fit an alternative, without repetitions: "basic" for http
    /// basic, "bearer" for http bearer, oauth2 and openIdConnect, "api_key"
    /// for apiKey in a header or a query.
    std::vector<std::string> takes;
    /// Alternatives that no authenticator fits, each as "key (apiKey)".
    std::vector<std::string> unsupported;
    bool has_scopes = false;   // some alternative asks for scopes
    config::yaml::Mark mark;   // the position of the statement in the document,
    std::string document_path; // and its path there: for problems
};

} // namespace sallyport::contract
