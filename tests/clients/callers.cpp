// Tables over the callers of the standard configuration.
#include "tests/clients/callers.h"

#include "tests/support/encodings.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace sallyport::test {
namespace {

std::array<std::pair<std::string_view, Key>, 7> const keys{{
    {"administrator", administrator},
    {"enterprise", enterprise},
    {"scale", scale},
    {"unpaid", unpaid},
    {"narrow", narrow},
    {"reader", reader},
    {"expired", expired_key},
}};

std::array<std::pair<std::string_view, std::string_view>, 3> const tokens{{
    {"observer", observer_token},
    {"viewer", viewer_token},
    {"expired", expired_token},
}};

template <class Table>
auto const& find(Table const& table, std::string_view caller) {
    for (auto const& row : table)
        if (row.first == caller) return row.second;
    throw std::runtime_error("no caller " + std::string{caller});
}

} // namespace

Key const& key_of(std::string_view caller) {
    return find(keys, caller);
}

std::string_view token_of(std::string_view caller) {
    return find(tokens, caller);
}

std::vector<std::string> secrets_of_callers() {
    std::vector<std::string> secrets;
    for (auto const& [name, key] : keys) {
        secrets.emplace_back(key.secret);
        secrets.push_back(base64(std::string{key.id} + ":" + std::string{key.secret}));
    }
    for (auto const& [name, token] : tokens)
        secrets.emplace_back(token);
    return secrets;
}

} // namespace sallyport::test
