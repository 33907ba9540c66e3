// Clients of HTTP/2: a batch of requests at once, then their responses.
#include "tests/soak/http2_clients.h"

#include "tests/support/http2_client.h"
#include "tests/support/operations.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <string>
#include <utility>

namespace sallyport::soak {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t streams_at_once = 8; // of a connection
// A client of tests keeps all frames of its connection.
constexpr int batches_of_a_connection = 40;

} // namespace

// One connection after the other.
class Http2Clients::Session {
public:
    Session(Http2Clients& clients, std::uint64_t seed) : clients_{clients}, random_{seed} {}

    ClientCounts run() {
        while (!clients_.stopped_) {
            try {
                test::Http2Client client{clients_.settings_.port};
                for (int i = 0; i < batches_of_a_connection && !clients_.stopped_; ++i)
                    exchange(client);
                client.channel().close();
            } catch (std::exception const& exception) {
                counts_.note_unexpected(std::string{"over HTTP/2: "} + exception.what());
            }
        }
        return std::move(counts_);
    }

private:
    std::string make_request(std::string const& nonce) {
        auto const& settings = clients_.settings_;
        bool const puts = random_() % 3 == 0;
        test::Outgoing request{puts ? "PUT" : "GET",
                               puts ? settings.put_target
                                    : settings.targets[random_() % settings.targets.size()]};
        request.add("Authorization", settings.authorization).add("X-Nonce", nonce);
        if (puts) request.body("{\"db_max_threads\":8,\"nonce\":\"" + nonce + "\"}");
        return request.text();
    }

    void exchange(test::Http2Client& client) {
        wait_for_turn();
        std::vector<std::pair<std::uint32_t, std::string>> begun;
        for (std::size_t i = 0; i < streams_at_once; ++i) {
            auto nonce = std::to_string(random_());
            ++clients_.requests_;
            ++counts_.requests;
            auto const stream = client.begin(make_request(nonce));
            begun.emplace_back(stream, std::move(nonce));
        }
        for (auto const& [stream, nonce] : begun) {
            auto const response = client.read_response(stream);
            if (response.reset) {
                ++counts_.aborted;
            } else {
                counts_.take(response.message.status, response.message.body, nonce);
            }
        }
    }

    void wait_for_turn() {
        double const rate = clients_.rate_;
        if (rate <= 0) return;
        auto const interval = std::chrono::duration<double>{
            static_cast<double>(clients_.settings_.connections) / rate};
        next_ = std::max(next_ + std::chrono::duration_cast<Clock::duration>(interval),
                         Clock::now() - std::chrono::seconds{1});
        std::this_thread::sleep_until(next_);
    }

    Http2Clients& clients_;
    std::mt19937_64 random_;
    ClientCounts counts_;
    Clock::time_point next_ = Clock::now();
};

Http2Clients::Http2Clients(ClientSettings settings) : settings_{std::move(settings)} {
    settings_.connections =
        std::max(settings_.connections / streams_at_once, std::size_t{1}) * streams_at_once;
    for (std::size_t i = 0; i < settings_.connections / streams_at_once; ++i)
        threads_.emplace_back([this, i] { run(1'000 + i); });
}

Http2Clients::~Http2Clients() {
    stop();
}

void Http2Clients::stop() {
    stopped_ = true;
    for (auto& thread : threads_)
        if (thread.joinable()) thread.join();
}

void Http2Clients::run(std::uint64_t seed) {
    auto const counts = Session{*this, seed}.run();
    std::lock_guard const lock{mutex_};
    counts_.add(counts);
}

} // namespace sallyport::soak
