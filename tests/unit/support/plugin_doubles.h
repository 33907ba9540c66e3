// Test doubles of plugins: one that accepts every request, and a scripted
// one.
#pragma once

#include "gateway/pipeline/plugin.h"

#include <array>
#include <functional>
#include <memory>

namespace sallyport::pipeline::test {

/// Accepts every request.
class LetThrough final : public Plugin {
public:
    Verdict check(Request const&, Decision&, Services&) override { return Verdict::pass(); }
};

inline std::unique_ptr<Plugin> make_let_through(Api const&) {
    return std::make_unique<LetThrough>();
}

inline constexpr std::array<PluginRow, 1> let_through{
    {{"let_through", Phase::authenticate, make_let_through}}};

/// Passes, or runs the test's function, which may throw.
class Scripted final : public Plugin {
public:
    Verdict check(Request const&, Decision&, Services&) override {
        return on_check ? on_check() : Verdict::pass();
    }
    net::Task<Verdict> learn(Request const&, Decision&, Services&) override {
        co_return on_learn();
    }

    static inline std::function<Verdict()> on_check;
    static inline std::function<Verdict()> on_learn;

    static void reset() {
        on_check = nullptr;
        on_learn = nullptr;
    }
};

inline std::unique_ptr<Plugin> make_scripted(Api const&) {
    return std::make_unique<Scripted>();
}

} // namespace sallyport::pipeline::test
