// One exchange with an upstream: forward.cpp sends the request and reads the head of the response,
// relay.cpp sends the response to the client.
#pragma once

#include "gateway/http/status.h"
#include "gateway/http/trailers.h"
#include "gateway/upstream/forward.h"
#include "gateway/upstream/retry.h"
#include "gateway/upstream/upload.h"
#include "gateway/upstream/websocket_handshake.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace sallyport::upstream {

/// Lives in the frame of forward(); handles all events that may end it early (a disconnected
/// client, a deadline, a failed upload).
class Forwarding final : public net::PeerWatcher, public UploadObserver {
public:
    Forwarding(pipeline::Permit permit, Route route);
    ~Forwarding();

    void peer_gone() override {
        client_gone_ = true;
        end_upstream();
    }
    void upload_waits() override;
    void upload_goes_on() override;
    void upload_ended() override;
    void upload_failed() override { end_upstream(); }

private:
    friend net::Task<Forwarded> upstream::forward(pipeline::Permit permit, Route route);

    using Clock = net::Clock;
    using Error = net::Error;
    using Ends = http::Ends;
    using Failure = pipeline::Failure;
    using Reason = pipeline::Reason;
    using Failed = std::unique_ptr<Failure>; // null: no failure
    using Step = net::Task<Failed>;

    // forward.cpp. The first of each pair is a plain function for the case that nothing has to be
    // awaited; the second waits.
    Step learn_credential();
    Step connect(Freshness freshness);
    Step finish_connect(net::Task<Acquired> acquiring);
    Failed take_connection(Acquired acquired);
    void send_request();
    void begin_response();
    Failed read_response_head(Error waited);
    Failed use_response_head();
    Failed judge_websocket();
    Failed take_first_part();
    net::Task<> end_upload();
    net::Task<> stop_upload();
    // From the 101 that the client gets on: its connection is a WebSocket.
    [[nodiscard]] bool has_switched() const noexcept {
        return response_.status == http::switching_protocols;
    }

    // relay.cpp
    net::Task<> relay();
    net::Task<> relay_websocket();
    net::Task<Error> send_response_head(std::string_view first, Ends ends);
    net::Task<> finish_relay(net::Task<Error> sending);
    net::Task<> relay_body();
    net::Task<> end_with_trailers();
    void end_relay();
    std::chrono::milliseconds begin_stream();
    void break_off(Error error);
    void client_failed(Error error);
    [[nodiscard]] bool returns_trailers() const noexcept {
        return trailers_ != nullptr && !trailers_->response.is_empty();
    }
    // Whether the response ends with a part of its body.
    [[nodiscard]] Ends ends_with(http::BodyPart const& part) const noexcept {
        return part.complete && !returns_trailers() ? Ends::yes : Ends::no;
    }

    static Failed failure(Reason reason, Error error, std::string_view what) {
        return std::make_unique<Failure>(Failure{pipeline::Side::upstream, reason, error, what});
    }
    [[nodiscard]] Failed broken(Error error, std::string_view what) const {
        return failure(late_ ? Reason::upstream_timeout : Reason::upstream_failed, error, what);
    }
    [[nodiscard]] Repeatable repetition() const;
    [[nodiscard]] Freshness freshness() const;
    [[nodiscard]] bool retries(Failure const& failure) const;
    Forwarded give_up(Failure const& failure);
    Forwarded end(Reason reason, std::string_view note, Error error = {});
    void end_upstream() noexcept;
    void on_deadline() {
        late_ = true;
        end_upstream();
    }
    void arm(std::chrono::milliseconds time) {
        deadline_.arm_at(std::min(now_ + time, total_end_));
    }

    using OfOperation = std::optional<std::chrono::milliseconds> contract::Timeouts::*;
    using OfUpstream = std::chrono::milliseconds Timeouts::*;
    // The operation's own time, else its upstream's.
    [[nodiscard]] std::chrono::milliseconds time_of(OfOperation own, OfUpstream usual) const {
        return exchange_.decision.time_of(own).value_or(route_.settings.timeouts.*usual);
    }
    [[nodiscard]] std::chrono::milliseconds first_byte_time() const {
        return time_of(&contract::Timeouts::first_byte, &Timeouts::first_byte);
    }
    [[nodiscard]] std::chrono::milliseconds idle_time() const {
        return time_of(&contract::Timeouts::idle, &Timeouts::idle);
    }
    [[nodiscard]] std::chrono::milliseconds total_time() const {
        return time_of(&contract::Timeouts::total, &Timeouts::total);
    }

    pipeline::Permit permit_;
    pipeline::Exchange& exchange_;
    Route route_;
    Clock::time_point started_;
    Clock::time_point now_; // read again after each wait
    Clock::time_point total_end_;
    net::Deadline deadline_;
    std::shared_ptr<config::Secret const> credential_; // of Settings::renewed; null: has none
    std::optional<Acquisition> acquisition_;           // while it waits
    Lease lease_;
    std::optional<Upload> upload_;
    std::optional<WebsocketHandshake> websocket_; // of a request that opens one
    http::ResponseHead response_;
    http::BodyPart first_part_; // of the response: arrived with its head
    // Those that are passed on.
    struct Trailers {
        http::TrailerNames request;
        http::TrailerNames response;
    };
    std::unique_ptr<Trailers> trailers_; // null: the operation passes none on
    Forwarded result_;
    bool client_gone_ = false;
    bool late_ = false;
    bool was_answered_ = false; // a byte of a response arrived, on any connection
    bool is_retry_ = false;
    bool was_sent_ = false;  // a part of the request, on any connection
    bool has_head_ = false;  // that of the final response
    bool is_stream_ = false; // a response that does not end with its first part, and may last
};

} // namespace sallyport::upstream
