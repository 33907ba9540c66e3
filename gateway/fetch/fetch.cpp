// One request of the gateway's own, from its name to the last byte of its response.
#include "gateway/fetch/fetch.h"

#include "gateway/fetch/freshness.h"
#include "gateway/http/client_exchange.h"
#include "gateway/http/media_type.h"
#include "gateway/net/plain_stream.h"
#include "gateway/net/tls_stream.h"
#include "gateway/text/ascii.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <optional>

namespace sallyport::fetch {

namespace {

using Failed = std::optional<Failure>;

constexpr std::size_t most_addresses = 4;
constexpr std::size_t part_size = std::size_t{16} * 1024;
constexpr std::string_view user_agent = "Sallyport";

// The text of the system or of OpenSSL: it holds nothing that the peer sent.
Failure failure_of(net::Error const& error, Cause otherwise) {
    if (error == net::asio::error::timed_out) return {Cause::timeout};
    if (error.category() == net::certificate_category())
        return {Cause::certificate, error.message()};
    if (net::is_of_tls(error)) return {Cause::tls, error.message()};
    return {otherwise, error.message()};
}

// Collects a response of which nothing may stay behind in freed memory.
class Body {
public:
    Body(std::size_t limit, std::optional<std::uint64_t> declared) : limit_{limit} {
        // Never more than that, so that the text never moves and leaves a copy.
        bytes_.reserve(declared ? static_cast<std::size_t>(*declared) : limit);
    }
    ~Body() { config::wipe(bytes_); }
    Body(Body const&) = delete;
    Body& operator=(Body const&) = delete;

    /// False: it would be larger than the limit.
    bool append(std::string_view part) {
        if (part.size() > limit_ - bytes_.size()) return false;
        bytes_.append(part);
        return true;
    }
    [[nodiscard]] config::Secret secret() const { return config::Secret{bytes_}; }

private:
    std::size_t limit_;
    std::string bytes_;
};

// The part lies in the buffer of the exchange, which is reused without being wiped.
void wipe_read(std::string_view part) noexcept {
    if (!part.empty()) OPENSSL_cleanse(const_cast<char*>(part.data()), part.size());
}

class Fetching {
public:
    Fetching(Environment& environment, Request request)
        : loop_{environment.loop}, names_{environment.names}, request_{std::move(request)},
          target_{*request_.target}, cutoff_{loop_, net::Clock::now() + target_.limits.total} {}
    ~Fetching() {
        cutoff_.guard(nullptr);
        // Whatever is left of it, nothing of it is used.
        if (stream_) stream_->abort();
    }
    Fetching(Fetching const&) = delete;
    Fetching& operator=(Fetching const&) = delete;

    net::Task<Result> run();

private:
    net::Task<Failed> connect();
    net::Task<Failed> open(net::Address address);
    net::Task<Failed> send();
    net::Task<Failed> read_head();
    [[nodiscard]] Failed judge_head() const;
    [[nodiscard]] Failed judge_content() const;
    net::Task<Result> read_body();
    [[nodiscard]] Failure broken(net::Error const& error) const;
    [[nodiscard]] std::string accepted() const;

