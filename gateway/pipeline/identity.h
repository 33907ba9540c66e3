// A caller and its permissions: the same for every way of authentication.
#pragma once

#include "config/yaml.h"
#include "gateway/contract/labels.h"
#include "gateway/pipeline/caller.h"
#include "gateway/pipeline/permissions.h"
#include "gateway/pipeline/sha256.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::pipeline {

/// A label's value as it is compared with other texts, and sent in fields: `true`, `5`.
[[nodiscard]] std::string text_of(contract::LabelValue const& value);

/// A caller. Immutable. It outlives the exchanges that refer to it. What callers have in common
/// they share.
struct Identity {
    std::string name; // in the access log
    contract::Labels labels;
    std::shared_ptr<std::vector<Permissions> const> permissions; // by Api::index; null: none
    std::vector<std::shared_ptr<AllowedValues const>> values;    // ParameterTest::values
    /// The contract's x-when rules that apply to this caller, by Api::index; null: none.
    std::shared_ptr<std::vector<contract::Conditions> const> conditions;
    CallerKey key = 0; // of its name
    /// The operations for which its scopes are enough, of those that need some (scope_rules.h), by
    /// Api::index; null: none.
    std::shared_ptr<std::vector<OperationSet> const> within_scope;
    /// SHA-256 of the certificate with which alone it may be used (RFC 8705, 3); null: with any, or
    /// with none.
    std::shared_ptr<Digest const> bound_to;
    /// When its credential, or its token, ends.
    std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
    /// Until when what its issuer has said of its token counts; then the issuer is asked again.
    std::chrono::system_clock::time_point known_until =
        std::chrono::system_clock::time_point::max();
    /// For operators: its entry, or the roles of its token's settings.
    config::yaml::Mark place = {};
    /// For operators, by Rule::number. Null: none of them refuses what it names.
    std::shared_ptr<std::vector<config::yaml::Mark> const> rule_places = {};

    /// At an API, by its index; null: none.
    [[nodiscard]] Permissions const* permissions_at(std::size_t api) const noexcept {
        bool const is_there = permissions != nullptr && api < permissions->size();
        return is_there ? &(*permissions)[api] : nullptr;
    }
    [[nodiscard]] bool is_within_scope(std::size_t api, std::uint32_t operation) const noexcept {
        return within_scope != nullptr && api < within_scope->size()
               && (*within_scope)[api].has(operation);
    }
};

} // namespace sallyport::pipeline
