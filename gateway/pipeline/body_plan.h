// Every question about the body of a request: whether it may, must or must not be there, how it
// travels, how large it may be, and which schema it has.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/http/content_coding.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/denial.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sallyport::pipeline {

struct Decision;
struct Request;

enum class BodyHandling : std::uint8_t {
    none,     // there is none, or an empty one
    buffered, // read whole, validated, forwarded as it came
    streamed, // passed on as it arrives
};

/// What is decided before a byte of the body is read.
struct BodyPlan {
    BodyHandling handling = BodyHandling::none;
    http::ContentCoding coding = http::ContentCoding::identity; // as it arrives
    /// Of a streamed body that has to be there, and whose head does not say whether it is: what is
    /// read to find out goes on first.
    bool needs_beginning = false;
    std::uint64_t limit = 0;                    // bytes, without coding; 0: it has to be empty
    std::optional<contract::BodySchema> schema; // none: only whether it is empty matters
};

/// Makes the plan, from the operation and the head alone. Denies a length that was declared too
/// large, a media type or coding that nobody reads, a body where none belongs. Null: fine so far.
std::unique_ptr<Denial> plan_body(Request const& request, Decision& decision);

/// Of a body of which more came than its plan has room for.
[[nodiscard]] Denial excess_of(BodyPlan const& plan);

/// That an operation needs a body, and the request has none or an empty one. Null: told, at most.
std::unique_ptr<Denial> missing_body(Decision& decision);

/// What is said of a body that was read and that no schema is there for, be it because the
/// operation takes none or because its media type is not declared. Null: it passes, or is none.
std::unique_ptr<Denial> take_unjudged_body(Request const& request, Decision& decision);

/// Whether a body that was read, and has a schema, passes without being asked about: an empty one,
/// however it was framed, where it may be missing. What is wrong with that is told.
bool passes_as_none(Request const& request, Decision& decision);

/// The media type of the contract that a body claims to be, of a request or of a response; null: no
/// Content-Type, several, another one, or with a schema and in a charset that nobody reads.
[[nodiscard]] contract::MediaType const*
find_media_type(http::FieldTable const& fields, std::vector<contract::MediaType> const& expected);

} // namespace sallyport::pipeline
