// Labels of a caller, and which `x-when` conditions of a contract apply to a caller with such
// labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::contract {

/// Typed: the string "true" is not equal to the boolean, and 5 is equal to 5.0.
using LabelValue = std::variant<bool, std::int64_t, double, std::string>;

/// Equality of label values as described above.
[[nodiscard]] bool is_same(LabelValue const& left, LabelValue const& right) noexcept;

/// One label of a caller, from its credential.
struct Label {
    std::string name;
    LabelValue value;
};

using Labels = std::vector<Label>;

/// One distinct set of labels of an `x-when`. It applies to callers that have all of these labels,
/// each with one of the listed values. It does not apply to a caller without one of the labels.
struct Condition {
    struct Test {
        std::string name;
        std::vector<LabelValue> values;
    };
    std::vector<Test> tests;

    /// Whether it applies to a caller with these labels.
    [[nodiscard]] bool binds(Labels const& labels) const noexcept;
};

/// Which conditions of one contract apply to one caller: computed once per credential
/// (Contract::conditions_for), so that only bits are tested per request. Not valid for the
/// conditions of another contract.
class Conditions {
public:
    Conditions() = default; // none applies: a caller without labels

    /// Whether a condition applies, by its index in the program.
    [[nodiscard]] bool binds(std::uint32_t condition) const noexcept {
        return condition / 64 < words_.size()
               && (words_[condition / 64] >> (condition % 64) & 1U) != 0;
    }
    /// Marks a condition, by its index in the program, as applying.
    void set(std::uint32_t condition);

private:
    std::vector<std::uint64_t> words_;
};

} // namespace sallyport::contract
