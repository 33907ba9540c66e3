// The claims of a token, and whether they are those that are expected: see claims.h.
#include "gateway/jose/claims.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sallyport::jose {

namespace {

namespace dom = simdjson::dom;
using Which = Unmet::Which;
using std::chrono::duration_cast;
using std::chrono::seconds;

bool has(std::vector<std::string> const& list, std::string_view one) {
    return std::find(list.begin(), list.end(), one) != list.end();
}

// ASCII, as media types are.
bool is_same_type(std::string_view one, std::string_view other) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [lower](char a, char b) { return lower(a) == lower(b); });
}

bool is_expected(std::optional<std::string> const& type, ExpectedTypes const& expected) {
    if (!type) return expected.absent;
    std::string_view name = *type;
    constexpr std::string_view prefix = "application/";
    if (is_same_type(name.substr(0, prefix.size()), prefix)) name.remove_prefix(prefix.size());
    return (expected.at_jwt && is_same_type(name, "at+jwt"))
           || (expected.jwt && is_same_type(name, "jwt"));
}

// RFC 7519, 2: NumericDate, seconds that may have a fraction.
struct Date {
    bool is_there = false;
    bool is_date = false;
    double value = 0;
};

Date date_of(dom::object claims, std::string_view name) {
    dom::element value;
    if (claims.at_key(name).get(value) != simdjson::SUCCESS) return {};
    Date date{true, false, 0};
    // Beyond it a double has no seconds any more.
    constexpr double latest = 9007199254740992.0;
    bool const is_number = value.get_double().get(date.value) == simdjson::SUCCESS;
    date.is_date = is_number && date.value >= 0 && date.value <= latest;
    return date;
}

Refusal check_claims(dom::object claims, Expectations const& expected) {
    auto const issuer = text_member(claims, "iss");
    if (!issuer || !has(expected.issuers, *issuer))
        return {Fault::claim, "its `iss` is not the issuer's", {Which::issuer}};
    if (!has_audience(claims, expected.audiences))
        return {Fault::claim, "its `aud` is not that of this API", {Which::audience}};
    return check_required(claims, expected.required);
}

struct Times {
    Date expires, not_before, issued;
};

Refusal check_dates(Times const& times, Expiry expiry, double now, double leeway) {
    bool const may_lack = expiry == Expiry::optional && !times.expires.is_there;
    if (!times.expires.is_date && !may_lack)
        return {Fault::claim, "its `exp` is missing, or no date"};
    for (auto const* const date : {&times.not_before, &times.issued})
        if (date->is_there && !date->is_date)
            return {Fault::claim, "its `nbf` or `iat` is no date"};
    // RFC 7519, 4.1.4: on or after it the token is not accepted.
    if (times.expires.is_there && now >= times.expires.value + leeway)
        return {Fault::expired, "it has expired"};
    if (times.not_before.is_there && now + leeway < times.not_before.value)
        return {Fault::not_yet_valid, "it is not valid yet (`nbf`)"};
    // One that was issued in the future was made by a wrong clock, or not by the issuer.
    if (times.issued.is_there && now + leeway < times.issued.value)
        return {Fault::not_yet_valid, "it was issued in the future (`iat`)"};
    return {};
}

} // namespace

// RFC 7519, 4.1.3: one text, or a list of texts.
bool has_audience(dom::object claims, std::vector<std::string> const& audiences) {
    dom::element value;
    if (claims.at_key("aud").get(value) != simdjson::SUCCESS) return false;
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) return has(audiences, text);
    dom::array list;
    if (value.get_array().get(list) != simdjson::SUCCESS) return false;
    bool is_found = false;
    for (dom::element const one : list) {
        if (one.get_string().get(text) != simdjson::SUCCESS) return false;
        is_found = is_found || has(audiences, text);
    }
    return is_found;
}

Refusal check_required(dom::object claims, std::vector<RequiredClaim> const& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto const& required = wanted[i];
        auto const value = find_claim(claims, required.name);
        if (!value) return {Fault::claim, "a required claim is missing", {Which::required, i}};
        auto const fits = [&](dom::element one) {
            auto const text = text_of(one);
            return text && has(required.values, *text);
        };
        dom::array list;
        bool const is_list = value->get_array().get(list) == simdjson::SUCCESS;
        bool const is_right = is_list ? std::any_of(list.begin(), list.end(), fits) : fits(*value);
        if (!is_right)
            return {Fault::claim, "a required claim has another value", {Which::required, i}};
    }
    return {};
}

std::optional<dom::element> find_claim(dom::object claims, std::string const& name) {
    dom::element value;
    auto const error =
        name.starts_with('/') ? claims.at_pointer(name).get(value) : claims.at_key(name).get(value);
    if (error != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

std::optional<std::string> text_of(dom::element value) {
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) return std::string{text};
    bool boolean = false;
    if (value.get_bool().get(boolean) == simdjson::SUCCESS) return boolean ? "true" : "false";
    std::int64_t integer = 0;
    if (value.get_int64().get(integer) == simdjson::SUCCESS) return std::to_string(integer);
    return std::nullopt;
}

std::optional<std::vector<std::string_view>> words_of(dom::element value) {
    std::vector<std::string_view> words;
    std::string_view text;
    if (value.get_string().get(text) == simdjson::SUCCESS) {
        while (!text.empty()) {
            auto const space = std::min(text.find(' '), text.size());
            if (space != 0) words.push_back(text.substr(0, space));
            text.remove_prefix(std::min(space + 1, text.size()));
        }
        return words;
    }
    dom::array list;
    if (value.get_array().get(list) != simdjson::SUCCESS) return std::nullopt;
    for (dom::element const one : list) {
        if (one.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
        words.push_back(text);
    }
    return words;
}

Checked check(Header const& header, dom::object claims, Expectations const& expected,
              TimePoint now) {
    if (!is_expected(header.type, expected.types))
        return {{Fault::claim, "its `typ` is not one that is expected", {Which::type}}, {}};
    if (auto const refusal = check_claims(claims, expected); refusal.fault != Fault::none)
        return {refusal, {}};
    auto const times = check_times(claims, expected.leeway, Expiry::required, now);
    if (!times.expires) return {times.refusal, {}};
    return {times.refusal, *times.expires + expected.leeway};
}

CheckedTimes check_times(dom::object claims, std::chrono::milliseconds leeway, Expiry expiry,
                         TimePoint now) {
    using Seconds = std::chrono::duration<double>;
    auto const margin = Seconds{leeway}.count();
    Times const times{date_of(claims, "exp"), date_of(claims, "nbf"), date_of(claims, "iat")};
    auto const refusal =
        check_dates(times, expiry, duration_cast<Seconds>(now.time_since_epoch()).count(), margin);
    if (refusal.fault != Fault::none || !times.expires.is_there) return {refusal, {}};
    // As late as the clock can tell, for a token that says so.
    constexpr auto latest = std::chrono::hours{24 * 365 * 100};
    auto const left =
        std::min(Seconds{times.expires.value} - duration_cast<Seconds>(now.time_since_epoch()),
                 duration_cast<Seconds>(latest));
    return {{}, now + duration_cast<std::chrono::system_clock::duration>(left)};
}

} // namespace sallyport::jose
