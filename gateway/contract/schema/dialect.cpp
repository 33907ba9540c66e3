// Vocabularies and dialects.
#include "gateway/contract/schema/dialect.h"

#include "config/text.h"

#include <algorithm>
#include <array>

namespace sallyport::contract {

namespace {

constexpr std::string_view prefix = "https://json-schema.org/draft/2020-12/vocab/";

struct Name {
    std::string_view name;
    Vocabularies bit;
};
constexpr std::array names{
    Name{"core", vocabulary::core},
    Name{"applicator", vocabulary::applicator},
    Name{"unevaluated", vocabulary::unevaluated},
    Name{"validation", vocabulary::validation},
    Name{"meta-data", vocabulary::meta_data},
    Name{"format-annotation", vocabulary::format_annotation},
    Name{"format-assertion", vocabulary::format_assertion},
    Name{"content", vocabulary::content},
};

constexpr std::array rules_of_later{
    std::string_view{"const"},
    std::string_view{"contains"},
    std::string_view{"dependentRequired"},
    std::string_view{"dependentSchemas"},
    std::string_view{"else"},
    std::string_view{"if"},
    std::string_view{"maxContains"},
    std::string_view{"minContains"},
    std::string_view{"patternProperties"},
    std::string_view{"prefixItems"},
    std::string_view{"propertyNames"},
    std::string_view{"then"},
    std::string_view{"unevaluatedItems"},
    std::string_view{"unevaluatedProperties"},
};
constexpr std::array rules_with_others{
    std::string_view{"dependentRequired"},
    std::string_view{"dependentSchemas"},
    std::string_view{"patternProperties"},
    std::string_view{"prefixItems"},
};

[[nodiscard]] bool has(auto const& list, std::string_view word) noexcept {
    return std::find(list.begin(), list.end(), word) != list.end();
}

} // namespace

bool is_rule_of_later(std::string_view keyword) noexcept {
    return has(rules_of_later, keyword);
}

bool is_rule_of_later_beside_ref(std::string_view keyword) noexcept {
    return has(rules_of_later, keyword) && !has(rules_with_others, keyword);
}

bool is_standard_dialect(std::string_view uri) noexcept {
    if (!uri.empty() && uri.back() == '#') uri.remove_suffix(1);
    return uri == dialect::uri || uri == dialect::openapi_uri
           || uri.starts_with(dialect::openapi_3_2_prefix);
}

DialectResult read_vocabularies(config::yaml::Node const& metaschema) {
    config::yaml::Node const* const listed = metaschema.find("$vocabulary");
    if (listed == nullptr) return {dialect::json_schema, {}};
    DialectResult result{vocabulary::core | vocabulary::openapi | vocabulary::gateway, {}};
    for (config::yaml::Entry const& entry : listed->entries()) {
        auto const known = std::find_if(names.begin(), names.end(), [&entry](Name const& one) {
            return entry.key.size() == prefix.size() + one.name.size()
                   && entry.key.compare(0, prefix.size(), prefix) == 0
                   && entry.key.compare(prefix.size(), one.name.size(), one.name) == 0;
        });
        if (known != names.end()) {
            result.vocabularies = static_cast<Vocabularies>(result.vocabularies | known->bit);
        } else if (entry.value.as_boolean()) {
            // JSON Schema 2020-12 core, 8.1.2: required, and unknown here: refused.
            result.error = "needs the vocabulary " + config::in_quotes(entry.key)
                           + ", which is not implemented";
        }
    }
    return result;
}

} // namespace sallyport::contract
