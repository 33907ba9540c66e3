// The tunnels of one worker: counted, judged again after a reload, and closed when the gateway
// drains.
#pragma once

#include "gateway/net/list_link.h"
#include "gateway/net/loop.h"
#include "gateway/net/task.h"
#include "gateway/observe/counter.h"
#include "gateway/pipeline/pipeline.h"

#include <cstdint>
#include <functional>

namespace sallyport::upstream {

class Tunnel;

/// Used on its worker's thread only. Outlives its tunnels.
class Tunnels {
public:
    /// `gauge` says how many there are, to any thread.
    explicit Tunnels(observe::Gauge& gauge) noexcept : gauge_{gauge} {}

    /// Closes all of them in order; and those that begin later, at once.
    void drain();

    using Judge = std::function<pipeline::JudgedAgain(pipeline::Exchange&)>;
    /// Closes those whose requests would be refused now, some at each turn of the loop, and of
    /// those that begin later the ones that were permitted before. Until the next call.
    void judge_again(net::Loop& loop, Judge judge);

private:
    friend class Tunnel;
    void add(Tunnel& tunnel);
    void remove(Tunnel& tunnel) noexcept;
    void judge(Tunnel& tunnel);
    /// The next one that has not been judged since judge_again() was called; null: none.
    [[nodiscard]] Tunnel* unjudged() noexcept;
    static net::Task<> judge_in_background(Tunnels* tunnels, net::Loop* loop);

    observe::Gauge& gauge_;
    net::ListLink list_; // those that have been judged last are at its end
    Judge judge_;        // none: there was no reload
    std::uint64_t judgement_ = 0;
    bool is_judging_ = false;
    bool is_draining_ = false;
};

} // namespace sallyport::upstream
