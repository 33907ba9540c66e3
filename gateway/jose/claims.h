// The claims of a token (RFC 7519, 4), and whether they are those that are expected.
#pragma once

#include "gateway/jose/jws.h"

#include <simdjson.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::jose {

using TimePoint = std::chrono::system_clock::time_point;

/// A claim that has to have one of these values. A list has it if one of its elements has it.
struct RequiredClaim {
    std::string name; // of find_claim()
    std::vector<std::string> values;
};

/// What `typ` of the header may be (RFC 8725, 3.11). `application/` in front of it is left out, and
/// letter case does not matter (RFC 7515, 4.1.9).
struct ExpectedTypes {
    bool at_jwt = true; // `at+jwt`: access tokens of RFC 9068
    bool jwt = true;
    bool absent = true;
};

struct Expectations {
    std::vector<std::string> issuers;   // `iss` is one of them, byte for byte
    std::vector<std::string> audiences; // one of them is in `aud`
    ExpectedTypes types;
    std::chrono::milliseconds leeway{30'000}; // of clocks
    std::vector<RequiredClaim> required;
};

/// What was found of a token that is not refused.
struct Checked {
    Refusal refusal;
    TimePoint until; // from then on it is refused
};

/// Of the header and the claims; `now`: the wall clock.
[[nodiscard]] Checked check(Header const& header, simdjson::dom::object claims,
                            Expectations const& expected, TimePoint now);

/// The same for single rules, of claims that no token holds but an issuer has sent.
/// RFC 7519, 4.1.3: whether one of them is in `aud`, which is a text or a list of texts.
[[nodiscard]] bool has_audience(simdjson::dom::object claims,
                                std::vector<std::string> const& audiences);
[[nodiscard]] Refusal check_required(simdjson::dom::object claims,
                                     std::vector<RequiredClaim> const& required);

/// Whether claims without `exp` are refused.
enum class Expiry : std::uint8_t { required, optional };
struct CheckedTimes {
    Refusal refusal;
    std::optional<TimePoint> expires; // `exp` itself; none: it has none
};
/// `exp`, `nbf` and `iat`, each with the leeway.
[[nodiscard]] CheckedTimes check_times(simdjson::dom::object claims,
                                       std::chrono::milliseconds leeway, Expiry expiry,
                                       TimePoint now);

/// A claim by its name; by a pointer (RFC 6901) if it begins with a slash, for claims inside of
/// others: `/realm_access/roles`. None: there is none, or it is null.
[[nodiscard]] std::optional<simdjson::dom::element> find_claim(simdjson::dom::object claims,
                                                               std::string const& name);

/// A text, a number or a boolean, as it is compared with texts; nothing: something else.
[[nodiscard]] std::optional<std::string> text_of(simdjson::dom::element value);

/// The words of a claim: the texts of a list, or those between the spaces of a text (RFC 8693,
/// 4.2). Nothing: it is neither, or an element is no text.
[[nodiscard]] std::optional<std::vector<std::string_view>> words_of(simdjson::dom::element value);

} // namespace sallyport::jose
