// What `authenticate:` has in its list: an authenticator, or several that must all prove one
// caller.
#pragma once

#include "config/yaml.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::config {

/// Names of authenticators, at least one, in the order of the alphabet. Of several each must prove
/// the caller, and all of them the same credential.
class AuthenticatorSet {
public:
    // Most sets are one name.
    AuthenticatorSet(std::string name) : names_{std::move(name)} {} // NOLINT(*-explicit-*)
    AuthenticatorSet(char const* name) : names_{name} {}            // NOLINT(*-explicit-*)
    explicit AuthenticatorSet(std::vector<std::string> names) : names_{std::move(names)} {
        std::sort(names_.begin(), names_.end());
    }

    /// Of several: where it stands, for operators. It makes no difference between two.
    void stands_at(yaml::Mark const& place) { place_ = place; }
    [[nodiscard]] yaml::Mark const& place() const { return place_; }

    [[nodiscard]] std::vector<std::string> const& names() const { return names_; }
    [[nodiscard]] bool is_one() const { return names_.size() == 1; }
    [[nodiscard]] bool has(std::string_view name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }
    /// Whether it has every name of the other one.
    [[nodiscard]] bool includes(AuthenticatorSet const& other) const {
        return std::includes(names_.begin(), names_.end(), other.names_.begin(),
                             other.names_.end());
    }
    /// `basic`, `{ all: [basic, client_certificate] }`: as it is written.
    [[nodiscard]] std::string text() const {
        if (is_one()) return names_.front();
        std::string out;
        for (auto const& name : names_)
            out += (out.empty() ? "" : ", ") + name;
        return "{ all: [" + out + "] }";
    }

    friend bool operator==(AuthenticatorSet const& one, AuthenticatorSet const& other) {
        return one.names_ == other.names_;
    }

private:
    std::vector<std::string> names_;
    yaml::Mark place_;
};

using AuthenticatorSets = std::vector<AuthenticatorSet>;

/// Whether one of the sets has the name.
[[nodiscard]] inline bool names_any(AuthenticatorSets const& sets, std::string_view name) {
    return std::any_of(sets.begin(), sets.end(),
                       [name](AuthenticatorSet const& set) { return set.has(name); });
}

} // namespace sallyport::config
