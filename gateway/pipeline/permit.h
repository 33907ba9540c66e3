// The right to forward: made only by the pipeline, after its last step.
#pragma once

#include <string_view>
#include <utility>

namespace sallyport::pipeline {

struct Exchange;

/// For one exchange, once. It holds that exchange and the bytes that were validated: forwarding
/// takes everything from it, so that only checked data can be sent.
class [[nodiscard]] Permit {
public:
    Permit(Permit&& other) noexcept
        : exchange_{std::exchange(other.exchange_, nullptr)}, body_{other.body_} {}
    Permit& operator=(Permit&& other) noexcept {
        exchange_ = std::exchange(other.exchange_, nullptr);
        body_ = other.body_;
        return *this;
    }
    Permit(Permit const&) = delete;
    Permit& operator=(Permit const&) = delete;
    ~Permit() = default;

    [[nodiscard]] Exchange& exchange() const noexcept { return *exchange_; }
    /// A body that was read completely; empty if there is none, or if it is streamed.
    [[nodiscard]] std::string_view body() const noexcept { return body_; }

private:
    friend class Pipeline;
    Permit(Exchange& exchange, std::string_view body) noexcept
        : exchange_{&exchange}, body_{body} {}

    Exchange* exchange_;
    std::string_view body_;
};

} // namespace sallyport::pipeline
