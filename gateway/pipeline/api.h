// An API as the gateway runs it: its hosts and paths, its callers, its checks.
#pragma once

#include "config/config.h"
#include "config/opaque.h"
#include "config/secret_place.h"
#include "gateway/contract/contract.h"
#include "gateway/contract/levels.h"
#include "gateway/contract/loose_prefix.h"
#include "gateway/pipeline/caller_fields.h"
#include "gateway/pipeline/credentials.h"
#include "gateway/pipeline/denial.h"
#include "gateway/pipeline/edge.h"
#include "gateway/pipeline/roles.h"
#include "gateway/pipeline/scope_rules.h"
#include "gateway/text/networks.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::pipeline {

/// Whether `%2F` in the value of a path parameter, or `//` below one of `paths`, reaches the upstream.
enum class EncodedSlashes : std::uint8_t { refuse, pass };
enum class EmptySegments : std::uint8_t { refuse, pass };
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
    std::optional<contract::Lists> lists;
    config::OperationBodies log_bodies;
    config::AuthenticatorSets authenticate; // empty: as the API
    bool is_public = false;                 // `authenticate` has what accepts every client
};

/// Immutable, owned by the snapshot.
struct Api {
    std::size_t index = 0; // index in the snapshot, and in Identity::permissions
    std::string name;
    std::vector<std::string> hosts;    // lower case, perhaps behind `*.`; empty: any
    std::vector<std::string> prefixes; // what its paths begin with, `paths` among them
    /// Those that pass without the contract: streamed and unchecked, with `methods`.
    std::vector<std::string> paths;
    /// What it has of the paths that no other API takes, by what they begin with.
    std::vector<std::string> rest;
    bool is_fallback = false; // `paths` are only what no other API has
    /// All its paths begin with this; those of the contract stand behind it. May be empty.
    std::string mount;
    /// The other APIs of a common host, some of whose paths begin like its own. No request can be
    /// one of the operations of two of them.
    std::vector<Api const*> beside;
    std::shared_ptr<contract::Contract const> contract; // null: it has `paths` alone
    contract::LevelTable levels;
    std::vector<OperationSettings> operations; // by Operation::index; empty: none has any
    bool authenticates_by_operation = false;   // whether `authenticate` of any of them is not empty
    std::vector<std::string> methods;          // of `paths`
    std::string allow;                         // the same as the value of an `Allow` field
    bool upgrades_to_websocket = false;        // what is no operation of the contract
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
    EncodedSlashes encoded_slashes = EncodedSlashes::refuse;
    EmptySegments empty_segments = EmptySegments::refuse;
    UnknownOperations unknown_operations = UnknownOperations::refuse;
    contract::Lists lists = contract::Lists::both;
    std::unique_ptr<text::AddressRules const> addresses; // of clients; null: all may come
    std::unique_ptr<EdgeRules const> edge;               // null: heads are not changed
    std::unique_ptr<CallerFields const> caller_fields;   // null: those of the upstream
    double response_sample = 1.0; // share of the responses that are checked, if `levels` enables it

    /// The path template of its contract that matches `path` (raw, one of this API's); with
    /// `trailing_slash: same` also with the slash at its end missing or added. None: no template
    /// does, or it has no contract.
    [[nodiscard]] contract::RouteMatch route(std::string_view path) const {
        if (!contract) return {};
        path.remove_prefix(std::min(mount.size(), path.size()));
        auto match = contract->route(path);
        if (!match && trailing_slash == TrailingSlash::same) [[unlikely]]
            match = contract->router().route_with_other_end(path);
        return match;
    }

    /// Whether `path` passes without the contract: it is one of `paths`.
    [[nodiscard]] bool passes_without_contract(std::string_view path) const;
    /// Whether paths and methods that the contract does not have are forwarded.
    [[nodiscard]] bool forwards_unknown() const noexcept {
        return contract != nullptr
               && (unknown_operations == UnknownOperations::forward
                   || levels.of_requests() == contract::Level::report);
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

    /// By host (lower case, without port): the APIs that name it, then those that have it by
    /// `*.`, then those of any host. Of them by the longest prefix of the raw path. Of several APIs
    /// beside each other it is the one whose contract has the path; if none has it, the first of
    /// those that own a prefix of it. Behind them all come fallbacks and APIs that take the rest:
    /// never for a path that an upstream may take for one within a contract that is enforced. Null:
    /// no API takes the path.
    [[nodiscard]] Api const* find(std::string_view host, std::string_view path) const;
    /// Whether any API takes requests for this host.
    [[nodiscard]] bool has_host(std::string_view host) const;

    [[nodiscard]] std::vector<std::unique_ptr<Api const>> const& all() const { return apis_; }

private:
    enum class Rank : std::uint8_t { own, fallback, rest };
    struct Route {
        std::string prefix;
        std::string_view host; // empty: any
        Api const* api;
        Rank rank = Rank::own;
        bool has_contract = false; // only what its contract has is its own
        /// Of a contract that is enforced: the prefix as lenient upstreams compare it.
        contract::LoosePrefix guarded = {};
    };

    void add(Api const& api, std::vector<std::string> const& prefixes, Rank rank);
    [[nodiscard]] bool is_guarded(Route const& from, std::string_view host,
                                  std::string_view path) const;

    std::vector<std::unique_ptr<Api const>> apis_;
    std::vector<Route> routes_;       // in the order of find()
    bool has_several_orders_ = false; // some hosts are named more exactly than others
};

/// Whether `path` belongs to `prefix`: every path below it if it ends in a slash, otherwise exactly
/// this path.
[[nodiscard]] bool is_under(std::string_view path, std::string_view prefix);

} // namespace sallyport::pipeline
