// A request body on its way to the upstream while the response may already come back.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/net/event.h"
#include "gateway/pipeline/exchange.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Told, from the upload's own coroutine, how the request gets on.
class UploadObserver {
public:
    /// The upstream does not take what is written just now.
    virtual void upload_waits() = 0;
    /// It has, or never will; what was written need not be kept any more.
    virtual void upload_goes_on() = 0;
    /// The request is complete, or the upstream has taken its last byte of it.
    virtual void upload_ended() = 0;
    /// The request cannot become complete, which is the client's fault or ours.
    virtual void upload_failed() = 0;

protected:
    ~UploadObserver() = default;
};

/// A coroutine of its own beside the one that reads the response: an upstream may answer before it
/// has read everything, and read no more (RFC 9112, 9.5). Whoever owns it must await stop() before
/// it goes, unless it is done.
class Upload {
public:
    Upload(pipeline::Exchange& exchange, http::ClientExchange& upstream, UploadObserver& observer);

    /// `beginning`: writes the head, and a body that was read before. What it writes has to stay
    /// until upload_goes_on().
    void start(net::Task<net::Error> beginning);
    [[nodiscard]] bool is_done() const noexcept { return done_; }
    /// What is to be said to the client, where its body was at fault.
    [[nodiscard]] bool denial() const noexcept { return denial_ != nullptr; }
    std::unique_ptr<pipeline::Denial> take_denial() { return std::move(denial_); }
    /// Whether the client's connection failed within its body.
    [[nodiscard]] bool client_failed() const noexcept { return client_failed_; }

    /// The upstream's stream has been ended: waits until the coroutine has noticed.
    net::Task<> stop();

private:
    static net::Task<> pump(Upload* upload, net::Task<net::Error> beginning);
    net::Task<> send(net::Task<net::Error> beginning);
    [[nodiscard]] bool is_streamed() const noexcept {
        return exchange_.decision.body.handling == pipeline::BodyHandling::streamed;
    }
    net::Task<http::BodyPart> next_part();
    net::Task<net::Error> finish(net::Task<net::Error> writing);
    void refuse(http::BodyPart const& part);

    pipeline::Exchange& exchange_;
    http::ClientExchange& upstream_;
    UploadObserver& observer_;
    net::Event finished_;
    std::unique_ptr<pipeline::Denial> denial_;
    bool done_ = false;
    bool stopping_ = false;
    bool client_failed_ = false;
};

} // namespace sallyport::upstream
