// The key `identity` of an API or an upstream: the fields in which the upstream learns who calls.
#include "config/patterns.h"
#include "config/sections.h"

#include <utility>

namespace sallyport::config {

namespace {

constexpr std::int64_t most_labels = 32;
constexpr std::int64_t longest_field = 64;
constexpr std::size_t longest_label = 256;
constexpr std::size_t longest_claim = 1024;

void read_header(Reader& reader, Value const& value, CallerFields& out) {
    auto name = reader.read_line(value, longest_field);
    if (!name) return;
    if (!is_field_name(*name)) return refuse_field_name(reader, Reader::origin_of(value));
    out.fields.push_back({std::move(*name), {}, Reader::origin_of(value)});
}

void read_labels(Reader& reader, Value const& value, CallerFields& out) {
    auto const labels = reader.read_named(value, Empty::refused);
    if (static_cast<std::int64_t>(labels.size()) > most_labels)
        reader.refuse(value, "has more than 32 fields", "write fewer");
    for (NamedValue const& named : labels) {
        Origin const origin{named.mark, named.value.path};
        if (!is_field_name(named.name)) {
            refuse_field_name(reader, origin);
            continue;
        }
        auto label = reader.read_line(named.value, longest_label);
        if (label) out.fields.push_back({named.name, std::move(*label), origin});
    }
}

void read_assertion_header(Reader& reader, Value const& value, Assertion& out) {
    auto name = reader.read_line(value, longest_field);
    if (!name) return;
    if (!is_field_name(*name)) return refuse_field_name(reader, Reader::origin_of(value));
    out.field = {std::move(*name), {}, Reader::origin_of(value)};
}

// RFC 7519, 2: StringOrURI.
Key<Assertion> text_key(std::string_view name, std::string Assertion::*member,
                        std::string_view help) {
    return custom_key<Assertion>({name, text_shape(static_cast<std::int64_t>(longest_claim)), help},
                                 [member](Reader& reader, Value const& value, Assertion& out) {
                                     if (auto text = reader.read_line(value, longest_claim))
                                         out.*member = std::move(*text);
                                 });
}

Section<Assertion> const& assertion_section() {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    using std::chrono::seconds;
    KeyInfo header{"header", text_shape(longest_field, field_name_pattern()),
                   "name of the field with the token", Assertion{}.field.name};
    static Section<Assertion> const section{
        "assertion",
        {
            custom_key<Assertion>(std::move(header), read_assertion_header),
            text_key("issuer", &Assertion::issuer, "who the gateway is (iss)")
                .required("issuer: https://gateway.example.com"),
            text_key("audience", &Assertion::audience, "whom the token is for (aud)")
                .required("audience: orders"),
            duration_key("lifetime", &Assertion::lifetime, seconds{1}, hours{1},
                         "how long a token is valid; parts of a second are left out"),
            file_key(
                "key", &Assertion::key,
                "PEM file of an EC key on P-256, with which tokens are signed (ES256); without "
                "it the gateway makes keys, and rotates them"),
            duration_key("rotate_every", &Assertion::rotate_every, seconds{1}, hours{720},
                         "how long a key that the gateway has made signs"),
            duration_key("publish_ahead", &Assertion::publish_ahead, milliseconds{0}, hours{168},
                         "how long a new key is published before it signs"),
        }};
    return section;
}

void read_assertion(Reader& reader, Value const& value, CallerFields& out) {
    auto& assertion = out.assertion.emplace();
    assertion.field.origin = Reader::origin_of(value);
    assertion_section().read(reader, value, assertion);
    if (value.node->is_mapping() && assertion.key && value.node->find("rotate_every") != nullptr)
        reader.refuse(Reader::child(value, "rotate_every"), "the key comes from a file",
                      "remove it: another file is another key");
}

Section<CallerFields> const& identity_section() {
    KeyInfo header{"header", text_shape(longest_field, field_name_pattern()),
                   "name of the field with the name of the caller's credential"};
    KeyInfo labels{
        "labels",
        named_shape(text_shape(static_cast<std::int64_t>(longest_label)), 1, field_name_pattern()),
        "names of fields, each with the name of the label whose value it has"};
    labels.shape.maximum = most_labels;
    KeyInfo assertion{"assertion", section_shape(assertion_section().info()),
                      "a signed token that says who calls (JWT), in a field of its own"};
    static Section<CallerFields> const section{
        "identity",
        {
            custom_key<CallerFields>(std::move(header), read_header),
            custom_key<CallerFields>(std::move(labels), read_labels),
            custom_key<CallerFields>(std::move(assertion), read_assertion),
        },
        {.fewest_keys = 1}};
    return section;
}

} // namespace

SectionInfo const& identity_info() {
    return identity_section().info();
}

void read_identity(Reader& reader, Value const& value, std::optional<CallerFields>& out) {
    auto& fields = out.emplace();
    fields.origin = Reader::origin_of(value);
    identity_section().read(reader, value, fields);
    if (value.node->is_mapping() && value.node->entries().empty())
        reader.refuse(value, "tells the upstream nothing", "write header: X-Caller, or remove it");
}

} // namespace sallyport::config
