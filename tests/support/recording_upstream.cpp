// One thread accepts, one thread per connection serves; all of them end when the upstream is
// destroyed.
#include "tests/support/recording_upstream.h"

#include <openssl/ssl.h>

#include <array>
#include <stdexcept>
#include <utility>

#include <sys/socket.h>

namespace sallyport::test {

std::string response_text(std::string_view body, int status, Fields const& more,
                          std::string_view media_type) {
    auto text = "HTTP/1.1 " + std::to_string(status) + " Status\r\n";
    if (!media_type.empty()) text += "Content-Type: " + std::string{media_type} + "\r\n";
    for (auto const& field : more)
        text += field.name + ": " + field.value + "\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return text.append(body);
}

void UpstreamExchange::send_in_pieces(std::string_view bytes, std::size_t piece) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        send(bytes.substr(0, piece));
}

void UpstreamExchange::read_body() {
    std::array<char, 65536> bytes;
    for (;;) {
        if (auto parsed = parse_request(request.head + pending_)) {
            pending_.erase(0, parsed->size - request.head.size());
            auto const connection = request.connection;
            request = std::move(parsed->message);
            request.connection = connection;
            for (auto const& trailer : request.trailers)
                if (!announces(request.fields, trailer.name))
                    throw BadMessage("a trailer that was not announced: " + trailer.name);
            return;
        }
        auto const result = channel_.read_some(bytes);
        if (result.end != End::data)
            throw BadMessage(std::string{"a body that ended: "} + name_of(result.end));
        pending_.append(bytes.data(), result.count);
    }
}

End UpstreamExchange::wait_for_end() {
    std::array<char, 65536> bytes;
    for (;;) {
        auto const result = channel_.read_some(bytes);
        if (result.end != End::data) return result.end;
        pending_.append(bytes.data(), result.count);
    }
}

void UpstreamExchange::close_orderly() {
    channel_.send_close_notify();
    channel_.close();
}

RecordingUpstream::RecordingUpstream() : RecordingUpstream(Script{}, Options{}) {}
RecordingUpstream::RecordingUpstream(Script script)
    : RecordingUpstream(std::move(script), Options{}) {}

RecordingUpstream::RecordingUpstream(Script script, Options options)
    : options_(std::move(options)), script_(std::move(script)) {
    if (options_.unix_path)
        listening_.socket = listen_unix(*options_.unix_path);
    else if (options_.bound != nullptr)
        listening_ = begin_to_listen(std::move(*options_.bound));
    else
        listening_ = listen_tcp();
    acceptor_ = std::thread{[this] { accept_connections(); }};
}

RecordingUpstream::~RecordingUpstream() {
    stop_.set();
    stop_listening_.set();
    acceptor_.join();
    for (auto& thread : threads_)
        thread.join();
}

std::string RecordingUpstream::endpoint() const {
    if (options_.unix_path) return "unix:" + options_.unix_path->string();
    return (options_.certificate ? "https" : "http") + ("://127.0.0.1:" + std::to_string(port()));
}

void RecordingUpstream::respond_with(Script script) {
    std::lock_guard const guard{lock_};
    script_ = std::move(script);
}

void RecordingUpstream::stop_listening() {
    stop_listening_.set();
    wait_until([this] { return !listening_.socket.is_open(); }, "the end of listening");
}