    net::Loop& loop_;
    Names& names_;
    Request request_;
    Target const& target_;
    Cutoff cutoff_;
    std::unique_ptr<net::Stream> stream_;
    std::unique_ptr<http::ClientExchange> exchange_;
    http::ResponseHead head_;
};

net::Task<Result> Fetching::run() {
    if (target_.url.scheme == Url::Scheme::https && target_.tls == nullptr)
        co_return Failure{Cause::tls, "no trusted certificates are configured"};
    auto failed = co_await connect();
    if (failed) co_return std::move(*failed);
    failed = co_await send();
    if (failed) co_return std::move(*failed);
    failed = co_await read_head();
    if (failed) co_return std::move(*failed);
    failed = judge_head();
    if (failed) co_return std::move(*failed);
    co_return co_await read_body();
}

net::Task<Failed> Fetching::connect() {
    net::Name name{target_.url.host, target_.url.port};
    auto finding = names_.find(std::move(name), cutoff_);
    auto const found = co_await std::move(finding);
    if (!found) co_return failure_of(found.error(), Cause::not_resolved);
    auto const reach = reachable(*found, target_.url.scheme, target_.reach);
    if (reach.addresses.empty()) co_return Failure{reach.refused};
    Failed failed;
    std::size_t tried = 0;
    for (auto const& address : reach.addresses) {
        if (cutoff_.is_over()) co_return Failure{Cause::timeout};
        if (tried++ == most_addresses) break;
        failed = co_await open(address);
        if (!failed) co_return std::nullopt;
    }
    co_return std::move(failed);
}

net::Task<Failed> Fetching::open(net::Address address) {
    auto const until = std::min(net::Clock::now() + target_.limits.connect, cutoff_.at());
    auto begun = net::begin_connect(loop_, address);
    if (!begun) co_return failure_of(begun.error(), Cause::not_connected);
    auto socket = std::move(*begun);
    auto const connected = co_await net::finish_connect(*socket, until - net::Clock::now());
    if (connected) co_return failure_of(connected, Cause::not_connected);
    if (target_.url.scheme == Url::Scheme::http) {
        stream_ = std::make_unique<net::PlainStream>(std::move(socket), net::Peer{});
    } else {
        auto stream = std::make_unique<net::TlsStream>(std::move(socket), net::Peer{}, *target_.tls,
                                                       target_.url.host);
        auto deadline =
            net::Deadline::calling<&net::TlsStream::interrupt>(loop_.deadlines(), *stream);
        deadline.arm_at(until);
        auto const error = co_await stream->handshake();
        if (error) {
            stream->close();
            co_return deadline.has_expired() ? Failure{Cause::timeout}
                                             : failure_of(error, Cause::not_connected);
        }
        stream_ = std::move(stream);
    }
    cutoff_.guard(stream_.get());
    exchange_ = http::make_client_exchange(*stream_, loop_.buffers());
    co_return std::nullopt;
}

std::string Fetching::accepted() const {
    std::string all;
    for (auto const& type : target_.media_types) {
        if (!all.empty()) all += ", ";
        all += type;
    }
    return all;
}

net::Task<Failed> Fetching::send() {
    auto const accept = accepted();
    auto const authorization = request_.authorization.reveal();
    bool const is_post = request_.method == Request::Method::post;
    constexpr std::size_t around = 256; // the names of the fields, and those with fixed values
    auto const room = around + accept.size() + authorization.size() + request_.content_type.size();
    auto head = exchange_->begin_head(
        {is_post ? "POST" : "GET", target_.url.path, target_.url.query, target_.url.authority},
        room);
    head.add("User-Agent", user_agent);
    head.add("Accept", accept);
    // RFC 9110, 12.5.3: no coding, so that a small response cannot become a large one.
    head.add("Accept-Encoding", "identity");
    head.add("Connection", "close");
    if (!authorization.empty()) head.add("Authorization", authorization);
    if (is_post) head.add("Content-Type", request_.content_type);
    http::RequestEnd end;
    end.has_secret = !authorization.empty();
    auto const body = request_.body.reveal();
    if (is_post) end.body = {http::BodyFraming::Kind::length, body.size()};
    // The body is not joined with the head, which would leave a copy in a buffer of the loop.
    auto error = co_await exchange_->send_head(head, end, {});
    if (!error && is_post) error = co_await exchange_->send_body(body, http::Ends::yes);
    // A server that responds before it has read everything may close its side: reading tells.
    if (error && cutoff_.is_over()) co_return Failure{Cause::timeout};
    co_return std::nullopt;
}

Failure Fetching::broken(net::Error const& error) const {
    if (cutoff_.is_over()) return {Cause::timeout};
    return failure_of(error, Cause::broken);
}

net::Task<Failed> Fetching::read_head() {
    for (;;) {
        auto const read = exchange_->read_head(head_);
        switch (read.state) {
        case http::ResponseRead::State::complete: co_return std::nullopt;
        case http::ResponseRead::State::refused:
            co_return Failure{Cause::invalid_response, std::string{read.rule}};
        case http::ResponseRead::State::failed: co_return broken(read.error);
        case http::ResponseRead::State::incomplete: break;
        }
        if (cutoff_.is_over()) co_return Failure{Cause::timeout};
        auto const error = co_await exchange_->wait_for_response();
        if (error) co_return broken(error);
    }
}

Failed Fetching::judge_head() const {
    constexpr unsigned ok = 200;
    constexpr unsigned first_redirection = 300;
    constexpr unsigned first_error = 400;
    auto const status = head_.status;
    if (status >= first_redirection && status < first_error)
        return Failure{Cause::redirected, "status " + std::to_string(status)};
    if (status != ok) return Failure{Cause::status, "status " + std::to_string(status)};
    return judge_content();
}

Failed Fetching::judge_content() const {
    auto const& fields = head_.fields;
    auto const coding = fields.find(http::FieldId::content_encoding);
    if (coding
        && (fields.is_repeated(http::FieldId::content_encoding)
            || !text::equals_ignoring_case(*coding, "identity")))
        return Failure{Cause::encoded};
    auto const value = fields.find(http::FieldId::content_type);
    if (!value || fields.is_repeated(http::FieldId::content_type))
        return Failure{Cause::media_type, value ? "repeated" : "none"};
    auto const type = http::parse_media_type(*value);
    if (!type || !http::is_utf_8(*type)) return Failure{Cause::media_type};
    auto const is_type = [&type](std::string_view one) {
        auto const slash = one.find('/');
        return text::equals_ignoring_case(type->type, one.substr(0, slash))
               && text::equals_ignoring_case(type->subtype, one.substr(slash + 1));
    };
    auto const& types = target_.media_types;
    if (std::none_of(types.begin(), types.end(), is_type)) return Failure{Cause::media_type};
    auto const& framing = head_.framing;
    // RFC 9112, 8: its end could not be told from that of a truncated one.
    if (framing.body.kind == http::BodyFraming::Kind::until_close)
        return Failure{Cause::invalid_response, "its length is not declared"};
    if (framing.declared_length && *framing.declared_length > target_.limits.body)
        return Failure{Cause::too_large};
    return std::nullopt;
}

net::Task<Result> Fetching::read_body() {
    Response response;
    // Reading more of the body ends the views of the head.
    response.fresh_for = freshness_of(head_.fields);
    Body body{target_.limits.body, head_.framing.declared_length};
    for (bool is_complete = false; !is_complete;) {
        if (cutoff_.is_over()) co_return Failure{Cause::timeout};
        http::BodyPart part;
        if (!exchange_->take_part(part)) {
            auto const error = co_await exchange_->read_more(part_size);
            if (error) co_return broken(error);
            continue;
        }
        if (part.refused != nullptr)
            co_return Failure{Cause::invalid_response, std::string{part.refused->rule}};
        bool const fits = body.append(part.bytes);
        wipe_read(part.bytes);
        if (!fits) co_return Failure{Cause::too_large};
        is_complete = part.complete;
    }
    response.body = body.secret();
    cutoff_.guard(nullptr);
    stream_->close();
    co_return std::move(response);
}

// Counts a fetch while it runs.
class Running {
public:
    explicit Running(std::size_t& running) : running_{running} { ++running_; }
    ~Running() { --running_; }
    Running(Running const&) = delete;
    Running& operator=(Running const&) = delete;

private:
    std::size_t& running_;
};

net::Task<Result> fetch_now(Environment& environment, Request request) {
    Running const running{environment.running};
    Fetching fetching{environment, std::move(request)};
    co_return co_await fetching.run();
}

} // namespace

net::Task<Result> fetch(Environment& environment, Request request) {
    if (environment.running >= environment.most_at_once) {
        ++environment.counts[static_cast<std::size_t>(Cause::overloaded)];
        co_return Failure{Cause::overloaded};
    }
    auto fetching = fetch_now(environment, std::move(request));
    auto result = co_await std::move(fetching);
    auto const* const failure = std::get_if<Failure>(&result);
    auto const cause = failure != nullptr ? failure->cause : Cause::none;
    ++environment.counts[static_cast<std::size_t>(cause)];
    co_return std::move(result);
}

} // namespace sallyport::fetch
