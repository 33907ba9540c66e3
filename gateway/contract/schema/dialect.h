// The keywords that are in effect in a schema: the vocabularies of JSON Schema 2020-12, and the
// changes of OpenAPI.
#pragma once

#include "config/yaml.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// One bit each. A keyword of a vocabulary that the dialect does not contain is an annotation (JSON
/// Schema 2020-12 core, 6.5).
using Vocabularies = std::uint16_t;
namespace vocabulary {
inline constexpr Vocabularies core = 1;
inline constexpr Vocabularies applicator = 2;
inline constexpr Vocabularies unevaluated = 4;
inline constexpr Vocabularies validation = 8;
inline constexpr Vocabularies meta_data = 16;
inline constexpr Vocabularies format_annotation = 32;
inline constexpr Vocabularies format_assertion = 64;
inline constexpr Vocabularies content = 128;
inline constexpr Vocabularies openapi = 256;     // the base vocabulary of OpenAPI 3.1
inline constexpr Vocabularies openapi_3_0 = 512; // keywords with another meaning in OpenAPI 3.0
inline constexpr Vocabularies gateway = 1024;    // the gateway's own x- keywords
inline constexpr Vocabularies unknown = 2048;    // of a dialect that is not implemented
inline constexpr Vocabularies swagger = 4096;    // those of Swagger 2.0, besides those of 3.0
} // namespace vocabulary

/// The words of the gateway in documents: every other x- word is someone else's.
inline constexpr std::array gateway_words{
    std::string_view{"x-body-limit"}, std::string_view{"x-lists"},    std::string_view{"x-retry"},
    std::string_view{"x-secret"},     std::string_view{"x-source"},   std::string_view{"x-stream"},
    std::string_view{"x-timeouts"},   std::string_view{"x-trailers"}, std::string_view{"x-upgrade"},
    std::string_view{"x-when"},
};

/// The default dialects.
namespace dialect {
inline constexpr std::string_view uri = "https://json-schema.org/draft/2020-12/schema";
/// OpenAPI 3.1, 4.8.24.5: JSON Schema 2020-12 with a few more keywords; the default of its
/// documents, and of those of 3.2 (4.24.1).
inline constexpr std::string_view openapi_uri = "https://spec.openapis.org/oas/3.1/dialect/base";
/// What is published for 3.2 is named by its date.
inline constexpr std::string_view openapi_3_2_prefix = "https://spec.openapis.org/oas/3.2/dialect/";
/// JSON Schema 2020-12, where formats are annotations.
inline constexpr Vocabularies json_schema =
    vocabulary::core | vocabulary::applicator | vocabulary::unevaluated | vocabulary::validation
    | vocabulary::meta_data | vocabulary::format_annotation | vocabulary::content
    | vocabulary::openapi | vocabulary::gateway;
/// Contracts assert formats: `format: uuid` is meant as a rule there.
inline constexpr Vocabularies contract = json_schema | vocabulary::format_assertion;
inline constexpr Vocabularies openapi_3_0 = contract | vocabulary::openapi_3_0;
/// Version 2.0 has the keywords of draft 4 too, and fewer of its own.
inline constexpr Vocabularies swagger_2_0 = openapi_3_0 | vocabulary::swagger;
} // namespace dialect

/// Whether a rule of JSON Schema 2020-12 is not part of OpenAPI 3.0 (4.7.24), and read there as in
/// 3.1: it has one meaning.
[[nodiscard]] bool is_rule_of_later(std::string_view keyword) noexcept;
/// Whether such a rule is applied beside a `$ref`, where those of 3.0 are ignored (4.7.23): not one
/// that rules of 3.0 beside it belong to, such as `properties`.
[[nodiscard]] bool is_rule_of_later_beside_ref(std::string_view keyword) noexcept;

/// What is said of a dialect whose metaschema is not known.
inline constexpr std::string_view unknown_dialect = "is a dialect that is not implemented";

/// Whether a `$schema` or `jsonSchemaDialect` is equal to the default. Whether formats are asserted
/// is decided by the caller that loads the document.
[[nodiscard]] bool is_standard_dialect(std::string_view uri) noexcept;

/// The vocabularies of a dialect, or an error.
struct DialectResult {
    Vocabularies vocabularies = 0;
    std::string error; // empty: none
};
/// Reads the `$vocabulary` of a metaschema. One without has the vocabularies of the standard.
[[nodiscard]] DialectResult read_vocabularies(config::yaml::Node const& metaschema);

/// The text of a metaschema of the standard; empty: the URI is not one of them.
[[nodiscard]] std::string_view find_metaschema(std::string_view uri) noexcept;

} // namespace sallyport::contract
