// What the certificates of callers are in the configuration.
#include "plugins/client_certificate/settings.h"

#include "config/patterns.h"
#include "config/settings.h"
#include "gateway/pipeline/sha256.h"
#include "gateway/secrets/stored_hash.h"
#include "gateway/text/ascii.h"
#include "plugins/client_certificate/client_certificate.h"
#include "plugins/client_certificate/keys.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::plugins {

namespace {

using config::Empty;
using config::Identity;
using config::Reader;
using config::Value;

constexpr std::int64_t most_names = 16; // of a kind
constexpr std::int64_t longest_subject = 1024;
constexpr std::int64_t longest_dns = 253;  // RFC 1035, 2.3.4
constexpr std::int64_t longest_uri = 2048; // SPIFFE-ID, 2.3
constexpr std::int64_t longest_email = 320;

// What a text has to be, and how to write it.
struct Form {
    std::int64_t longest;
    bool (*fits)(std::string_view);
    std::string_view what;
    std::string_view hint;
    std::string (*key)(std::string_view);
    void (*judge)(Reader&, Value const&, std::string_view) = nullptr;
};

// RFC 5280, 4.2.1.6, 7.2: names of hosts, those of others as A-labels. A wildcard is of nobody.
bool is_dns_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

// RFC 3986, 3.
bool is_uri(std::string_view text) {
    auto const scheme = text.substr(0, text.find(':'));
    return scheme.size() < text.size() && !scheme.empty() && text::is_letter(scheme.front())
           && std::all_of(scheme.begin(), scheme.end(),
                          [](char c) {
                              return text::is_letter_or_digit(c) || c == '+' || c == '-'
                                     || c == '.';
                          })
           && text.find(' ') == std::string_view::npos;
}

bool is_email(std::string_view text) {
    auto const at = text.find('@');
    return at != 0 && at != std::string_view::npos
           && text.substr(0, at).find_first_of(" $") == std::string_view::npos
           && is_dns_name(text.substr(at + 1));
}

// SPIFFE-ID, 2: a trust domain in lower case, and segments that are not empty, `.` or `..`.
bool is_spiffe_id(std::string_view id) {
    constexpr std::string_view start = "spiffe://";
    if (!id.starts_with(start)) return false;
    auto rest = id.substr(start.size());
    auto const domain = rest.substr(0, rest.find('/'));
    if (domain.size() > 255 || !is_dns_name(domain)) return false;
    for (rest.remove_prefix(domain.size()); !rest.empty();) {
        rest.remove_prefix(1);
        auto const segment = rest.substr(0, rest.find('/'));
        bool const is_good =
            !segment.empty() && segment != "." && segment != ".."
            && std::all_of(segment.begin(), segment.end(), [](char c) {
                   return text::is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
               });
        if (!is_good) return false;
        rest.remove_prefix(segment.size());
    }
    return true;
}

// Only a warning: an authority may have issued it all the same.
void judge_uri(Reader& reader, Value const& value, std::string_view uri) {
    std::string scheme{uri.substr(0, uri.find(':'))};
    std::transform(scheme.begin(), scheme.end(), scheme.begin(), text::to_lower);
    if (scheme != "spiffe" || is_spiffe_id(uri)) return;
    reader.warn(value, Reader::shown(value) + " is not a SPIFFE ID: no workload has it",
                "write spiffe://DOMAIN/PATH, with the domain in lower case and no slash at the "
                "end");
}

constexpr Form dns_form{longest_dns, is_dns_name, "is not the name of a host in lower case",
                        "write one as in the certificate, without a wildcard",
                        certificate_keys::of_dns};
constexpr Form uri_form{longest_uri,
                        is_uri,
                        "is not a URI",
                        "write one as in the certificate",
                        certificate_keys::of_uri,
                        judge_uri};
constexpr Form email_form{longest_email, is_email,
                          "is not the address of a mailbox with its domain in lower case",
                          "write one as in the certificate", certificate_keys::of_email};

void add_key(Reader& reader, Value const& value, std::string key, Identity& out) {
    if (std::find(out.keys.begin(), out.keys.end(), key) == out.keys.end()) {
        out.keys.push_back(std::move(key));
    } else {
        reader.refuse(value, "is given twice", "remove one");
    }
}

config::Key<Identity> names_key(std::string_view name, Form const& form, std::string pattern,
                                std::string_view help) {
    auto element = config::text_shape(form.longest, std::move(pattern));
    config::KeyInfo info{
        name, config::list_shape(std::move(element), 0, most_names, config::Repeats::refused),
        help};
    return config::custom_key<Identity>(
        std::move(info), [&form](Reader& reader, Value const& value, Identity& out) {
            auto const items = reader.read_list(value, Empty::told);
            if (items.size() > static_cast<std::size_t>(most_names))
                reader.refuse(value, "has more than 16", "write other credentials for the rest");
            for (Value const& item : items) {
                auto const text = reader.read_line(item, static_cast<std::size_t>(form.longest));
                if (!text) continue;
                if (form.fits(*text)) {
                    if (out.key_id.empty()) out.key_id = *text;
                    if (form.judge != nullptr) form.judge(reader, item, *text);
                    add_key(reader, item, form.key(*text), out);
                } else {
                    reader.refuse(item, Reader::shown(item) + ' ' + std::string{form.what},
                                  std::string{form.hint});
                }
            }
        });
}

config::Section<Identity> const& san_section() {
    static config::Section<Identity> const section{
        "san",
        {
            names_key("dns", dns_form, "^[0-9a-z._-]+$",
                      "names of hosts, in lower case; any of them"),
            names_key("uri", uri_form, config::text_pattern(" ", "[A-Za-z][0-9A-Za-z+.-]*:"),
                      "URIs, byte by byte, such as SPIFFE IDs"),
            names_key("email", email_form, R"(^[^@ $\x00-\x1F\x7F]+@[0-9a-z._-]+$)",
                      "addresses of mailboxes, with their domains in lower case"),
        },
        config::SectionRules{.fewest_keys = 1}};
    return section;
}

// RFC 4514: `CN=billing,O=Example`. What is not written so would match no certificate.
void read_subject(Reader& reader, Value const& value, Identity& out) {
    auto text = reader.read_line(value, static_cast<std::size_t>(longest_subject));
    if (!text) return;
    auto const type = text->substr(0, text->find('='));
    bool const begins_well = !type.empty() && type.size() < text->size()
                             && std::all_of(type.begin(), type.end(), [](char c) {
                                    return text::is_letter_or_digit(c) || c == '.';
                                });
    if (!begins_well) {
        reader.refuse(value, Reader::shown(value) + " is not a subject as RFC 4514 writes it",
                      "write what this prints: openssl x509 -noout -subject -nameopt "
                      "RFC2253,-esc_msb -in FILE");
        return;
    }
    auto const comma = text->find(", ");
    if (comma != std::string::npos && (*text)[comma - 1] != '\\')
        reader.warn(value, "has a space behind a comma, which no subject of a certificate has",
                    "remove it");
    out.keys.push_back(certificate_keys::of_subject(*text));
    out.key_id = std::move(*text);
}

void read_fingerprints(Reader& reader, Value const& value, Identity& out) {
    auto const items = reader.read_list(value, Empty::told);
    if (items.size() > static_cast<std::size_t>(most_names))
        reader.refuse(value, "has more than 16", "write other credentials for the rest");
    for (Value const& item : items) {
        auto const text = reader.read_line(item, 128);
        if (!text) continue;
        auto const digest = secrets::parse_sha256(*text);
        if (!digest) {
            reader.refuse(item, Reader::shown(item) + " is not the fingerprint of a certificate",
                          "write sha256: and what this prints: openssl x509 -outform der -in FILE "
                          "| sha256sum");
            continue;
        }
        if (out.key_id.empty()) out.key_id = *text;
        add_key(reader, item, certificate_keys::of_fingerprint(pipeline::as_text(*digest)), out);
    }
}

void read_san(Reader& reader, Value const& value, Identity& out) {
    san_section().read(reader, value, out);
    if (value.node->is_mapping() && value.node->find("dns") == nullptr
        && value.node->find("uri") == nullptr && value.node->find("email") == nullptr)
        reader.refuse(value, "is empty", "write dns, uri or email");
}

using Listeners = std::vector<config::NamedAt>;

// Whether there are such listeners is checked with the configuration.
void read_listeners_of_entry(Reader& reader, Value const& value, Identity& out) {
    Listeners listeners;
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto name = reader.read_line(item, 64);
        if (!name || !reader.check_name(item.node->mark(), item.path, *name)) continue;
        bool const is_there = std::any_of(listeners.begin(), listeners.end(),
                                          [&name](auto const& one) { return one.name == *name; });
        if (is_there) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            listeners.push_back({std::move(*name), Reader::origin_of(item)});
        }
    }
    out.own = config::Opaque::of(std::move(listeners));
}

