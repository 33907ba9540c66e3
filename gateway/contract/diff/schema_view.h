// A schema of one of two documents that are compared, and the parts of it that all apply.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/diff/place_index.h"
#include "gateway/contract/schema/documents.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::contract {

/// A schema with its place. Views into the document.
struct SchemaView {
    config::yaml::Node const* node = nullptr; // null: every value is valid
    Resource const* resource = nullptr;
    Documents* documents = nullptr;
    std::string pointer;                // RFC 6901
    PlaceIndex const* places = nullptr; // of a document whose objects were made of others

    [[nodiscard]] bool accepts_all() const noexcept;
    [[nodiscard]] bool accepts_none() const noexcept;
    [[nodiscard]] bool is_of_2_0() const noexcept;
    [[nodiscard]] bool is_of_3_0() const noexcept; // or 2.0, which has its keywords too
    [[nodiscard]] bool has_reference() const noexcept;
    /// Whether null is valid for it, whatever else it says.
    [[nodiscard]] bool is_nullable() const noexcept;
    /// Whether its keywords have the meaning that is known here.
    [[nodiscard]] bool is_opaque() const noexcept;
    /// The value of a keyword that has an effect; null: there is none.
    [[nodiscard]] config::yaml::Node const* find(std::string_view keyword) const noexcept;
    /// The schema below a keyword, or below a name or an index of it; accepts_all() if there is
    /// none.
    [[nodiscard]] SchemaView child(std::string_view keyword) const;
    [[nodiscard]] SchemaView child(std::string_view keyword, std::string_view name) const;
    [[nodiscard]] SchemaView child(std::string_view keyword, std::size_t index) const;
    /// The target of its `$ref`; accepts_all() if it has none.
    [[nodiscard]] SchemaView target() const;

private:
    [[nodiscard]] SchemaView at(config::yaml::Node const& below, std::string more) const;
};

/// A schema that applies to the same value as the one it belongs to, through `$ref` and `allOf`.
struct SchemaPart {
    SchemaView view;
    bool is_nullable = false; // null is valid for it, whatever it says
};
using SchemaParts = std::vector<SchemaPart>;

/// The parts of a schema, itself first; none if every value is valid.
[[nodiscard]] SchemaParts parts_of(SchemaView const& view);

/// The schema with every `$ref` expanded, as one text without what has no effect on validation;
/// empty: it is too large, or depends on where it is used.
[[nodiscard]] std::string expanded_text(SchemaView const& view);

/// A value as JSON, cut where it is long.
[[nodiscard]] std::string shown(config::yaml::Node const* node);

/// A reference token (RFC 6901) behind a pointer.
[[nodiscard]] std::string below(std::string_view pointer, std::string_view token);

} // namespace sallyport::contract
