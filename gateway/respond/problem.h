// The response to a refused or failed request: a problem (RFC 9457) in the formats of both kinds of
// APIs.
#pragma once

#include "gateway/http/date.h"
#include "gateway/http/transport.h"
#include "gateway/pipeline/denial.h"

#include <boost/container/small_vector.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::respond {

/// RFC 9110, 9.3.2: a response to HEAD has the fields of its content, but not the content.
enum class Content : std::uint8_t { send, omit };

/// The response to a denial, without its framing, which the transport adds. A denial with an
/// internal reason is a bug, and is reported as one.
class Response {
public:
    /// `request_id`: ours. It and `denial` must outlive the response.
    Response(pipeline::Denial const& denial, std::string_view request_id, Content content,
             std::chrono::system_clock::time_point now,
             pipeline::ProblemMembers members = pipeline::ProblemMembers::compatible);
    Response(Response const&) = delete;
    Response& operator=(Response const&) = delete;

    [[nodiscard]] unsigned status() const noexcept { return status_; }
    [[nodiscard]] std::span<http::AddedField const> fields() const noexcept { return fields_; }
    /// Empty if the content is omitted.
    [[nodiscard]] std::string_view body() const noexcept { return body_; }
    /// The size of the content in bytes, sent or not.
    [[nodiscard]] std::uint64_t content_length() const noexcept { return content_length_; }

private:
    // With a challenge of each of two schemes.
    static constexpr std::size_t usual_fields = 7;

    unsigned status_;
    http::Date date_;
    boost::container::small_vector<http::AddedField, usual_fields> fields_;
    std::string body_;
    std::uint64_t content_length_;
};

/// Only the body. Order of the members and formats: README.md.
[[nodiscard]] std::string
problem_body(pipeline::Denial const& denial, std::string_view request_id,
             pipeline::ProblemMembers members = pipeline::ProblemMembers::compatible);

} // namespace sallyport::respond
