// An API as the gateway runs it: its hosts and paths, its callers, its checks.
#pragma once

#include "config/opaque.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/levels.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/edge.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

/// `same`: a trailing slash makes no difference to a path of the contract.
enum class TrailingSlash : std::uint8_t { refuse, same };
/// `forward`: requests without an operation in the contract are forwarded unchecked.
enum class UnknownOperations : std::uint8_t { refuse, forward };

/// Immutable, owned by the snapshot.
struct Api {
    std::size_t index = 0; // index in the snapshot, and in Identity::permissions
    std::string name;
    std::vector<std::string> hosts; // lower case; empty: any
    std::vector<std::string>
        prefixes; // owned path prefixes: a request under one never belongs to another API
    std::shared_ptr<contract::Contract const> contract; // null: `paths:`, streamed and unchecked
    contract::LevelTable levels;
    std::vector<std::string> methods;      // without a contract: the allowed methods
    std::string allow;                     // the same as the value of an `Allow` field
    std::vector<std::string> authenticate; // names of authenticators in the registry
    std::vector<std::pair<std::string_view, config::Opaque>> settings; // of those, by their names
    std::shared_ptr<CredentialTable const> credentials;
    std::size_t upstream = 0; // index in the snapshot
    std::uint64_t body_limit = 0;
    bool forward_cookies = false;
    ProblemMembers problem_members = ProblemMembers::compatible; // in the problems of its refusals
    TrailingSlash trailing_slash = TrailingSlash::refuse;
    UnknownOperations unknown_operations = UnknownOperations::refuse;
    std::unique_ptr<EdgeRules const> edge; // null: heads are not changed
    double response_sample = 1.0; // share of the responses that are checked, if `levels` enables it

    /// Whether the API names this authenticator.
    [[nodiscard]] bool takes(std::string_view authenticator) const noexcept;

    /// What the authenticator has read of its own section; null: the API has none.
    template <class T>
    [[nodiscard]] T const* settings_of(std::string_view authenticator) const {
        for (auto const& [of, value] : settings) {
            if (of == authenticator) return value.template as<T>();
        }
        return nullptr;
    }
};

/// Finds the API of a request.
class ApiTable {
public:
    ApiTable() = default;
    explicit ApiTable(std::vector<std::unique_ptr<Api const>> apis);

    /// By host (lower case, without port), then by the longest owned prefix of the raw path; null
    /// if no API matches.
    [[nodiscard]] Api const* find(std::string_view host, std::string_view path) const;

    [[nodiscard]] std::vector<std::unique_ptr<Api const>> const& all() const { return apis_; }

private:
    struct Route {
        std::string prefix;
        Api const* api;
    };

    std::vector<std::unique_ptr<Api const>> apis_;
    std::vector<Route> routes_; // longest prefix first
};

/// Whether `path` belongs to `prefix`: every path below it if it ends in a slash, otherwise exactly
/// this path.
[[nodiscard]] bool is_under(std::string_view path, std::string_view prefix);

/// Whether both lists match a common host (an empty list matches any host).
[[nodiscard]] bool hosts_overlap(std::vector<std::string> const& left,
                                 std::vector<std::string> const& right);

} // namespace sallyport::pipeline
