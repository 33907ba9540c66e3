// Resources of a worker for steps and plugins: scratch memory, parsers and budgets that outlive
// snapshots.
#pragma once

#include "gateway/contract/validator.h"
#include "gateway/http/authorization.h"
#include "gateway/net/budget.h"
#include "gateway/net/loop.h"
#include "gateway/pipeline/denied_secrets.h"
#include "gateway/pipeline/failed_authentication.h"
#include "gateway/pipeline/kept.h"
#include "gateway/pipeline/known_callers.h"
#include "gateway/pipeline/known_tokens.h"
#include "gateway/pipeline/request_id.h"
#include "gateway/pipeline/sha256.h"

#include <array>
#include <memory>

namespace sallyport::fetch {
class Fetcher;
}

namespace sallyport::pipeline {

class PasswordChecks;

/// Owned by the worker, used on its thread only.
struct Services {
    Services(net::Loop& its_loop, net::Budget& shared_budget, contract::ValidatorLimits limits)
        : loop{its_loop}, buffered_bodies{shared_budget}, validator{limits} {}

    net::Loop& loop;
    net::Budget& buffered_bodies; // shared by all workers
    contract::Validator validator;
    Sha256 sha256;
    KnownCallers known_callers;
    std::unique_ptr<KnownTokens> known_tokens;             // null: no token was verified yet
    std::shared_ptr<DeniedSecrets const> denied_secrets;   // null: no list is configured
    FailedAuthentication* failed_authentication = nullptr; // of all workers; null: none is counted
    PasswordChecks* passwords = nullptr; // shared by all workers; null: no slow hash is verified
    fetch::Fetcher* fetcher = nullptr;   // of the process; null in tests that fetch nothing
    Kept kept;                           // by plugins
    RequestIds request_ids;
    /// For the decoded credentials of one check; wiped after it.
    std::array<char, http::authorization_storage> secret_scratch{};
};

} // namespace sallyport::pipeline
