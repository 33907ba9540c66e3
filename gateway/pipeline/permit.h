// The right to forward: made by the pipeline alone, after its last step.
#pragma once

#include <string_view>
#include <utility>

namespace sallyport::pipeline {

struct Exchange;

/// For one exchange, once. It holds that exchange and the very bytes that were validated:
/// forwarding takes everything from it, so that nothing can be sent that was not checked.
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
    /// Of a body that was read whole; empty where there is none, or where it streams.
    [[nodiscard]] std::string_view body() const noexcept { return body_; }

private:
    friend class Pipeline;
    Permit(Exchange& exchange, std::string_view body) noexcept
        : exchange_{&exchange}, body_{body} {}

    Exchange* exchange_;
    std::string_view body_;
};

} // namespace sallyport::pipeline
