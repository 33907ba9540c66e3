// Header parameters of contracts that no upstream gets as clients send them.
#pragma once

#include "config/config.h"
#include "config/text.h"
#include "gateway/contract/contract.h"
#include "gateway/http/forward_fields.h"

#include <optional>

namespace sallyport::lifecycle {

/// A problem if the gateway writes or drops the field, whatever the API says: `Content-Length`,
/// `X-Request-Id`.
[[nodiscard]] inline std::optional<config::yaml::Problem>
judge_written_field(contract::Parameter const& parameter) {
    if (http::judge_declared_field(parameter.name) != http::DeclaredField::written_by_gateway)
        return std::nullopt;
    return config::problem_at(
        {parameter.mark, parameter.document_path},
        "the field " + config::in_quotes(parameter.name)
            + " of a request never reaches the upstream: the gateway writes it, or drops it",
        "remove the parameter; where others own the document, by an overlay");
}

} // namespace sallyport::lifecycle
