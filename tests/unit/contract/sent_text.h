// Violations as the client receives them, for tests.
#pragma once

#include "gateway/contract/violation.h"

#include <string>

namespace sallyport::test {

struct SentText {
    static std::string messages(contract::Violation const& violation) {
        std::string all;
        for (std::size_t which = 0; which < contract::count_for_client(violation); ++which) {
            if (which != 0) all += "; ";
            contract::append_message(all, violation, which, contract::ToItsSender{});
        }
        return all;
    }
    static std::string pointer(contract::Violation const& violation, std::size_t which = 0) {
        std::string pointer;
        contract::append_pointer(pointer, violation, which, contract::ToItsSender{});
        return pointer;
    }
};

} // namespace sallyport::test

namespace sallyport::contract {

/// The messages of a violation, joined by "; ".
[[nodiscard]] inline std::string message_of(Violation const& violation) {
    return sallyport::test::SentText::messages(violation);
}

} // namespace sallyport::contract