void RecordingUpstream::accept_connections() {
    while (wait_for(listening_.socket.get(), stop_listening_.descriptor(),
                    TimeLimit{std::chrono::hours{1}})
               == Waited::happened
           && !stop_listening_.is_set()) {
        Descriptor socket{::accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (!socket.is_open()) continue;
        std::lock_guard const guard{lock_};
        auto const connection = connections_++;
        ++open_;
        changed_.notify_all();
        threads_.emplace_back([this, connection, channel = Channel{std::move(socket)}]() mutable {
            channel.interrupt_with(stop_.descriptor());
            serve(channel, connection);
            channel.close();
            std::lock_guard const done{lock_};
            --open_;
            changed_.notify_all();
        });
    }
    std::lock_guard const guard{lock_};
    listening_.socket.close();
    changed_.notify_all();
}

bool RecordingUpstream::shake_hands(Channel& channel) {
    if (!options_.certificate) return true;
    auto const error =
        channel.accept_tls(options_.client_authority ? demanding_context(*options_.certificate,
                                                                         *options_.client_authority)
                                                     : server_context(*options_.certificate));
    auto const* name = SSL_get_servername(channel.tls(), TLSEXT_NAMETYPE_host_name);
    auto const client = error.empty() ? name_in_certificate(channel.tls()) : std::string{};
    std::lock_guard const guard{lock_};
    if (error.empty()) {
        server_names_.emplace_back(name != nullptr ? name : "");
        client_names_.push_back(client);
    } else {
        failed_handshakes_.push_back(error);
    }
    changed_.notify_all();
    return error.empty();
}

void RecordingUpstream::serve(Channel& channel, std::size_t connection) {
    std::string pending;
    try {
        if (!shake_hands(channel)) return;
        if (options_.on_connection) {
            UpstreamExchange exchange{channel, pending, stop_.descriptor()};
            options_.on_connection(exchange);
        }
        std::size_t number = 0;
        while (channel.is_open() && serve_request(channel, pending, connection, number))
            ++number;
    } catch (std::exception const& error) {
        std::lock_guard const guard{lock_};
        protocol_errors_.emplace_back(error.what());
    }
}

// False when the connection is over.
bool RecordingUpstream::serve_request(Channel& channel, std::string& pending,
                                      std::size_t connection, std::size_t number_on_connection) {
    std::array<char, 65536> bytes;
    auto const parse = options_.start == Start::after_head ? &parse_request_head : &parse_request;
    auto parsed = parse(pending);
    while (!parsed) {
        auto const result = channel.read_some(bytes, TimeLimit{std::chrono::hours{1}});
        if (result.end != End::data) return false;
        pending.append(bytes.data(), result.count);
        parsed = parse(pending);
    }
    pending.erase(0, parsed->size);
    UpstreamExchange exchange{channel, pending, stop_.descriptor()};
    exchange.request = std::move(parsed->message);
    exchange.request.connection = connection;
    exchange.number_on_connection = number_on_connection;
    Script script;
    {
        std::lock_guard const guard{lock_};
        exchange.number = requests_.size();
        requests_.push_back(exchange.request);
        script = script_;
        changed_.notify_all();
    }
    if (script)
        script(exchange);
    else
        exchange.send(response_text("{}"));
    return channel.is_open();
}

template <class Predicate>
void RecordingUpstream::wait_until(Predicate predicate, char const* what) const {
    std::unique_lock guard{lock_};
    if (!changed_.wait_for(guard, patience, predicate))
        throw std::runtime_error(std::string{"the upstream waited too long for "} + what);
}

std::vector<Request> RecordingUpstream::requests() const {
    std::lock_guard const guard{lock_};
    return requests_;
}

Request RecordingUpstream::request(std::size_t index) const {
    wait_for_requests(index + 1);
    return requests()[index];
}

std::size_t RecordingUpstream::connections() const {
    std::lock_guard const guard{lock_};
    return connections_;
}

std::size_t RecordingUpstream::open_connections() const {
    std::lock_guard const guard{lock_};
    return open_;
}

std::vector<std::string> RecordingUpstream::protocol_errors() const {
    std::lock_guard const guard{lock_};
    return protocol_errors_;
}

std::vector<std::string> RecordingUpstream::failed_handshakes() const {
    std::lock_guard const guard{lock_};
    return failed_handshakes_;
}

std::vector<std::string> RecordingUpstream::client_names() const {
    std::lock_guard const guard{lock_};
    return client_names_;
}
std::vector<std::string> RecordingUpstream::server_names() const {
    std::lock_guard const guard{lock_};
    return server_names_;
}

void RecordingUpstream::wait_for_requests(std::size_t count) const {
    wait_until([&] { return requests_.size() >= count; }, "requests");
}

void RecordingUpstream::wait_for_connections(std::size_t count) const {
    wait_until([&] { return connections_ >= count; }, "connections");
}

void RecordingUpstream::wait_for_open_connections(std::size_t count) const {
    wait_until([&] { return open_ == count; }, "a number of open connections");
}

void RecordingUpstream::wait_for_failed_handshakes(std::size_t count) const {
    wait_until([&] { return failed_handshakes_.size() >= count; }, "failed handshakes");
}

RecordingUpstream::Script send_bytes(std::string bytes) {
    return [bytes = std::move(bytes)](UpstreamExchange& exchange) { exchange.send(bytes); };
}

RecordingUpstream::Script send_and_close(std::string bytes) {
    return [bytes = std::move(bytes)](UpstreamExchange& exchange) {
        exchange.send(bytes);
        exchange.close();
    };
}

} // namespace sallyport::test
