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

/// Grants access to a ClientText. Only the classes that write to the client itself, or to the user
/// of the command line whose body it is, can construct one; no log, metric or page can.
class ToItsSender {
    friend class respond::ProblemWriter;
    friend class commands::ViolationPrinter;
    friend struct sallyport::test::SentText;
    constexpr ToItsSender() noexcept {}
};

/// The name of a property that no contract declares: it may be a secret in the wrong place. It can
/// be moved, but not read without a ToItsSender.
class ClientText {
public:
    ClientText() = default;
    explicit ClientText(std::string text) noexcept : text_{std::move(text)} {}

    /// Puts a text before this one, unless this one is empty.
    void put_before(std::string_view text) {
        if (!text_.empty()) text_.insert(0, text);
    }
    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
    /// The text, a view into this object.
    [[nodiscard]] std::string_view read(ToItsSender) const noexcept { return text_; }

private:
    std::string text_;
};

} // namespace sallyport::contract
