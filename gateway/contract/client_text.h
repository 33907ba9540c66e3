// Text that the client sent, for its own response and for nothing else.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sallyport::respond {
class ProblemWriter;
}
namespace sallyport::commands {
class ViolationPrinter;
}
namespace sallyport::test {
struct SentText;
}

namespace sallyport::contract {

/// What opens a ClientText. Only those can make one that write to the client itself, or to the
/// person at the command line whose body it is. No log, metric or page is among them.
class ToItsSender {
    friend class respond::ProblemWriter;
    friend class commands::ViolationPrinter;
    friend struct sallyport::test::SentText;
    constexpr ToItsSender() noexcept {}
};

/// The name of a member that no contract declares may be a secret in the wrong place: it can be
/// moved about, and read by nobody without a ToItsSender.
class ClientText {
public:
    ClientText() = default;
    explicit ClientText(std::string text) noexcept : text_{std::move(text)} {}

    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
    [[nodiscard]] std::string_view read(ToItsSender) const noexcept { return text_; }

private:
    std::string text_;
};

} // namespace sallyport::contract
