// The file of credentials: who may call, proven by which digests, allowed what, until when.
#include "config/patterns.h"
#include "config/sections.h"
#include "config/text.h"
#include "gateway/text/hexadecimal.h"

#include <algorithm>
#include <map>
#include <set>

namespace sallyport::config {

namespace {

constexpr std::string_view how_to_hash =
    "write \"sha256:...\" as `sallyport credential hash` prints it";

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

// The digest of `sha256:` and 64 lower-case hexadecimal digits.
std::optional<Sha256> parse_digest(std::string_view hex) {
    Sha256 out{};
    if (hex.size() != 2 * out.size()) return std::nullopt;
    // In one spelling, so that it can be searched for.
    if (hex.find_first_of("ABCDEF") != std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < out.size(); ++i) {
        int const high = text::hex_value(hex[2 * i]);
        int const low = text::hex_value(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return out;
}

bool is_slow_hash(std::string_view text) {
    for (std::string_view const start : {"$argon2id$", "$2b$", "$2y$", "$y$", "$6$"}) {
        if (starts_with(text, start)) return true;
    }
    return false;
}

// What stands in a place for hashes may be a plain secret: no message repeats any of it.
std::optional<Sha256> read_digest(Reader& reader, Value const& value) {
    auto text = reader.read_line(value, 1024);
    if (!text) return std::nullopt;
    std::optional<Sha256> digest;
    if (is_slow_hash(*text)) {
        reader.refuse(value, "slow password hashes are not built yet",
                      "use a generated secret, and " + std::string{how_to_hash});
    } else if (!starts_with(*text, "sha256:")) {
        reader.refuse(value, "not a hash: a secret never stands here itself",
                      std::string{how_to_hash});
    } else if (!(digest = parse_digest(std::string_view{*text}.substr(7)))) {
        reader.refuse(value, "sha256: must be followed by 64 lower-case hexadecimal digits",
                      std::string{how_to_hash});
    }
    wipe(*text);
    return digest;
}

constexpr std::int64_t most_digests = 2;

Shape digests_shape() {
    return list_shape(text_shape(1024, "^sha256:[0-9a-f]{64}$"), 1, most_digests, Repeats::refused);
}

std::vector<Sha256> read_digests(Reader& reader, Value const& value) {
    std::vector<Sha256> out;
    auto const items = reader.read_list(value, Empty::refused);
    if (items.size() > static_cast<std::size_t>(most_digests)) {
        reader.refuse(value, "more than two at a time",
                      "keep the one in use, and one that replaces it");
    }
    for (Value const& item : items) {
        auto const digest = read_digest(reader, item);
        if (!digest) continue;
        if (std::find(out.begin(), out.end(), *digest) != out.end()) {
            reader.refuse(item, "the same hash is given twice", "remove one");
        } else {
            out.push_back(*digest);
        }
    }
    return out;
}

// RFC 7617, 2: the user-id ends at the first colon, and holds no control characters.
void read_key_id(Reader& reader, Value const& value, BasicIdentity& out) {
    auto key_id = reader.read_line(value, 256);
    if (!key_id) return;
    if (key_id->find(':') == std::string::npos) {
        out.key_id = std::move(*key_id);
    } else {
        reader.refuse(value, "holds a colon, which ends a key id (RFC 7617)", "choose one without");
    }
}

Section<BasicIdentity> const& basic_section() {
    static Section<BasicIdentity> const section{
        "basic",
        {
            custom_key<BasicIdentity>(
                {"key_id", text_shape(256, text_pattern(":")), "the user name, unique"},
                read_key_id)
                .required("key_id: ..."),
            custom_key<BasicIdentity>({"secrets", digests_shape(),
                                       "sha256: and the lower-case hex of SHA-256 over the secret; "
                                       "two during a rotation"},
                                      [](Reader& reader, Value const& value, BasicIdentity& out) {
                                          out.secrets = read_digests(reader, value);
                                      })
                .required("secrets: [\"sha256:...\"]"),
        }};
    return section;
}

Section<BearerIdentity> const& bearer_section() {
    static Section<BearerIdentity> const section{
        "bearer",
        {
            custom_key<BearerIdentity>(
                {"tokens", digests_shape(),
                 "sha256: and the lower-case hex of SHA-256 over the token; two during a rotation"},
                [](Reader& reader, Value const& value, BearerIdentity& out) {
                    out.tokens = read_digests(reader, value);
                })
                .required("tokens: [\"sha256:...\"]"),
        }};
    return section;
}

std::optional<LabelValue> read_label(Reader& reader, Value const& value) {
    yaml::Node const& node = *value.node;
    if (node.is_boolean()) return node.as_boolean();
    if (node.is_integer()) return node.as_integer();
    if (node.is_number()) return node.as_number();
    if (node.is_string()) {
        auto text = reader.read_text(value);
        if (!text || !reader.check_no_nul(Reader::origin_of(value), *text)) return std::nullopt;
        return std::move(*text);
    }
    reader.refuse_type(value, "a text, a number, true or false", "write one value");
    return std::nullopt;
}

struct Draft {
    Credential credential;
    std::vector<std::string> const* apis = nullptr;
};

void read_labels(Reader& reader, Value const& value, Draft& out) {
    for (NamedValue const& named : reader.read_named(value, Empty::allowed)) {
        auto label = read_label(reader, named.value);
        bool const is_name = reader.check_no_nul({named.mark, named.value.path}, named.name);
        if (!label || !is_name) continue;
        out.credential.labels.push_back(
            {named.name, std::move(*label), Reader::origin_of(named.value)});
    }
}

void read_name(Reader& reader, Value const& value, Draft& out) {
    auto name = reader.read_line(value, 64);
    if (name && reader.check_name(value.node->mark(), value.path, *name)) {
        out.credential.name = std::move(*name);
    }
}

void read_basic(Reader& reader, Value const& value, Draft& out) {
    BasicIdentity basic;
    basic_section().read(reader, value, basic);
    out.credential.identity = std::move(basic);
}

void read_bearer(Reader& reader, Value const& value, Draft& out) {
    BearerIdentity bearer;
    bearer_section().read(reader, value, bearer);
    out.credential.identity = std::move(bearer);
}

void read_expires(Reader& reader, Value const& value, Draft& out) {
    auto const text = reader.read_line(value, 64);
    if (!text) return;
    out.credential.expires = parse_date_time(*text);
    if (!out.credential.expires) {
        reader.refuse(value, Reader::shown(value) + " is not a point in time",
                      "write it as RFC 3339 has it: 2027-06-30T00:00:00Z");
    }
}

Section<Draft> const& credential_section() {
    static Section<Draft> const section{
        "credential",
        {
            custom_key<Draft>({"name", text_shape(64, name_pattern()), "its name in logs, unique"},
                              read_name)
                .required("name: NAME"),
            custom_key<Draft>({"basic", section_shape(basic_section().info()),
                               "a key id and its secret; either this or bearer"},
                              read_basic),
            custom_key<Draft>(
                {"bearer", section_shape(bearer_section().info()), "a token without a key id"},
                read_bearer),
            custom_key<Draft>({"labels", named_shape(ShapeKind::scalar, 0, R"(^[^\x00]*$)"),
                               "what contracts may ask of the caller (x-when)", "{}"},
                              read_labels),
            custom_key<Draft>({"allow",
                               either_shape(literal_shape("all"), section_shape(allow_info())),
                               "all, or what it is restricted to"},
                              [](Reader& reader, Value const& value, Draft& out) {
                                  read_allow(reader, value, *out.apis, out.credential.allow);
                              })
                .required("allow: all, or allow: { operations: [...] }"),
            custom_key<Draft>({"expires", text_shape(64, date_time_pattern()),
                               "RFC 3339: refused from then on; without it never"},
                              read_expires),
        },
        {.one = "basic", .other = "bearer", .choice = "write one of them"}};
    return section;
}

// What no two credentials may share. Maps to the name of the first that has it.
struct Taken {
    std::set<std::string> names;
    std::map<std::string, std::string> key_ids;
    std::map<Sha256, std::string> tokens;
};

void refuse_repeated(Reader& reader, Value const& value, Credential const& credential,
                     Taken& taken) {
    if (!credential.name.empty() && !taken.names.insert(credential.name).second) {
        reader.refuse(Reader::child(value, "name"),
                      "the name " + in_quotes(credential.name) + " is given twice",
                      "choose another");
    }
    if (auto const* basic = std::get_if<BasicIdentity>(&credential.identity)) {
        if (basic->key_id.empty()) return;
        auto const [other, is_new] = taken.key_ids.try_emplace(basic->key_id, credential.name);
        if (is_new) return;
        reader.refuse(Reader::child(Reader::child(value, "basic"), "key_id"),
                      "the credential " + in_quotes(other->second) + " has this key id too",
                      "choose another, or merge them: two secrets may stand in one");
    } else if (auto const* bearer = std::get_if<BearerIdentity>(&credential.identity)) {
        for (Sha256 const& token : bearer->tokens) {
            auto const [other, is_new] = taken.tokens.try_emplace(token, credential.name);
            if (is_new) continue;
            reader.refuse(Reader::child(Reader::child(value, "bearer"), "tokens"),
                          "the credential " + in_quotes(other->second) + " has this token too",
                          "make another token");
        }
    }
}

void read_list_of_credentials(Reader& reader, Value const& value, CredentialsFile& out) {
    Taken taken;
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        Draft draft;
        draft.apis = &out.apis;
        draft.credential.origin = Reader::origin_of(item);
        credential_section().read(reader, item, draft);
        (void)reader.check_choice(Reader::origin_of(item), item, credential_section().info().rules);
        refuse_repeated(reader, item, draft.credential, taken);
        out.credentials.push_back(std::move(draft.credential));
    }
}

} // namespace

Section<CredentialsFile> const& credentials_section() {
    static Section<CredentialsFile> const section{
        "credentials file",
        {custom_key<CredentialsFile>({"credentials",
                                      list_shape(section_shape(credential_section().info()), 1),
                                      "one entry a caller"},
                                     read_list_of_credentials)
             .required("credentials: [{ name: NAME, basic: { ... }, allow: all }]")}};
    return section;
}

} // namespace sallyport::config
