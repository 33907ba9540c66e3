// Checks a streamed body on its way to the upstream.
#pragma once

#include "gateway/http/transport.h"
#include "gateway/pipeline/denial.h"

#include <memory>
#include <string_view>

namespace sallyport::pipeline {

class BodyFilter {
public:
    virtual ~BodyFilter() = default;

    struct Passed {
        std::string_view bytes;         // may be empty; valid until the next call
        std::unique_ptr<Denial> denial; // not null: nothing more of the body may be forwarded
    };
    /// Takes the next part of the body, and returns the bytes that may be forwarded now. All that
    /// arrived, or a denial, after the last part.
    [[nodiscard]] virtual Passed take(http::BodyPart const& part) = 0;
};

} // namespace sallyport::pipeline
