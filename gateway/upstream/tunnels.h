// The tunnels of one worker: counted, judged again when what they were opened with may have changed,
// and closed when the gateway drains.
#pragma once

#include "gateway/net/event.h"
#include "gateway/net/list_link.h"
#include "gateway/net/loop.h"
#include "gateway/net/task.h"
#include "gateway/observe/counter.h"
#include "gateway/pipeline/pipeline.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sallyport::upstream {

class Tunnel;

/// Used on its worker's thread only. Outlives its tunnels.
class Tunnels {
public:
    /// `gauge` says how many there are, to any thread.
    Tunnels(net::Loop& loop, observe::Gauge& gauge) noexcept
        : loop_{loop}, gauge_{gauge}, has_room_{loop.waiters()} {}

    /// Closes all of them in order; and those that begin later, at once.
    void drain();

    /// What the request of a tunnel would come to now. It may have to wait for that: the exchange
    /// outlives the task.
    using Judge = std::function<net::Task<pipeline::JudgedAgain>(pipeline::Exchange&)>;
    /// Before the first tunnel. Without it none is judged again.
    void judge_with(Judge judge) { judge_ = std::move(judge); }
    /// Closes those whose requests would be refused now, some at each turn of the loop, and of
    /// those that begin later the ones that were permitted before.
    void judge_again();

private:
    friend class Tunnel;
    void add(Tunnel& tunnel);
    void remove(Tunnel& tunnel) noexcept;
    /// Judges this one as soon as there is room.
    void judge_again(Tunnel& tunnel);
    void judge_those_left();
    void judgement_ended() noexcept;
    /// The next one that has not been judged since it had to be; null: none.
    [[nodiscard]] Tunnel* unjudged() noexcept;
    static net::Task<> judge_in_background(Tunnels* tunnels);

    net::Loop& loop_;
    observe::Gauge& gauge_;
    net::ListLink list_; // those that have to be judged first are at its beginning
    Judge judge_;
    std::uint64_t judgement_ = 1;
    std::size_t judging_ = 0; // judgements that wait: for a verification, or for an issuer
    net::Event has_room_;     // for another one
    bool is_judging_ = false;
    bool is_draining_ = false;
};

} // namespace sallyport::upstream