config::Section<Identity> const& section() {
    static config::Section<Identity> const made{
        "client_certificate",
        {
            config::custom_key<Identity>(
                {"subject",
                 config::text_shape(longest_subject, config::text_pattern({}, "[0-9A-Za-z.]+=")),
                 "the subject as RFC 4514 writes it, byte by byte: `CN=billing,O=Example`"},
                read_subject),
            config::custom_key<Identity>({"san", config::section_shape(san_section().info()),
                                          "alternative names, of which one is enough"},
                                         read_san),
            config::custom_key<Identity>(
                {"fingerprints",
                 config::list_shape(config::text_shape(128, "^sha256:[0-9a-f]{64}$"), 0, most_names,
                                    config::Repeats::refused),
                 "sha256: and the lower-case hex of SHA-256 over the certificate in DER; several "
                 "while it is renewed"},
                read_fingerprints),
            config::custom_key<Identity>(
                {"listeners",
                 config::list_shape(config::text_shape(64, config::name_pattern()), 1,
                                    config::no_limit, config::Repeats::refused),
                 "listeners to which it is shown, and whose authorities have signed it; without it "
                 "any"},
                read_listeners_of_entry),
        },
        config::SectionRules{.one_of = {"subject", "san", "fingerprints"},
                             .choice = "write one of them"}};
    return made;
}

Identity read_identity(Reader& reader, Value const& mapping) {
    Identity out;
    section().read(reader, mapping, out);
    if (mapping.node->is_mapping())
        (void)reader.check_choice(Reader::origin_of(mapping), mapping, section().info().rules);
    auto const* const listeners = out.own.as<Listeners>();
    if (listeners == nullptr) return out;
    std::vector<std::string> keys;
    for (auto const& listener : *listeners)
        for (auto const& key : out.keys)
            keys.push_back(certificate_keys::at_listener(listener.name, key));
    out.keys = std::move(keys);
    return out;
}

} // namespace

config::Authenticator const& client_certificate_settings() {
    static config::Authenticator const settings{
        .name = client_certificate_name,
        .shows = config::Shows::certificate,
        .identity = config::IdentitySettings{
            .help = "the certificate with which the caller connects",
            .section = &section().info(),
            .read = read_identity,
            .unique = {.key = "",
                       .noun = "name or fingerprint",
                       .hint = "write others: nothing would say whose certificate it is"}}};
    return settings;
}

} // namespace sallyport::plugins
