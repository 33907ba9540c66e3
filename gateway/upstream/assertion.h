// The signed token in which an upstream learns who calls (RFC 7519, RFC 7515).
#pragma once

#include "gateway/pipeline/caller_fields.h"
#include "gateway/pipeline/exchange.h"

#include <string>

namespace sallyport::upstream {

/// Appends the line, with its CR LF: a JWT of this exchange alone, signed now (ES256). Nothing
/// without a caller, or if OpenSSL fails: an upstream refuses requests without it.
void append_assertion(std::string& to, pipeline::AssertionRules const& rules,
                      pipeline::Exchange const& exchange);

} // namespace sallyport::upstream
