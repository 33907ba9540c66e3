// Matches labels of callers against the conditions of `x-when`.
#include "gateway/contract/labels.h"

#include <algorithm>

namespace sallyport::contract {

bool is_same(LabelValue const& left, LabelValue const& right) noexcept {
    auto const* const left_integer = std::get_if<std::int64_t>(&left);
    auto const* const right_integer = std::get_if<std::int64_t>(&right);
    auto const* const left_number = std::get_if<double>(&left);
    auto const* const right_number = std::get_if<double>(&right);
    // A double beyond 2^53 represents several integers: it is equal to none of them.
    constexpr double exact = 9007199254740992.0;
    auto const equals = [](double number, std::int64_t integer) {
        return number >= -exact && number <= exact && number == static_cast<double>(integer);
    };
    if (left_integer != nullptr && right_number != nullptr) {
        return equals(*right_number, *left_integer);
    }
    if (left_number != nullptr && right_integer != nullptr) {
        return equals(*left_number, *right_integer);
    }
    return left == right;
}

bool Condition::binds(Labels const& labels) const noexcept {
    return std::all_of(tests.begin(), tests.end(), [&labels](Test const& test) {
        auto const label = std::find_if(labels.begin(), labels.end(), [&test](Label const& one) {
            return one.name == test.name;
        });
        return label != labels.end()
               && std::any_of(test.values.begin(), test.values.end(), [&](LabelValue const& value) {
                      return is_same(value, label->value);
                  });
    });
}

void Conditions::set(std::uint32_t condition) {
    if (condition / 64 >= words_.size()) words_.resize(condition / 64 + 1);
    words_[condition / 64] |= std::uint64_t{1} << (condition % 64);
}

} // namespace sallyport::contract
