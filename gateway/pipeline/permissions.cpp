// What callers may do at one API: see permissions.h.
#include "gateway/pipeline/permissions.h"

#include "gateway/text/ascii.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace sallyport::pipeline {

namespace {

// Eight-four-four-four-twelve hexadecimal digits, any version.
bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : text::hex_value(text[i]) < 0) return false;
    }
    return true;
}

std::optional<double> number_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace

AllowedValue::AllowedValue(std::string value)
    : value_{std::move(value)}, is_uuid_{is_uuid(value_)} {
    if (is_uuid_) std::transform(value_.begin(), value_.end(), value_.begin(), text::to_lower);
}

bool AllowedValue::matches(std::string_view decoded) const {
    if (!is_uuid_) return decoded == value_;
    return text::equals_ignoring_case(decoded, value_);
}

bool AllowedValue::resembles(std::string_view decoded) const {
    if (text::equals_ignoring_case(decoded, value_)) return true;
    auto const own = number_of(value_);
    return own && own == number_of(decoded);
}

void OperationSet::add(std::uint32_t operation) {
    if (operation / 64 >= words_.size()) words_.resize(operation / 64 + 1);
    words_[operation / 64] |= std::uint64_t{1} << (operation % 64);
}

void OperationSet::add(OperationSet const& others) {
    words_.resize(std::max(words_.size(), others.words_.size()));
    for (std::size_t i = 0; i < others.words_.size(); ++i)
        words_[i] |= others.words_[i];
}

void OperationSet::remove(OperationSet const& others) {
    auto const common = std::min(words_.size(), others.words_.size());
    for (std::size_t i = 0; i < common; ++i)
        words_[i] &= ~others.words_[i];
}

bool OperationSet::is_empty() const noexcept {
    return std::all_of(words_.begin(), words_.end(), [](auto const word) { return word == 0; });
}

bool MethodSet::has(std::string_view method) const {
    return any || std::find(names.begin(), names.end(), method) != names.end();
}

bool MethodSet::resembles(std::string_view method) const {
    return any || std::any_of(names.begin(), names.end(), [method](std::string const& name) {
               return text::equals_ignoring_case(name, method);
           });
}

void MethodSet::add(MethodSet const& others) {
    any = any || others.any;
    names.insert(names.end(), others.names.begin(), others.names.end());
}

void Permissions::combine() {
    OperationSet some;        // that a rule allows,
    OperationSet denied;      // denies whatever the path has,
    OperationSet denied_some; // or may deny
    for (Rule const& rule : rules) {
        bool const is_tested = !rule.tests.empty();
        if (rule.effect == Effect::allow) {
            some.add(rule.operations);
            if (!is_tested) allowed.add(rule.operations);
            methods_allowed.add(rule.methods);
        } else {
            (is_tested ? denied_some : denied).add(rule.operations);
            methods_denied.add(rule.methods);
        }
    }
    allowed.remove(denied);
    allowed.remove(denied_some);
    tested = std::move(some);
    tested.remove(denied);
    tested.remove(allowed);
}

} // namespace sallyport::pipeline
