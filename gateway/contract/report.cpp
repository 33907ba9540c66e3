// The reasons why a text is malformed, in words.
#include "gateway/contract/report.h"

namespace sallyport::contract {

void count_not_kept(std::vector<NotKept>& all, std::string_view rule, Level level) {
    for (NotKept& one : all) {
        if (one.rule != rule || one.level != level) continue;
        ++one.count;
        return;
    }
    all.push_back({rule, level, 1});
}

std::string_view name_of(Malformed reason) noexcept {
    switch (reason) {
    case Malformed::none: return "none";
    case Malformed::empty: return "empty";
    case Malformed::not_json: return "not_json";
    case Malformed::invalid_utf8: return "invalid_utf8";
    case Malformed::byte_order_mark: return "byte_order_mark";
    case Malformed::trailing_bytes: return "trailing_bytes";
    case Malformed::too_deep: return "too_deep";
    case Malformed::duplicate_member: return "duplicate_member";
    case Malformed::number: return "number";
    case Malformed::lone_surrogate: return "lone_surrogate";
    case Malformed::too_complex: break;
    }
    return "too_complex";
}

std::string_view describe(Malformed reason) noexcept {
    switch (reason) {
    case Malformed::none: return "the body is JSON";
    case Malformed::empty: return "the body is empty";
    case Malformed::not_json: return "the body is not JSON";
    case Malformed::invalid_utf8: return "the body is not UTF-8";
    case Malformed::byte_order_mark: return "the body begins with a byte-order mark";
    case Malformed::trailing_bytes: return "something follows the JSON value";
    case Malformed::too_deep: return "the body is nested too deeply";
    case Malformed::duplicate_member: return "a property name occurs twice in one object";
    case Malformed::number: return "a number is not valid JSON";
    case Malformed::lone_surrogate: return "a string contains half of a surrogate pair";
    case Malformed::too_complex: break;
    }
    return "validation would take too long";
}

} // namespace sallyport::contract
