// The complete response that a refused client must get: status line, every field, the body byte for
// byte.
#pragma once

#include "tests/support/message.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

struct ExpectedViolation {
    std::string pointer;
    std::string rule;
    std::string expected; // JSON text; empty: the member is absent
    std::string rule_pointer;
    std::string source;
    std::string message = {};
    std::string in = "body";
    std::string name = {}; // of a parameter
};

struct ExpectedProblem {
    int status = 400;
    std::string reason;
    std::string detail; // empty: that of the violations, else any sentence
    std::vector<ExpectedViolation> violations = {};
    Fields fields = {}; // besides those of every problem; names and values
};

enum class Members { compatible, standard };

/// The body of a problem, by the table of reasons.
std::string problem_body(ExpectedProblem const& expected, std::string_view detail,
                         std::string_view request_id, Members members = Members::compatible);

/// CHECKs everything of the response. `Connection: close` may be among its fields.
void check_problem(Response const& response, ExpectedProblem const& expected,
                   Members members = Members::compatible);

/// The usual refusals.
ExpectedProblem unauthenticated_basic();  // of the API management
ExpectedProblem unauthenticated_bearer(); // of the API observability
ExpectedProblem refused(int status, std::string_view reason);
ExpectedProblem refused_for_now(int status, std::string_view reason); // may be repeated in a second

/// A path parameter of the management API that is not a uuid.
ExpectedProblem bad_uuid(std::string const& parameter);

/// X-Request-Id is 32 or more hexadecimal digits and hyphens.
bool is_request_id(std::string_view text);

} // namespace sallyport::test
