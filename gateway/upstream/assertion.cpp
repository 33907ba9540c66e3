// The signed token in which an upstream learns who calls (RFC 7519, RFC 7515).
#include "gateway/upstream/assertion.h"

#include "gateway/jose/signing_key.h"
#include "gateway/observe/json_text.h"

#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

namespace sallyport::upstream {

namespace {

using observe::JsonText;
using pipeline::Exchange;

// Of all names of claims, numbers and signs between them.
constexpr std::size_t around_claims = 512;
// Of a label: quotes, colon, comma, and a number.
constexpr std::size_t around_label = 64;

// Never cut: room is there for all of it.
void put(JsonText& json, std::string_view text) {
    json.string(text, text.size() * observe::longest_written_character);
}

struct PutLabel {
    JsonText& json;

    void operator()(bool value) const { json.raw(std::string_view{value ? "true" : "false"}); }
    void operator()(std::string const& value) const { put(json, value); }
    void operator()(std::int64_t value) const { put_number(value); }
    void operator()(double value) const {
        if (std::isfinite(value)) {
            put_number(value);
        } else {
            json.raw("null"); // RFC 8259, 6: JSON has no such number
        }
    }

private:
    template <class Number>
    void put_number(Number value) const {
        std::array<char, 32> digits{};
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        json.raw(std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
    }
};

// RFC 7519, 4.1.7: unique, also where a request is sent twice.
std::string identifier() {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, 16> random{};
    if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return {};
    std::string text;
    for (auto const byte : random) {
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

std::size_t room_for(pipeline::AssertionRules const& rules, Exchange const& exchange) {
    auto const& decision = exchange.decision;
    auto texts = rules.issuer.size() + rules.audience.size() + decision.caller->name.size()
                 + decision.api->name.size() + exchange.request.id.text().size();
    if (decision.operation != nullptr) texts += decision.operation->id.size();
    std::size_t numbers = around_claims;
    for (auto const& label : decision.caller->labels) {
        texts += label.name.size();
        numbers += around_label;
        if (auto const* const text = std::get_if<std::string>(&label.value)) texts += text->size();
    }
    return texts * observe::longest_written_character + numbers;
}

// The claims (RFC 7519, 4); empty: no random bytes.
std::string claims_of(pipeline::AssertionRules const& rules, Exchange const& exchange) {
    auto const id = identifier();
    if (id.empty()) return {};
    auto const& decision = exchange.decision;
    // RFC 7519, 2: seconds since 1970 in UTC.
    auto const now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    std::string room(room_for(rules, exchange), '\0');
    JsonText json{room.data(), room.data() + room.size()};
    json.raw("{\"iss\":");
    put(json, rules.issuer);
    json.raw(",\"aud\":");
    put(json, rules.audience);
    json.raw(",\"sub\":");
    put(json, decision.caller->name);
    json.raw(",\"iat\":", static_cast<std::uint64_t>(now.count()),
             ",\"exp\":", static_cast<std::uint64_t>((now + rules.lifetime).count()), ",\"jti\":\"",
             std::string_view{id}, "\",\"request_id\":\"", exchange.request.id.text(),
             "\",\"api\":");
    put(json, decision.api->name);
    if (decision.operation != nullptr) {
        json.raw(",\"operation\":");
        put(json, decision.operation->id);
    }
    json.raw(",\"labels\":{");
    std::string_view separator = "";
    for (auto const& label : decision.caller->labels) {
        json.raw(separator);
        put(json, label.name);
        json.raw(":");
        std::visit(PutLabel{json}, label.value);
        separator = ",";
    }
    json.raw("}}");
    if (json.is_full()) return {};
    room.resize(json.text().size());
    return room;
}

} // namespace

void append_assertion(std::string& to, pipeline::AssertionRules const& rules,
                      Exchange const& exchange) {
    if (exchange.decision.caller == nullptr) return;
    auto const key = rules.keys->current(std::chrono::steady_clock::now());
    auto const claims = claims_of(rules, exchange);
    if (key == nullptr || claims.empty()) return;
    auto const token = key->sign(claims);
    if (!token.empty()) to.append(rules.field).append(": ").append(token).append("\r\n");
}

} // namespace sallyport::upstream
