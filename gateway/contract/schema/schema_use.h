// How the schemas of a contract are compiled: references, limits, and what each schema is for.
#pragma once

#include "gateway/contract/schema/program.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::contract {

/// What a `$ref` in the schema of a body becomes.
enum class References : std::uint8_t {
    expanded, // its target at each place, so that every rule has one place and one level
    shared,   // its target once for all places (compile_shared.cpp)
};

/// Limit for a contract: rules and schemas, and ten for each object with properties, whose table
/// takes as much memory. At the limit loading takes some 1 GB and three seconds.
inline constexpr std::size_t max_parts = 1'500'000;
/// The limit for an OpenAPI document with every `$ref` expanded: beyond it they are shared.
inline constexpr std::size_t max_expanded_parts = 100'000;
/// Depth up to which a shared schema is compiled where it is referred to first, not afterwards.
inline constexpr std::size_t max_shared_depth = 150;
inline constexpr std::size_t max_schema_depth = 400; // nesting of schemas, `$ref` steps included
/// That up to which a recursive schema is expanded once more.
inline constexpr std::size_t max_repeat_depth = 100;

/// A schema that refers to itself is expanded at each place from which it is entered, so that its
/// rules have their own names and levels there. The number of such places grows exponentially in
/// schemas that all refer to each other: repeated expansion is limited, counted in keywords and the
/// entries of their lists; beyond the limit an existing expansion is shared.
inline constexpr std::size_t max_repeated_inside = 1'000; // from one entry, inside it
inline constexpr std::size_t max_repeated_in_body = 10'000;
inline constexpr std::size_t max_repeated = 100'000; // of a contract

/// The purpose of a schema that is compiled.
struct SchemaUse {
    std::string pointer;     // prefix of rule pointers: "", "/responses/200", "/parameters/id"
    std::string source;      // x-source of the surrounding object
    std::string_view member; // the name for a secret marked at the root; empty: none
    std::uint32_t operation = 0;
    CompiledSchema::Side side = CompiledSchema::Side::request;
    bool is_body = false; // may be logged: every secret in it needs the name of a property
    bool may_share = false; // no other code looks for its rules at their places
};

} // namespace sallyport::contract
