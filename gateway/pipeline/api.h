// An API as the gateway runs it: its hosts and paths, its callers, its checks.
#pragma once

#include "config/config.h"
#include "config/opaque.h"
#include "config/secret_place.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/levels.h"
#include "gateway/pipeline/caller_fields.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/edge.h"
#include "gateway/pipeline/roles.h"
#include "gateway/pipeline/scope_rules.h"
#include "gateway/text/networks.h"

#include <chrono>
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

/// What the configuration says of one operation. What is not here is as its contract, its API and
/// its upstream have it.
struct OperationSettings {
    std::optional<std::size_t> upstream; // index in the snapshot
    std::optional<std::uint64_t> body_limit;
    contract::Timeouts timeouts;
    std::optional<config::Retry> retry;
    config::OperationBodies log_bodies;
    config::AuthenticatorSets authenticate; // empty: as the API
    bool is_public = false;                 // `authenticate` has what accepts every client
};

/// Immutable, owned by the snapshot.
struct Api {
    std::size_t index = 0; // index in the snapshot, and in Identity::permissions
    std::string name;
    std::vector<std::string> hosts;    // lower case; empty: any
    std::vector<std::string> prefixes; // what its paths begin with
    /// The other APIs of a common host, some of whose paths begin like its own. No request can be
    /// one of the operations of two of them.
    std::vector<Api const*> beside;
    std::shared_ptr<contract::Contract const> contract; // null: `paths:`, streamed and unchecked
    contract::LevelTable levels;
    std::vector<OperationSettings> operations; // by Operation::index; empty: none has any
    bool authenticates_by_operation = false;   // whether `authenticate` of any of them is not empty
    std::vector<std::string> methods;          // without a contract: the allowed methods
    std::string allow;                         // the same as the value of an `Allow` field
    bool upgrades_to_websocket = false;        // without a contract: whether any path does
    std::unique_ptr<config::WebSocket const> websocket; // null: as the operations have it
    config::AuthenticatorSets authenticate;             // of names in the registry
    std::vector<std::pair<std::string_view, config::Opaque>> settings; // of those, by their names
    std::vector<config::SecretPlace> secret_places;                    // of those
    std::shared_ptr<CredentialTable const> credentials;
    /// Those that the settings of its authenticators name; null: they name none.
    std::shared_ptr<RoleTable const> roles;
    /// Null: no operation needs scopes, or `security` of the contract does not count.
    std::unique_ptr<ScopeRules const> scopes;
    std::size_t upstream = 0; // index in the snapshot
    std::uint64_t body_limit = 0;
    bool forward_cookies = false;
    ProblemMembers problem_members = ProblemMembers::compatible; // in the problems of its refusals
    TrailingSlash trailing_slash = TrailingSlash::refuse;
    UnknownOperations unknown_operations = UnknownOperations::refuse;
    std::unique_ptr<text::AddressRules const> addresses; // of clients; null: all may come
    std::unique_ptr<EdgeRules const> edge;               // null: heads are not changed
    std::unique_ptr<CallerFields const> caller_fields;   // null: those of the upstream
    double response_sample = 1.0; // share of the responses that are checked, if `levels` enables it

    /// The path template of its contract that matches `path` (raw); with `trailing_slash: same`
    /// also with the slash at its end missing or added. None: no template does, or it has no
    /// contract.
    [[nodiscard]] contract::RouteMatch route(std::string_view path) const {
        if (!contract) return {};
        auto match = contract->route(path);
        if (!match && trailing_slash == TrailingSlash::same) [[unlikely]]
            match = contract->router().route_with_other_end(path);
        return match;
    }

    /// Whether an upstream may take `path` for that of an operation whose rules are enforced, of
    /// this API or of one beside it.
    [[nodiscard]] bool resembles_an_enforced_path(std::string_view path) const;

    /// The settings of an operation of its contract; null: it has none.
    [[nodiscard]] OperationSettings const* settings_of(contract::Operation const* operation) const {
        return operation == nullptr || operations.empty() ? nullptr : &operations[operation->index];
    }

    /// The longest silence of a WebSocket whose operation has no time of its own.
    [[nodiscard]] std::chrono::milliseconds websocket_idle() const noexcept {
        return websocket == nullptr ? contract::stream_idle : websocket->idle;
    }

    /// What stands before a token among the subprotocols of WebSocket; empty: none is taken there.
    [[nodiscard]] std::string_view token_prefix() const noexcept {
        return websocket == nullptr ? std::string_view{} : websocket->token_prefix;
    }

    /// Whether a request of the operation, or a response to it that is checked, may reach a place
    /// of the contract that is not enforced (LoadOptions::unsupported).
    [[nodiscard]] bool reaches_unchecked(contract::Operation const& operation) const noexcept {
        return !operation.unchecked_in_requests.empty()
               || (!operation.unchecked_in_responses.empty()
                   && levels.checks_responses(operation.index));
    }

    /// What the API takes, for all operations or one of them, each once.
    [[nodiscard]] config::AuthenticatorSets authenticator_sets() const;

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

    /// By host (lower case, without port), then by the longest prefix of the raw path. Of several
    /// APIs beside each other it is the one whose contract has the path; if none has it, the one
    /// with the longest prefix, of two with the same the one that is configured first. Null: no API
    /// owns a prefix of the path.
    [[nodiscard]] Api const* find(std::string_view host, std::string_view path) const;

    [[nodiscard]] std::vector<std::unique_ptr<Api const>> const& all() const { return apis_; }

private:
    struct Route {
        std::string prefix;
        Api const* api;
    };

    using Routes = std::vector<Route>;
    [[nodiscard]] static Api const& find_owner(Routes::const_iterator first,
                                               Routes::const_iterator last, std::string_view host,
                                               std::string_view path);

    std::vector<std::unique_ptr<Api const>> apis_;
    Routes routes_; // longest prefix first
};

/// Whether `path` belongs to `prefix`: every path below it if it ends in a slash, otherwise exactly
/// this path.
[[nodiscard]] bool is_under(std::string_view path, std::string_view prefix);

/// Whether both lists match a common host (an empty list matches any host).
[[nodiscard]] bool hosts_overlap(std::vector<std::string> const& left,
                                 std::vector<std::string> const& right);

} // namespace sallyport::pipeline
