// What is known about a caller, and which `x-when` entries of a contract bind a caller with such
// labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sallyport::contract {

/// Values are typed: the string "true" is not the boolean, and 5 equals 5.0.
using LabelValue = std::variant<bool, std::int64_t, double, std::string>;

[[nodiscard]] bool is_same(LabelValue const& left, LabelValue const& right) noexcept;

struct Label {
    std::string name;
    LabelValue value;
};

using Labels = std::vector<Label>;

/// One distinct set of labels that stands under an `x-when`: it binds a caller who has all of them,
/// each with one of the values listed. A caller without one of the labels is not bound.
struct Condition {
    struct Test {
        std::string name;
        std::vector<LabelValue> values;
    };
    std::vector<Test> tests;

    [[nodiscard]] bool binds(Labels const& labels) const noexcept;
};

/// Which conditions of one contract bind one caller: computed once per credential
/// (Contract::conditions_for), then only bits are tested. Conditions of another contract mean
/// nothing here.
class Conditions {
public:
    Conditions() = default; // binds to nothing: a caller without labels

    [[nodiscard]] bool binds(std::uint32_t condition) const noexcept {
        return condition / 64 < words_.size()
               && (words_[condition / 64] >> (condition % 64) & 1U) != 0;
    }
    void set(std::uint32_t condition);

private:
    std::vector<std::uint64_t> words_;
};

} // namespace sallyport::contract
