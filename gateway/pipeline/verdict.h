// The result of a plugin's check.
#pragma once

#include "gateway/pipeline/denial.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace sallyport::pipeline {

/// Cheap for requests that pass: a denial, which only a refused request needs, is on the heap.
class [[nodiscard]] Verdict {
public:
    enum class Kind : std::uint8_t {
        pass,
        deny,
        abstain, // not responsible: authenticators only
        missing, // a fact must be fetched first: learn() is awaited, and decides
    };

    [[nodiscard]] static Verdict pass() { return Verdict{Kind::pass}; }
    [[nodiscard]] static Verdict abstain() { return Verdict{Kind::abstain}; }
    [[nodiscard]] static Verdict missing() { return Verdict{Kind::missing}; }
    [[nodiscard]] static Verdict deny(Denial denial) {
        Verdict verdict{Kind::deny};
        verdict.denial_ = std::make_unique<Denial>(std::move(denial));
        return verdict;
    }
    [[nodiscard]] static Verdict deny(Reason reason, std::string public_detail) {
        return deny(Denial{reason, std::move(public_detail), {}, {}, {}});
    }

    [[nodiscard]] Kind kind() const { return kind_; }
    /// Only for a denying verdict.
    std::unique_ptr<Denial> take_denial() && { return std::move(denial_); }

private:
    explicit Verdict(Kind kind) : kind_{kind} {}

    Kind kind_;
    std::unique_ptr<Denial> denial_;
};

} // namespace sallyport::pipeline
