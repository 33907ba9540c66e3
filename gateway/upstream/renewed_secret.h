// A secret of an upstream that changes while the gateway runs.
#pragma once

#include "config/types.h"
#include "gateway/net/executor.h"
#include "gateway/net/loop.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace sallyport::upstream {

/// The value of Authorization, shared by all snapshots with its source and by all workers. Any
/// thread. A request takes a lock for the copy of a pointer; only upstreams with such a secret have
/// one.
class RenewedSecret {
public:
    RenewedSecret() = default;
    virtual ~RenewedSecret() = default;
    RenewedSecret(RenewedSecret const&) = delete;
    RenewedSecret& operator=(RenewedSecret const&) = delete;

    /// Null: there is none at present. It is wiped when the last request that has it is sent.
    [[nodiscard]] virtual std::shared_ptr<config::Secret const> get() const = 0;

    /// On the thread of `loop`: asks for another one, where one can be asked for, and returns when
    /// it is there, or at the latest after `time`.
    [[nodiscard]] virtual net::Task<> renew(net::Loop& loop, std::chrono::milliseconds time) = 0;
};

/// One that something else renews: the file of a token.
class ReplacedSecret final : public RenewedSecret {
public:
    explicit ReplacedSecret(config::Secret value) { set(std::move(value)); }

    /// Later requests have this value.
    void set(config::Secret value) {
        auto made = std::make_shared<config::Secret const>(std::move(value));
        std::lock_guard const held{lock_};
        value_.swap(made);
    }
    [[nodiscard]] std::shared_ptr<config::Secret const> get() const override {
        std::lock_guard const held{lock_};
        return value_;
    }
    [[nodiscard]] net::Task<> renew(net::Loop&, std::chrono::milliseconds) override {
        return net::Task<>::ended();
    }

private:
    mutable std::mutex lock_;
    std::shared_ptr<config::Secret const> value_;
};

} // namespace sallyport::upstream
