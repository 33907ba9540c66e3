// Keys of the configuration about the claims of a token: see claim_settings.h.
#include "plugins/claim_settings.h"

#include "config/patterns.h"
#include "config/text.h"
#include "gateway/text/ascii.h"

#include <algorithm>
#include <utility>

namespace sallyport::plugins {

using config::Empty;
using config::NamedAt;
using config::Reader;
using config::Shape;
using config::Value;

namespace {

constexpr std::size_t longest_text = 1024;

// --- texts and lists of them

Shape text_of_config(std::size_t longest = longest_text) {
    return config::text_shape(static_cast<std::int64_t>(longest), config::text_pattern());
}

void add_text(Reader& reader, Value const& item, std::vector<std::string>& out) {
    auto text = reader.read_line(item, longest_text);
    if (!text) return;
    if (std::find(out.begin(), out.end(), *text) != out.end())
        return reader.refuse(item, "is given twice", "remove one");
    out.push_back(std::move(*text));
}

// --- claims: a name, or a pointer (RFC 6901) that begins with a slash

constexpr std::string_view how_to_point =
    "write a name, or a pointer to a claim inside of another: /realm_access/roles";

constexpr std::string_view no_pointer = "is no pointer: a `~` in it has to be ~0 or ~1";

// RFC 6901, 3: `~` is written ~0, and only that and ~1 may stand there.
bool is_claim(std::string_view text) {
    if (!text.starts_with('/')) return true;
    for (auto at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
        bool const is_escape = at + 1 < text.size() && (text[at + 1] == '0' || text[at + 1] == '1');
        if (!is_escape) return false;
    }
    return true;
}

Shape claim_shape() {
    return config::text_shape(256, config::text_pattern());
}

std::optional<std::string> read_claim(Reader& reader, Value const& value) {
    auto text = reader.read_line(value, 256);
    if (!text || is_claim(*text)) return text;
    reader.refuse(value, std::string{no_pointer}, std::string{how_to_point});
    return std::nullopt;
}

// Names of claims, and words that stand for roles: as the schema has them too.
constexpr std::size_t longest_name = 256;
constexpr std::string_view pattern_of_names = R"(^[^\x00-\x1f\x7f]{1,256}$)";

bool check_name(Reader& reader, config::NamedValue const& named) {
    auto const& name = named.name;
    bool const is_right = !name.empty() && name.size() <= longest_name
                          && std::none_of(name.begin(), name.end(), text::is_control);
    if (!is_right)
        reader.refuse(config::Origin{named.mark, named.value.path},
                      "is empty, too long, or has a control character", "write 1 to 256 bytes");
    return is_right;
}

bool check_claim_name(Reader& reader, config::NamedValue const& named) {
    if (!check_name(reader, named)) return false;
    if (is_claim(named.name)) return true;
    reader.refuse(config::Origin{named.mark, named.value.path}, std::string{no_pointer},
                  std::string{how_to_point});
    return false;
}

// --- required claims, labels

void read_labels(Reader& reader, Value const& value, ClaimMapping& out) {
    for (auto const& named : reader.read_named(value, Empty::refused)) {
        bool const is_name = reader.check_name(named.mark, named.value.path, named.name);
        auto claim = read_claim(reader, named.value);
        if (!is_name || !claim) continue;
        out.labels.push_back({{named.name, Reader::origin_of(named.value)}, std::move(*claim)});
    }
}

// --- roles

Shape role_names_shape() {
    return config::list_shape(config::text_shape(64, config::name_pattern()), 1, config::no_limit,
                              config::Repeats::refused);
}

void read_role_names(Reader& reader, Value const& value, std::vector<NamedAt>& out) {
    for (Value const& item : reader.read_list(value, Empty::refused)) {
        auto name = reader.read_line(item, 64);
        if (!name || !reader.check_name(item.node->mark(), item.path, *name)) continue;
        bool const is_there = std::any_of(out.begin(), out.end(),
                                          [&](NamedAt const& one) { return one.name == *name; });
        if (is_there) {
            reader.refuse(item, "is given twice", "remove one");
        } else {
            out.push_back({std::move(*name), Reader::origin_of(item)});
        }
    }
}

void read_mapping(Reader& reader, Value const& value, RoleMapping& out) {
    for (auto const& named : reader.read_named(value, Empty::refused)) {
        if (!check_name(reader, named)) continue;
        RolesOfValue one{named.name, {}};
        read_role_names(reader, named.value, one.roles);
        out.by_value.push_back(std::move(one));
    }
}

config::Section<RoleMapping> const& roles_section() {
    using T = RoleMapping;
    static config::Section<T> const section{
        "roles of tokens",
        {
            config::custom_key<T>({"always", role_names_shape(),
                                   "roles of the file of credentials that every token has"},
                                  [](Reader& reader, Value const& value, T& out) {
                                      read_role_names(reader, value, out.always);
                                  }),
            config::custom_key<T>({"claim", claim_shape(),
                                   "the claim with the words that stand for roles: a list, or a "
                                   "text of words between spaces"},
                                  [](Reader& reader, Value const& value, T& out) {
                                      if (auto claim = read_claim(reader, value))
                                          out.claim = std::move(*claim);
                                  })
                .needing("mapping", "its words stand for nothing without `mapping`"),
            config::custom_key<T>(
                {"mapping",
                 config::named_shape(role_names_shape(), 1, std::string{pattern_of_names}),
                 "the roles that a word of the claim stands for; other words stand for nothing"},
                read_mapping)
                .needing("claim", "no `claim` has these words"),
        },
        {.some_of = {{"always", "claim"}}, .fewest_keys = 1}};
    return section;
}

void read_roles(Reader& reader, Value const& value, ClaimMapping& out) {
    auto& roles = out.roles;
    roles_section().read(reader, value, roles);
    out.places.roles = value.node->mark();
    if (!value.node->is_mapping()) return;
    reader.check_needs(value, roles_section().info());
    bool const has_some =
        value.node->find("always") != nullptr || value.node->find("claim") != nullptr;
    if (!has_some)
        reader.refuse(value, "gives no role to any token: nothing would be allowed",
                      "write always: [ROLE], or a claim and what its words stand for");
}

// --- scopes

config::Section<RequiredScopes> const& scopes_section() {
    using T = RequiredScopes;
    static config::Section<T> const section{
        "scopes of tokens",
        {
            config::custom_key<T>({"claim", claim_shape(),
                                   "the claim with the scopes: a list, or a text of words between "
                                   "spaces",
                                   T{}.claim},
                                  [](Reader& reader, Value const& value, T& out) {
                                      if (auto claim = read_claim(reader, value))
                                          out.claim = std::move(*claim);
                                  }),
            config::custom_key<T>({"required", texts_shape(), "every token has all of them"},
                                  [](Reader& reader, Value const& value, T& out) {
                                      read_texts(reader, value, out.required);
                                  }),
        },
        {.fewest_keys = 1}};
    return section;
}

void read_scopes(Reader& reader, Value const& value, ClaimMapping& out) {
    scopes_section().read(reader, value, out.scopes);
    if (!value.node->is_mapping()) return;
    if (value.node->entries().empty()) reader.refuse(value, "is empty", "write claim or required");
    if (auto const* const required = value.node->find("required"))
        out.places.scopes = required->mark();
}

} // namespace

Shape texts_shape() {
    return config::list_shape(text_of_config(), 1, config::no_limit, config::Repeats::refused);
}

Shape one_or_more_shape() {
    return config::either_shape(text_of_config(), texts_shape());
}

void read_texts(Reader& reader, Value const& value, std::vector<std::string>& out) {
    for (Value const& item : reader.read_list(value, Empty::refused))
        add_text(reader, item, out);
}

void read_one_or_more(Reader& reader, Value const& value, std::vector<std::string>& out) {
    if (value.node->is_sequence()) return read_texts(reader, value, out);
    add_text(reader, value, out);
}

Shape required_claims_shape() {
    return config::named_shape(texts_shape(), 1, std::string{pattern_of_names});
}

void read_required_claims(Reader& reader, Value const& value, std::vector<jose::RequiredClaim>& out,
                          ClaimPlaces& places) {
    for (auto const& named : reader.read_named(value, Empty::refused)) {
        if (!check_claim_name(reader, named)) continue;
        jose::RequiredClaim claim{named.name, {}};
        read_texts(reader, named.value, claim.values);
        out.push_back(std::move(claim));
        places.required.push_back(named.mark);
    }
}

std::vector<config::Key<ClaimMapping>> const& claim_keys() {
    using T = ClaimMapping;
    static std::vector<config::Key<T>> const keys{
        certificate_bound_key(),
        config::custom_key<T>(
            {"scopes", config::section_shape(scopes_section().info()),
             "the claim with the scopes, and those without which a token is "
             "refused"},
            [](Reader& reader, Value const& value, T& out) { read_scopes(reader, value, out); }),
        config::custom_key<T>({"name_claim", claim_shape(),
                               "the claim with the caller's name in logs", T{}.name_claim},
                              [](Reader& reader, Value const& value, T& out) {
                                  if (auto claim = read_claim(reader, value))
                                      out.name_claim = std::move(*claim);
                                  out.places.name = value.node->mark();
                              }),
        config::custom_key<T>(
            {"labels", config::named_shape(claim_shape(), 1, config::name_pattern()),
             "labels of the caller, and the claim with the value of each, which every token has"},
            read_labels),
        config::custom_key<T>({"roles", config::section_shape(roles_section().info()),
                               "what tokens may do: roles of the file of credentials"},
                              read_roles)
            .required("roles: { always: [ROLE] }"),
    };
    return keys;
}

} // namespace sallyport::plugins
