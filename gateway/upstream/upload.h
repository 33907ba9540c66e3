// A request body on its way to the upstream while the answer may already come back.
#pragma once

#include "gateway/net/event.h"
#include "gateway/pipeline/exchange.h"

#include <memory>
#include <string_view>

namespace sallyport::upstream {

/// Told, from the upload's own coroutine, that the request cannot become complete.
class UploadObserver {
public:
    virtual void upload_failed() = 0;

protected:
    ~UploadObserver() = default;
};

/// A coroutine of its own beside the one that reads the answer. Whoever owns it must await stop()
/// before it goes, unless it is done.
class Upload {
public:
    Upload(pipeline::Exchange& exchange, net::Stream& upstream, UploadObserver& observer);

    void start();
    bool is_done() const noexcept { return done_; }
    /// What is to be said to the client, where its body was at fault.
    bool denial() const noexcept { return denial_ != nullptr; }
    std::unique_ptr<pipeline::Denial> take_denial() { return std::move(denial_); }
    /// Whether the client's connection failed within its body.
    bool client_failed() const noexcept { return client_failed_; }

    /// The upstream's stream has been ended: waits until the coroutine has noticed.
    net::Task<> stop();

private:
    static net::Task<> pump(Upload* upload);
    net::Task<> send();
    net::Task<net::Error> send_part(std::string_view bytes, bool last);
    void refuse(http::BodyPart const& part);

    pipeline::Exchange& exchange_;
    net::Stream& upstream_;
    UploadObserver& observer_;
    net::Event finished_;
    std::unique_ptr<pipeline::Denial> denial_;
    bool chunked_;
    bool done_ = false;
    bool stopping_ = false;
    bool client_failed_ = false;
};

} // namespace sallyport::upstream
