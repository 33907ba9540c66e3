// Runs tasks on a loop for tests: to their end, or until a generous limit, which means a hang.
#pragma once

#include "gateway/net/loop.h"
#include "gateway/net/socket.h"
#include "gateway/net/stream.h"

#include <catch2/catch.hpp>

#include <sys/socket.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sallyport::net::test {

inline constexpr auto hang = std::chrono::seconds(20);

inline Task<> note_end(Task<> task, bool* done) {
    co_await std::move(task);
    if (done != nullptr) *done = true;
}

/// Runs `task` until it waits; its exceptions are thrown here, or by the loop.
inline void start(Loop& loop, Task<> task, bool* done = nullptr) {
    net::start(loop.context(), note_end(std::move(task), done));
}

/// Runs the loop until `fact` is true.
inline void run_until(Loop& loop, std::function<bool()> const& fact) {
    auto const limit = Clock::now() + hang;
    while (!fact()) {
        if (loop.context().stopped()) loop.context().restart();
        auto const ran = loop.context().run_one_until(limit);
        INFO("everybody waits for something that does not come");
        REQUIRE(ran == 1);
    }
}

/// Runs everything that is ready.
inline void run_ready(Loop& loop) {
    if (loop.context().stopped()) loop.context().restart();
    loop.context().poll();
}

template <class T>
Task<> keep_result(Task<T> task, std::optional<T>& result) {
    result = co_await std::move(task);
}

inline Task<> keep_result(Wait wait, std::optional<Error>& result) {
    result = co_await wait;
}

template <class T>
T run(Loop& loop, Task<T> task) {
    std::optional<T> result;
    start(loop, keep_result(std::move(task), result));
    run_until(loop, [&] { return result.has_value(); });
    return std::move(*result);
}

inline Error run(Loop& loop, Wait wait) {
    std::optional<Error> result;
    start(loop, keep_result(wait, result));
    run_until(loop, [&] { return result.has_value(); });
    return *result;
}

inline void run(Loop& loop, Task<> task) {
    bool done = false;
    start(loop, std::move(task), &done);
    run_until(loop, [&] { return done; });
}

inline std::pair<FileDescriptor, FileDescriptor> make_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Two ends of a TCP connection over loopback: for RST, which unix sockets do not have.
std::pair<FileDescriptor, FileDescriptor> make_tcp_pair();

/// Reads to the end; stores the error that ended it in `end` (eof for an orderly end).
inline Task<std::string> read_all(Stream& stream, Error* end = nullptr, std::size_t piece = 4096) {
    std::string all;
    std::string block(piece, '\0');
    for (;;) {
        auto const got = co_await stream.read_some(block);
        if (!got) {
            if (end != nullptr) *end = got.error();
            co_return all;
        }
        all.append(block, 0, *got);
    }
}

inline Task<std::string> read_exactly(Stream& stream, std::size_t size) {
    std::string all(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        auto const got = co_await stream.read_some(std::span(all).subspan(done));
        if (!got) break;
        done += *got;
    }
    all.resize(done);
    co_return all;
}

} // namespace sallyport::net::test
