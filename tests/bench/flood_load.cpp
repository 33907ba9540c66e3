// Requests at fixed times to a server of plain HTTP/1.1, with right or with wrong passwords: for
// tests/bench/flood.
//
//     flood_load PORT SECONDS RATE CONNECTIONS NAME [PASSWORD]
//
// With a password: a known caller, over connections from 127.0.0.1; a request that finds none of
// them free waits, and its time counts from when it was due. Without: guesses, each a password of
// its own, each connection from an address of its own (127.1.0.1 and up); what finds no connection
// free is left out. A connection that the server closes is made again; where it takes none any
// more, the rest is left out. Prints a line: `name=number` pairs, times in microseconds.
#include "tests/support/descriptor.h"
#include "tests/support/encodings.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace {

using sallyport::test::Descriptor;
using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr unsigned longest = 600;          // seconds
constexpr std::size_t most_waiting = 4096; // requests of a known caller
constexpr auto last_responses = std::chrono::seconds{5};

struct Options {
    std::uint16_t port = 0;
    unsigned seconds = 0;
    unsigned rate = 0; // requests a second
    unsigned connections = 0;
    std::string name;
    std::string password; // empty: guesses
};

[[noreturn]] void fail(char const* what) {
    throw std::system_error{errno, std::generic_category(), what};
}

unsigned to_number(std::string_view text) {
    unsigned number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number == 0) {
        throw std::invalid_argument{"`" + std::string{text} + "` is not a number above 0"};
    }
    return number;
}

