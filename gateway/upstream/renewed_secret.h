// A secret of an upstream that changes while the gateway runs.
#pragma once

#include "config/types.h"

#include <memory>
#include <mutex>
#include <utility>

namespace sallyport::upstream {

/// The value of Authorization, shared by all snapshots with its source and by all workers. Any
/// thread. A request takes the lock for the copy of a pointer; only upstreams with such a secret
/// have one.
class RenewedSecret {
public:
    explicit RenewedSecret(config::Secret value) { set(std::move(value)); }

    /// Later requests have this value; it is wiped when the last one that has it is sent.
    void set(config::Secret value) {
        auto made = std::make_shared<config::Secret const>(std::move(value));
        std::lock_guard const held{lock_};
        value_.swap(made);
    }
    [[nodiscard]] std::shared_ptr<config::Secret const> get() const {
        std::lock_guard const held{lock_};
        return value_;
    }

private:
    mutable std::mutex lock_;
    std::shared_ptr<config::Secret const> value_;
};

} // namespace sallyport::upstream
