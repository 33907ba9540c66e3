// The steps of the pipeline that no plugin decides: which operation it is, whether its parameters
// are right, and what its head says of the body.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/http/head.h"
#include "gateway/pipeline/denial.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Exchange;

/// The one answer to missing, malformed and wrong credentials; the API's challenges are added to
/// it.
Denial unauthenticated();

/// Sets the operation and its path parameters. Denies paths that the contract does not know, and
/// other methods. Null: found, or none, which the API lets pass.
std::unique_ptr<Denial> find_operation(Exchange& exchange);

/// Denies parameters that are missing, badly written or break their schema, as far as the level of
/// the operation says so. Null: fine, or told.
std::unique_ptr<Denial> judge_parameters(Exchange& exchange);

/// Decides how the body travels, from the operation and the head alone: a length that was declared
/// too large, a media type or coding that nobody reads, a body where none belongs. Null: fine so
/// far.
std::unique_ptr<Denial> judge_declared_body(Exchange& exchange);

/// That an operation needs a body, and the request has none or an empty one. Null: told, at most.
std::unique_ptr<Denial> missing_body(Exchange& exchange);

/// What is said of a body that was read and that no schema is there for, be it because the
/// operation takes none or because its media type is not declared. Null: it passes, or is none.
std::unique_ptr<Denial> take_unjudged_body(Exchange& exchange);

/// Adds what is broken and no rule of a schema, of a request that passes all the same, unless
/// `level` is off. `rule` is a literal.
void tell(Exchange& exchange, contract::Level level, std::string_view rule);

/// The media type of the contract that a body claims to be, of a request or of an answer; null: no
/// Content-Type, several, another one, or with a schema and in a charset that nobody reads.
contract::MediaType const* find_media_type(http::FieldTable const& fields,
                                           std::vector<contract::MediaType> const& expected);

} // namespace sallyport::pipeline
