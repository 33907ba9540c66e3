// A request with an Authorization field, before an API with one caller that has a secret and one
// with a token.
#pragma once

#include "gateway/pipeline/plugin.h"
#include "tests/unit/pipeline/double.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::plugins::test {

using WallClock = std::chrono::system_clock;

/// `id:a-right-secret`, and `a-right-token`.
inline constexpr std::string_view right_basic = "Basic aWQ6YS1yaWdodC1zZWNyZXQ=";
inline constexpr std::string_view right_bearer = "Bearer a-right-token";

struct Caller : pipeline::test::Fixture {
    /// `authorization`: the values of the fields of that name, none, one or several.
    explicit Caller(std::initializer_list<std::string_view> authorization,
                    std::optional<WallClock::time_point> expires = {});

    /// The verdict in words: "denied: unauthenticated", "abstains", or the caller and what is
    /// forwarded: "by secret, Basic ...".
    std::string ask(pipeline::Plugin& plugin);
    std::string ask(std::unique_ptr<pipeline::Plugin> plugin) { return ask(*plugin); }

    bool is_remembered(std::string_view authenticator, std::string_view field);
};

} // namespace sallyport::plugins::test
