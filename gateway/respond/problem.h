// The answer of a refused or failed request: a problem (RFC 9457) that clients of both APIs
// understand.
#pragma once

#include "gateway/pipeline/denial.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::respond {

/// RFC 9110, 9.3.2: an answer to HEAD has the fields of its content, but not the content.
enum class Content : std::uint8_t { send, omit };

/// Everything of an answer but its framing, which belongs to the transport.
struct Answer {
    unsigned status = 500;
    std::string lines;                // whole field lines, each ending in CR LF
    std::string body;                 // empty where the content is omitted
    std::uint64_t content_length = 0; // of the content, sent or not
};

/// The answer to a denial. `request_id` is ours. A denial whose reason no client is told is a bug
/// of ours and is answered so.
Answer make_answer(pipeline::Denial const& denial, std::string_view request_id, Content content,
                   std::chrono::system_clock::time_point now,
                   pipeline::ProblemMembers members = pipeline::ProblemMembers::compatible);

/// The body alone. Member order and dialects: README.md.
std::string problem_body(pipeline::Denial const& denial, std::string_view request_id,
                         pipeline::ProblemMembers members = pipeline::ProblemMembers::compatible);

/// WWW-Authenticate for an API that takes the scheme (RFC 7617, 2.1; RFC 6750, 3). `realm`: the
/// API's name.
pipeline::AnswerField basic_challenge(std::string_view realm);
pipeline::AnswerField bearer_challenge(std::string_view realm);

} // namespace sallyport::respond
