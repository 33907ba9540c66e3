// Sends a request body to the upstream while the response may already arrive.
#pragma once

#include "gateway/http/client_exchange.h"
#include "gateway/http/trailers.h"
#include "gateway/net/event.h"
#include "gateway/pipeline/exchange.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Receives the progress of the request, called from the upload's own coroutine.
class UploadObserver {
public:
    /// The upstream is not reading at the moment.
    virtual void upload_waits() = 0;
    /// It reads again, or never will; the written bytes need not be kept any more.
    virtual void upload_goes_on() = 0;
    /// The request is complete, or the upstream has stopped reading it.
    virtual void upload_ended() = 0;
    /// The request cannot become complete because of the client or the gateway.
    virtual void upload_failed() = 0;

protected:
    ~UploadObserver() = default;
};

/// A coroutine of its own next to the one that reads the response: an upstream may respond before
/// it has read the whole request, and then stop reading (RFC 9112, 9.5). The owner must await
/// stop() before destroying it, unless it is done.
class Upload {
public:
    Upload(pipeline::Exchange& exchange, http::ClientExchange& upstream, UploadObserver& observer);

    /// Before start(): the request ends with its trailers of these names. `body`: what was read of
    /// it before, which is sent in front of them. Both outlive the upload.
    void forward_trailers(http::TrailerNames const& names, std::string_view body) noexcept {
        trailers_ = &names;
        body_ = body;
    }
    /// `beginning`: writes the head, and a body that was read before. Its buffers must stay valid
    /// until upload_goes_on().
    void start(net::Task<net::Error> beginning);
    [[nodiscard]] bool is_done() const noexcept { return done_; }
    /// Whether there is a denial for the client, because of its body.
    [[nodiscard]] bool denial() const noexcept { return denial_ != nullptr; }
    std::unique_ptr<pipeline::Denial> take_denial() { return std::move(denial_); }
    /// Whether the client's connection failed during its body.
    [[nodiscard]] bool client_failed() const noexcept { return client_failed_; }

    /// Call it after the upstream's stream was ended: waits until the coroutine has ended.
    net::Task<> stop();

private:
    static net::Task<> pump(Upload* upload, net::Task<net::Error> beginning);
    net::Task<> send(net::Task<net::Error> beginning);
    [[nodiscard]] bool is_streamed() const noexcept {
        return exchange_.decision.body.handling == pipeline::BodyHandling::streamed;
    }
    net::Task<http::BodyPart> next_part();
    net::Task<http::BodyPart> filter(net::Task<http::BodyPart> reading);
    net::Task<net::Error> send_end();
    net::Task<net::Error> finish(net::Task<net::Error> writing);
    void refuse(http::BodyPart const& part);

    pipeline::Exchange& exchange_;
    http::ClientExchange& upstream_;
    UploadObserver& observer_;
    http::TrailerNames const* trailers_ = nullptr; // null: none are forwarded
    std::string_view body_;                        // in front of them
    net::Event finished_;
    std::unique_ptr<pipeline::Denial> denial_;
    bool done_ = false;
    bool stopping_ = false;
    bool client_failed_ = false;
};

} // namespace sallyport::upstream
