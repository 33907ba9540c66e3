// The pseudo fields of a request (RFC 9113, 8.3), and the checks behind them.
#include "gateway/http2/request_head.h"

#include "gateway/http/characters.h"
#include "gateway/http2/broken.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sallyport::http2 {

namespace {

using http::Refused;
using http::RequestHead;

constexpr std::size_t most_trailers = std::size_t{8} * 1024;

// The values of the pseudo fields, by PseudoField.
class PseudoFields {
public:
    [[nodiscard]] bool has(PseudoField field) const noexcept {
        return (present_ & bit_of(field)) != 0;
    }
    [[nodiscard]] std::string_view const& operator[](PseudoField field) const noexcept {
        return values_[static_cast<std::size_t>(field)];
    }
    // RFC 9113, 8.3: known, and given once.
    Refused take(PseudoField field, std::string_view value) noexcept {
        if (field == PseudoField::unknown) return broken(http::rules::unknown_pseudo_field);
        if (has(field)) return broken(http::rules::repeated_pseudo_field);
        present_ |= bit_of(field);
        values_[static_cast<std::size_t>(field)] = value;
        return nullptr;
    }

private:
    [[nodiscard]] static unsigned bit_of(PseudoField field) noexcept {
        return 1U << static_cast<unsigned>(field);
    }

    std::array<std::string_view, static_cast<std::size_t>(PseudoField::unknown)> values_;
    unsigned present_ = 0;
};

Refused take_pseudo_field(FieldRecord const& record, std::string_view value, PseudoFields& pseudo,
                          RequestHead& head) noexcept {
    // RFC 9113, 8.3: all of them stand before the other fields.
    if (head.fields.size() != 0) return broken(http::rules::pseudo_field_behind_field);
    if (auto const refused = pseudo.take(record.pseudo, value)) return refused;
    if (record.pseudo == PseudoField::path) head.raw_target = value;
    if (record.pseudo != PseudoField::method) return nullptr;
    // RFC 9110, 9.1: method = token
    if (!http::is_all_of(http::token_character, value))
        return broken(http::rules::method_not_token);
    head.method_text = value;
    head.method = boost::beast::http::string_to_verb(value);
    return nullptr;
}

// `protocol`: the line of `:protocol`, if there is one.
Refused take_lines(StoredHead const& stored, PseudoFields& pseudo, RequestHead& head,
                   std::string_view& protocol) noexcept {
    char const* line = stored.bytes;
    for (auto const& record : stored.records()) {
        std::string_view const name{line, record.name_size};
        std::string_view const value{line + record.name_size + 2, record.value_size};
        std::string_view const whole{line, record.line_size()};
        line += whole.size();
        if (record.pseudo == PseudoField::none)
            head.fields.append({record.id, name, value, whole});
        else if (auto const refused = take_pseudo_field(record, value, pseudo, head))
            return refused;
        if (record.pseudo == PseudoField::protocol) protocol = whole;
    }
    return stored.refused;
}

// RFC 9113, 8.3.1: one of each but `:authority`.
Refused check_pseudo_fields(PseudoFields const& pseudo, RequestHead const& head) noexcept {
    // RFC 9113, 8.5: it has neither scheme nor path, and is not served; with a protocol it has both
    // (RFC 8441, 4).
    bool const is_connect = head.method_text == "CONNECT";
    if (is_connect && !pseudo.has(PseudoField::protocol))
        return broken(http::rules::connect_method);
    if (!is_connect && pseudo.has(PseudoField::protocol))
        return broken(http::rules::unknown_pseudo_field);
    if (!pseudo.has(PseudoField::method) || !pseudo.has(PseudoField::scheme)
        || !pseudo.has(PseudoField::path))
        return broken(http::rules::missing_pseudo_field);
    // RFC 9113, 3.2: over TLS alone. RFC 3986, 3.1: in any case.
    if (!http::equals_ignoring_case(pseudo[PseudoField::scheme], "https"))
        return broken(http::rules::scheme_not_https);
    // In HTTP/1 white space ends a target: a query with it would be another request to the upstream
    // (RFC 9113, 10.3).
    auto const& path = pseudo[PseudoField::path];
    bool const has_space =
        std::any_of(path.begin(), path.end(), [](char c) { return c == ' ' || c == '\t'; });
    return has_space ? broken(http::rules::path_not_origin_form) : nullptr;
}

// RFC 8441, 4: CONNECT with a protocol is what GET with Upgrade is in HTTP/1.1, so it is a GET
// here, with `:protocol` as its Upgrade, which HTTP/2 does not have. What follows is not a body.
void take_protocol(std::string_view line, std::string_view value, RequestHead& head) noexcept {
    head.method_text = "GET";
    head.method = http::Method::get;
    head.fields.append(
        {http::FieldId::upgrade, line.substr(0, line.size() - value.size() - 4), value, line});
}

} // namespace

Refused read_request_head(StoredHead const& stored, StreamEnd end, http::HeadLimits const& limits,
                          RequestHead& head) {
    head.reset(stored.bytes);
    head.protocol = http::Protocol::http_2;
    head.size = stored.text_size;
    // It is for heads of HTTP/1 alone.
    head.second_opinion = http::SecondOpinion::needless;
    PseudoFields pseudo;
    std::string_view protocol;
    if (auto const refused = take_lines(stored, pseudo, head, protocol)) return refused;
    if (auto const refused = check_pseudo_fields(pseudo, head)) return refused;
    if (!protocol.empty()) take_protocol(protocol, pseudo[PseudoField::protocol], head);
    bool const has_none = end == StreamEnd::ended || !protocol.empty();
    auto const body = has_none ? http::BodyFollows::no : http::BodyFollows::yes;
    auto const* const authority =
        pseudo.has(PseudoField::authority) ? &pseudo[PseudoField::authority] : nullptr;
    return http::check_http2_request(head, authority, body, limits.path);
}

Refused check_trailers(HeadBlock const& trailers) noexcept {
    auto const refused = trailers.refused();
    bool const is_too_large =
        refused != nullptr && refused->kind == http::RefusalKind::head_too_large;
    if (is_too_large || trailers.decoded_size() > most_trailers)
        return broken(http::rules::trailers_too_large);
    if (refused != nullptr) return broken(http::rules::malformed_trailer);
    auto const records = trailers.records();
    bool const has_pseudo = std::any_of(records.begin(), records.end(), [](auto const& record) {
        return record.pseudo != PseudoField::none;
    });
    return has_pseudo ? broken(http::rules::malformed_trailer) : nullptr;
}

} // namespace sallyport::http2
