// Reads the tokens of upstreams whenever their files have changed.
#include "gateway/lifecycle/token_watch.h"

#include "config/text.h"
#include "gateway/http/authorization.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sallyport::lifecycle {

namespace {

// A head has room for it beside other fields, with every server.
constexpr std::size_t longest_token = 8UL * 1024;
constexpr std::string_view scheme = "Bearer ";

} // namespace

config::Secret bearer_authorization(std::string_view token) {
    std::string spelled;
    spelled.reserve(scheme.size() + token.size()); // no copy is left behind
    spelled.append(scheme).append(token);
    config::Secret secret{spelled};
    config::wipe(spelled);
    return secret;
}

std::optional<config::Secret> checked_bearer_authorization(std::string_view token) {
    auto authorization = bearer_authorization(token);
    auto const parsed = http::parse_authorization(authorization.reveal(), {});
    auto const* const bearer = std::get_if<http::BearerToken>(&parsed);
    // And not white space before it.
    if (bearer == nullptr || bearer->token != token) return std::nullopt;
    return authorization;
}

LoadedToken load_token(std::string const& path) {
    auto file = config::read_file(path, longest_token);
    if (!file.problem.empty()) return {std::nullopt, std::move(file.problem)};
    std::string_view token = file.text;
    while (token.ends_with('\n') || token.ends_with('\r'))
        token.remove_suffix(1);
    LoadedToken loaded{checked_bearer_authorization(token), {}};
    if (!loaded.authorization)
        loaded.problem = token.empty() ? "is empty" : "is no bearer token (RFC 6750)";
    config::wipe(file.text);
    return loaded;
}

TokenWatch::TokenWatch(net::asio::io_context& control, Listener listener)
    : listener_{std::move(listener)}, watch_{control, {[this] { read_again(); }, [](auto&) {}}} {}

std::vector<std::string> TokenWatch::files() const {
    std::vector<std::string> files;
    for (auto const& token : tokens_)
        files.push_back(token.file);
    return files;
}

std::vector<TokenWatch::Missing> TokenWatch::missing_of(Snapshot const& snapshot) {
    std::vector<Missing> missing;
    for (auto const& upstream : snapshot.upstreams) {
        auto const* const from =
            std::get_if<config::UpstreamTokenFile>(&upstream.config->credential);
        if (from == nullptr || upstream.settings.renewed != nullptr) continue;
        auto problem = load_token(from->file.path).problem;
        if (problem.empty()) problem = "had no token when it was read"; // it has one since then
        missing.push_back({upstream.config->name, from->file.path, std::move(problem)});
    }
    return missing;
}

void TokenWatch::adopt(Snapshot const& snapshot) {
    tokens_.clear();
    for (auto const& upstream : snapshot.upstreams) {
        auto const* const from =
            std::get_if<config::UpstreamTokenFile>(&upstream.config->credential);
        if (from == nullptr) continue;
        auto secret =
            std::dynamic_pointer_cast<upstream::ReplacedSecret>(upstream.settings.renewed);
        if (secret != nullptr)
            tokens_.push_back({upstream.config->name, from->file.path, std::move(secret), {}});
    }
    if (tokens_.empty()) return watch_.watch({}, std::chrono::system_clock::now());
    read_again();
}

void TokenWatch::read_again() {
    auto const began = std::chrono::system_clock::now();
    watch_.begin_reading();
    auto const all = files();
    std::vector<LoadedToken> loaded;
    for (auto const& file : all)
        loaded.push_back(load_token(file));
    auto const unfinished = watch_.unfinished_since(all, began);
    for (std::size_t i = 0; i < all.size(); ++i) {
        // It is reported once more when it is complete.
        if (std::find(unfinished.begin(), unfinished.end(), all[i]) != unfinished.end()) continue;
        renew(tokens_[i], std::move(loaded[i]));
    }
    watch_.watch(all, began, unfinished);
}

void TokenWatch::renew(Token& token, LoadedToken loaded) {
    if (!loaded.authorization) {
        if (loaded.problem == token.problem) return; // another file has changed
        token.problem = std::move(loaded.problem);
        return listener_.on_problem(token.of, token.file, token.problem);
    }
    token.problem.clear();
    if (loaded.authorization->reveal() == token.secret->get()->reveal()) return;
    token.secret->set(std::move(*loaded.authorization));
    listener_.on_token(token.of, token.file);
}

} // namespace sallyport::lifecycle
