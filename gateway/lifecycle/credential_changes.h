// What a reload has changed of the credentials, by their names: for the gateway's own log.
#pragma once

#include "gateway/pipeline/credentials.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sallyport::config {
struct Credential;
}

namespace sallyport::lifecycle {

/// `changed`: its permissions, labels, times, names of certificates or key ids.
enum class CredentialChange : std::uint8_t {
    added,
    removed,
    secret_added,
    secret_removed,
    disabled,
    enabled,
    changed,
};
[[nodiscard]] std::string_view to_string(CredentialChange change) noexcept;

struct ChangedCredential {
    std::string name;
    std::vector<CredentialChange> changes; // in the order above
};

/// Names and numbers alone, nothing of a secret or its hash.
struct CredentialChanges {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t changed = 0;              // entries of both that differ
    std::vector<ChangedCredential> first; // the first of all these: most_changes_listed at most

    [[nodiscard]] bool are_none() const { return added + removed + changed == 0; }
};
inline constexpr std::size_t most_changes_listed = 20;

/// The credentials of the table before, to be found by what a load makes of the same names. The
/// table outlives it.
class CredentialsBefore {
public:
    /// Of the first load: there are none.
    CredentialsBefore() = default;
    explicit CredentialsBefore(pipeline::CredentialTable const& table);

    /// Null: there is none of that name.
    [[nodiscard]] pipeline::Credential const* find(std::string_view name) const;

    /// In the order of the file, then those that were removed. Takes about as long for each
    /// credential as finding it by its name. Both tables were compiled with Compared::by_next_load.
    [[nodiscard]] CredentialChanges changes_to(pipeline::CredentialTable const& now) &&;

private:
    pipeline::CredentialTable const* table_ = nullptr;
    std::unordered_map<std::string_view, pipeline::Credential const*> by_name_;
};

/// How many of them are disabled.
[[nodiscard]] std::size_t count_disabled(pipeline::CredentialTable const& table);

/// Whether the next load says what has changed of the credentials of this one: only then their
/// entries get Credential::rest.
enum class Compared : std::uint8_t { never, by_next_load };

/// Credential::rest of entries: one after the other, because they share roles.
class RestOfEntries {
public:
    [[nodiscard]] std::uint64_t of(config::Credential const& credential);

private:
    std::unordered_map<void const*, std::uint64_t> roles_; // those that were met
};

} // namespace sallyport::lifecycle
