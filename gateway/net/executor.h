// The vocabulary of everything asynchronous: one concrete executor, tasks, errors and results as
// values.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <chrono>

namespace sallyport::net {

namespace asio = boost::asio;

// One loop, one thread: no strand and no type erasure. any_io_executor costs 4,000 instructions a
// request.
using Executor = asio::io_context::executor_type;

template <class T = void>
using Task = asio::awaitable<T, Executor>;

// The completion token that makes an Asio operation a Task.
inline constexpr asio::use_awaitable_t<Executor> use_task{};

using Error = boost::system::error_code;

template <class T>
using Result = boost::system::result<T>;

using Clock = std::chrono::steady_clock;

} // namespace sallyport::net
