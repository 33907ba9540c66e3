// Exact decimal numbers from JSON texts: rules are checked on the number as sent, not on the
// nearest double.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// The length of the number (RFC 8259, 6) at the beginning of `text`; 0: there is none.
[[nodiscard]] std::size_t number_length(std::string_view text) noexcept;
/// Whether `text` is a number (RFC 8259, 6) and nothing else.
[[nodiscard]] inline bool is_number(std::string_view text) noexcept {
    return !text.empty() && number_length(text) == text.size();
}

/// A view of a number's text: its digits without zeros at either end, and the power of ten of the
/// last digit. Nothing is expanded: `1e999999999` takes no more time than its text is long.
/// Exponents are clamped far beyond what a text can compensate.
class Decimal {
public:
    Decimal() = default; // zero
    /// `text` is a valid number (is_number), and outlives this.
    explicit Decimal(std::string_view text) noexcept;

    [[nodiscard]] bool is_zero() const noexcept { return first_ == last_; }
    [[nodiscard]] bool is_integer() const noexcept { return is_zero() || exponent_ >= 0; }
    [[nodiscard]] bool is_negative() const noexcept { return negative_; }

    /// Whether this is an integer multiple of `divisor` times ten to the power of
    /// `divisor_exponent`; `divisor` is not 0.
    [[nodiscard]] bool is_multiple_of(std::uint64_t divisor,
                                      std::int64_t divisor_exponent) const noexcept;

    /// Appends a canonical text: equal for equal numbers, and only for these.
    void append_canonical(std::string& out) const;

    /// -1, 0 or 1, as `left` is less than, equal to or greater than `right`.
    [[nodiscard]] static int compare(Decimal const& left, Decimal const& right) noexcept;

    /// The digits as an integer without the power of ten; false: they do not fit.
    [[nodiscard]] bool coefficient(std::uint64_t& out) const noexcept;
    /// The power of ten of the last digit.
    [[nodiscard]] std::int64_t exponent() const noexcept { return exponent_; }
    /// The value as an integer of 64 bits; false: it is not one.
    [[nodiscard]] bool whole(std::int64_t& out) const noexcept;

private:
    [[nodiscard]] char digit(std::size_t index) const noexcept {
        return index < whole_.size() ? whole_[index] : fraction_[index - whole_.size()];
    }
    [[nodiscard]] std::size_t digits() const noexcept { return last_ - first_; }

    std::string_view whole_;
    std::string_view fraction_;
    std::size_t first_ = 0; // into the digits of whole and fraction, one after the other
    std::size_t last_ = 0;
    std::int64_t exponent_ = 0;
    bool negative_ = false;
};

/// The decimal text of an integer, and the memory for it.
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
