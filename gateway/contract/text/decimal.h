// Exact decimal numbers over JSON texts: rules are decided on what was sent, not on the nearest
// double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The length of the number (RFC 8259, 6) that `text` begins with; 0: it begins with none.
[[nodiscard]] std::size_t number_length(std::string_view text) noexcept;
[[nodiscard]] inline bool is_number(std::string_view text) noexcept {
    return !text.empty() && number_length(text) == text.size();
}

/// A view of a number's text: its digits without zeros at either end, and the power of ten of the
/// last of them. Nothing is expanded, so that `1e999999999` costs what its text costs. Exponents are
/// clamped far beyond what a text can balance.
class Decimal {
public:
    Decimal() = default; // zero
    /// `text` has been found to be a number, and outlives this.
    explicit Decimal(std::string_view text) noexcept;

    [[nodiscard]] bool is_zero() const noexcept { return first_ == last_; }
    [[nodiscard]] bool is_integer() const noexcept { return is_zero() || exponent_ >= 0; }
    [[nodiscard]] bool is_negative() const noexcept { return negative_; }

    /// Whether this is a whole multiple of `divisor` times ten to the power of `divisor_exponent`;
    /// divisor: not 0.
    [[nodiscard]] bool is_multiple_of(std::uint64_t divisor,
                                      std::int64_t divisor_exponent) const noexcept;

    /// One text for one value: equal numbers, and only these, append the same bytes.
    void append_canonical(std::string& out) const;

    /// -1, 0 or 1.
    [[nodiscard]] static int compare(Decimal const& left, Decimal const& right) noexcept;

    /// The digits as an integer without their power of ten; nullopt-like false if they do not fit.
    [[nodiscard]] bool coefficient(std::uint64_t& out) const noexcept;
    [[nodiscard]] std::int64_t exponent() const noexcept { return exponent_; }
    /// The value as an integer of 64 bits; false: it is none.
    [[nodiscard]] bool whole(std::int64_t& out) const noexcept;

private:
    [[nodiscard]] char digit(std::size_t index) const noexcept {
        return index < whole_.size() ? whole_[index] : fraction_[index - whole_.size()];
    }
    [[nodiscard]] std::size_t digits() const noexcept { return last_ - first_; }

    std::string_view whole_;
    std::string_view fraction_;
    std::size_t first_ = 0; // of the digits of whole and fraction taken together
    std::size_t last_ = 0;
    std::int64_t exponent_ = 0;
    bool negative_ = false;
};

/// The decimal text of an integer, with the memory it needs.
class IntegerText {
public:
    explicit IntegerText(std::int64_t value) noexcept;
    explicit IntegerText(std::uint64_t value) noexcept;
    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), length_}; }

private:
    std::array<char, 24> text_{};
    std::size_t length_ = 0;
};

} // namespace sallyport::contract
