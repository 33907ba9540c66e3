// Fuzzes answers of issuers about tokens: each says something, nothing, or that the token is
// active and has not expired.
#include "check.h"

#include "plugins/introspection/answer.h"

#include <algorithm>
#include <string>
#include <variant>

namespace {

using namespace sallyport;
using namespace std::chrono_literals;
using fuzz::check;
using fuzz::Copy;
using fuzz::view_of;
using pipeline::AuthFailure;

jose::TimePoint const now{std::chrono::seconds{1'800'000'000}};

plugins::ExpectedAnswer expected(bool is_strict) {
    plugins::ExpectedAnswer out;
    if (!is_strict) return out;
    out.issuers = {"https://issuer.example"};
    out.audiences = {"items"};
    out.required = {{"/realm/tier", {"gold"}}};
    return out;
}

void check_answer(plugins::Answer const& answer) {
    switch (answer.failure) {
    case AuthFailure::none: break;
    case AuthFailure::unavailable:
    case AuthFailure::inactive:
    case AuthFailure::expired:
    case AuthFailure::not_yet_valid:
    case AuthFailure::claim: check(answer.why.size() < 100, "a note is a sentence"); return;
    default: check(false, "no other failure is that of an answer");
    }
    bool is_active = false;
    check(answer.claims.at_key("active").get_bool().get(is_active) == simdjson::SUCCESS
              && is_active,
          "an active token is said to be active");
    auto const leeway = plugins::ExpectedAnswer{}.leeway;
    check(!answer.expires || *answer.expires + leeway > now, "and has not expired");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{view_of(data, size)};
    static jose::StrictJson json; // as a worker's: it keeps its memory
    auto const loose = plugins::read_answer(json, input.view(), expected(false), now);
    check_answer(loose);
    auto const loose_failure = loose.failure;
    auto const strict = plugins::read_answer(json, input.view(), expected(true), now);
    check_answer(strict);
    check(strict.failure != AuthFailure::none || loose_failure == AuthFailure::none,
          "what is expected makes nothing acceptable");
    return 0;
}
