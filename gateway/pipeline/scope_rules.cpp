// Which scopes the operations of an API need: see scope_rules.h.
#include "gateway/pipeline/scope_rules.h"

#include <algorithm>
#include <utility>

namespace sallyport::pipeline {

namespace {

using contract::SecurityAlternative;

bool has(std::span<std::string_view const> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// RFC 6749, 3.3: printable ASCII without space, quotation mark and backslash.
bool is_scope_token(std::string_view scope) {
    return !scope.empty() && std::all_of(scope.begin(), scope.end(), [](char c) {
        return c > ' ' && c <= '~' && c != '"' && c != '\\';
    });
}

} // namespace

ScopeRules::ScopeRules(std::vector<contract::Operation const*> operations)
    : operations_{std::move(operations)} {
    for (auto const* const operation : operations_) {
        all_.add(operation->index);
        for (auto const& alternative : operation->security.alternatives)
            known_.insert(alternative.scopes.begin(), alternative.scopes.end());
    }
}

OperationSet ScopeRules::within(std::span<std::string_view const> schemes,
                                std::span<std::string_view const> scopes) const {
    OperationSet out;
    for (auto const* const operation : operations_) {
        auto const& alternatives = operation->security.alternatives;
        bool const is_enough = std::any_of(
            alternatives.begin(), alternatives.end(), [&](SecurityAlternative const& one) {
                return has(schemes, one.takes)
                       && std::all_of(one.scopes.begin(), one.scopes.end(),
                                      [scopes](auto const& scope) { return has(scopes, scope); });
            });
        if (is_enough) out.add(operation->index);
    }
    return out;
}

std::string bearer_scope_of(contract::Security const& security) {
    auto const& all = security.alternatives;
    auto const first =
        std::find_if(all.begin(), all.end(), [](auto const& one) { return one.takes == "bearer"; });
    if (first == all.end()) return {};
    std::string out;
    for (auto const& scope : first->scopes) {
        if (!is_scope_token(scope)) return {};
        out.append(out.empty() ? "" : " ").append(scope);
    }
    return out;
}

} // namespace sallyport::pipeline
