// All decisions about the body of a request: whether it may, must or must not exist, how it is
// read, how large it may be, and which schema applies.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/http/content_coding.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/denial.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Decision;
struct Request;

enum class BodyHandling : std::uint8_t {
    none,     // no body, or an empty one
    buffered, // read completely, validated, forwarded unchanged
    streamed, // forwarded as it arrives; items of a type that has them only if they are valid
};

/// The decisions made before a byte of the body is read.
struct BodyPlan {
    BodyHandling handling = BodyHandling::none;
    http::ContentCoding coding = http::ContentCoding::identity; // as it arrives
    /// For a required streamed body whose presence is not known from the head: its first bytes are
    /// read before the request is forwarded.
    bool needs_beginning = false;
    std::uint64_t limit = 0;                    // bytes, without coding; 0: it must be empty
    contract::MediaType const* type = nullptr;  // with a schema; null: only its presence matters
    bool says_ascii = false; // its charset is US-ASCII: nothing else may be in a text of it
};

/// Makes the plan from the operation and the head alone. Denies a declared length above the limit,
/// an unsupported media type or coding, and a body where none is allowed. Null: not denied.
std::unique_ptr<Denial> plan_body(Request const& request, Decision& decision);

/// The denial of a body that exceeds the limit of its plan.
[[nodiscard]] Denial excess_of(Decision const& decision);

/// The denial of a missing or empty body that the operation requires. Null: at most reported.
std::unique_ptr<Denial> missing_body(Decision& decision);

/// Checks a body that was read and has no schema, because the operation takes none or its media
/// type is not declared. Null: it passes, or is empty.
std::unique_ptr<Denial> take_unjudged_body(Request const& request, Decision& decision);

/// Whether a body that was read and has a schema passes without validation: an empty one, in any
/// framing, if it is optional. Deviations are reported.
bool passes_as_none(Request const& request, Decision& decision);

/// A media type of the contract, and what the Content-Type says of its texts.
struct FoundType {
    contract::MediaType const* type = nullptr;
    bool says_ascii = false;
};

/// The media type that matches the Content-Type of a request or response; null if it is missing,
/// repeated or not declared, or has a schema and a charset in which some reader finds other
/// characters: any but UTF-8 and its part US-ASCII (of bodies of items, which are read as they
/// arrive, any but UTF-8).
[[nodiscard]] FoundType find_media_type(http::FieldTable const& fields,
                                        std::vector<contract::MediaType> const& expected);

/// The boundary of a multipart body, a view of the head; empty: its Content-Type has none, or
/// readers could find different ones.
[[nodiscard]] std::optional<std::string_view> boundary_of(Request const& request);

} // namespace sallyport::pipeline