/// The length of the whole response at the begin of `bytes`; 0: not all of it is there.
std::size_t response_length(std::string_view bytes) {
    auto const head = bytes.find("\r\n\r\n");
    if (head == std::string_view::npos) return 0;
    std::string fields{bytes.substr(0, head)};
    std::transform(fields.begin(), fields.end(), fields.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    constexpr std::string_view name = "\r\ncontent-length:";
    auto const at = fields.find(name);
    if (at == std::string::npos) throw std::runtime_error{"a response without Content-Length"};
    auto const whole = head + 4 + std::strtoul(fields.c_str() + at + name.size(), nullptr, 10);
    return bytes.size() < whole ? 0 : whole;
}

class Load {
public:
    explicit Load(Options options)
        : options_(std::move(options)), poller_(::epoll_create1(EPOLL_CLOEXEC)),
          connections_(options_.connections) {
        if (!poller_.is_open()) fail("epoll_create1");
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            connect(i);
            free_.push_back(i);
        }
    }

    void run() {
        auto const began = Clock::now();
        auto const interval = nanoseconds{std::chrono::seconds{1}} / options_.rate;
        auto const end = began + std::chrono::seconds{options_.seconds};
        for (auto due = began; due < end;) {
            auto const now = Clock::now();
            for (; due <= now && due < end; due += interval)
                begin(due);
            poll(due - Clock::now());
        }
        while (!is_gone_ && free_.size() < connections_.size()
               && Clock::now() < end + last_responses) {
            poll(std::chrono::milliseconds{10});
        }
    }

    void print() {
        std::sort(times_.begin(), times_.end());
        auto const at = [this](double part) {
            if (times_.empty()) return 0LL;
            auto const index =
                static_cast<std::size_t>(part * static_cast<double>(times_.size() - 1));
            return static_cast<long long>(times_[index].count() / 1000);
        };
        std::printf("due=%zu answered=%zu left_out=%zu closed=%zu p50=%lld p99=%lld max=%lld", due_,
                    times_.size(), left_out_, closed_, at(0.5), at(0.99), at(1));
        for (auto const& [status, count] : statuses_)
            std::printf(" status_%s=%zu", status.c_str(), count);
        std::printf("\n");
    }

private:
    struct Connection {
        Descriptor socket;
        std::string received;
        Clock::time_point due;
        bool is_waiting = false; // for a response
    };

    [[nodiscard]] bool is_known() const { return !options_.password.empty(); }

    void connect(std::size_t index) {
        Descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        if (!socket.is_open()) fail("socket");
        int const on = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::setsockopt(socket.get(), SOL_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        auto const own =
            is_known() ? INADDR_LOOPBACK : 0x7F010001U + static_cast<std::uint32_t>(index);
        address.sin_addr.s_addr = htonl(own);
        if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            fail("bind");
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(options_.port);
        if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            is_gone_ = true;
            return;
        }
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        if (::epoll_ctl(poller_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) fail("epoll_ctl");
        connections_[index].socket = std::move(socket);
        connections_[index].received.clear();
    }

    void begin(Clock::time_point due) {
        ++due_;
        if (is_gone_) {
            ++left_out_;
        } else if (!free_.empty()) {
            auto const index = free_.front();
            free_.pop_front();
            send(index, due);
        } else if (is_known() && waiting_.size() < most_waiting) {
            waiting_.push_back(due);
        } else {
            ++left_out_;
        }
    }

    void send(std::size_t index, Clock::time_point due) {
        auto const password =
            is_known() ? options_.password : "guess-number-" + std::to_string(due_);
        auto const text = "GET /files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic "
                          + sallyport::test::base64(options_.name + ":" + password) + "\r\n\r\n";
        auto& connection = connections_[index];
        connection.due = due;
        connection.is_waiting = true;
        // What is not sent is seen as a closed connection when it is read.
        static_cast<void>(::send(connection.socket.get(), text.data(), text.size(), MSG_NOSIGNAL));
    }

    void poll(nanoseconds most) {
        most = std::max(most, nanoseconds{0});
        timespec const limit{most.count() / 1'000'000'000, most.count() % 1'000'000'000};
        epoll_event events[256];
        int const count = ::epoll_pwait2(poller_.get(), events, 256, &limit, nullptr);
        if (count < 0 && errno != EINTR) fail("epoll_pwait2");
        for (int i = 0; i < count; ++i)
            read(events[i].data.u64);
    }

    void read(std::size_t index) {
        auto& connection = connections_[index];
        char bytes[16384];
        auto const length = ::recv(connection.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
        if (length < 0 && errno == EAGAIN) return;
        if (length <= 0) {
            ++closed_;
            connect(index);
            if (connection.is_waiting && !is_gone_) end(index);
            return;
        }
        connection.received.append(bytes, static_cast<std::size_t>(length));
        auto const whole = response_length(connection.received);
        if (whole == 0 || !connection.is_waiting) return;
        ++statuses_[connection.received.substr(9, 3)];
        times_.push_back(Clock::now() - connection.due);
        connection.received.erase(0, whole);
        end(index);
    }

    void end(std::size_t index) {
        connections_[index].is_waiting = false;
        if (waiting_.empty()) {
            free_.push_back(index);
        } else {
            auto const due = waiting_.front();
            waiting_.pop_front();
            send(index, due);
        }
    }

    Options options_;
    Descriptor poller_;
    std::vector<Connection> connections_;
    std::deque<std::size_t> free_;          // connections, the longest unused one first
    std::deque<Clock::time_point> waiting_; // requests
    bool is_gone_ = false;                  // the server
    std::size_t due_ = 0, left_out_ = 0, closed_ = 0;
    std::vector<nanoseconds> times_;
    std::map<std::string, std::size_t> statuses_;
};

} // namespace

int main(int count, char** arguments) try {
    if (count < 6 || count > 7) {
        std::fprintf(stderr, "usage: flood_load PORT SECONDS RATE CONNECTIONS NAME [PASSWORD]\n");
        return 2;
    }
    Load load{{static_cast<std::uint16_t>(to_number(arguments[1])),
               std::min(to_number(arguments[2]), longest), to_number(arguments[3]),
               to_number(arguments[4]), arguments[5], count == 7 ? arguments[6] : ""}};
    load.run();
    load.print();
    return 0;
} catch (std::exception const& error) {
    std::fprintf(stderr, "flood_load: %s\n", error.what());
    return 1;
}
