// The types of all asynchronous code: one concrete executor, tasks, errors and results as
// values.
#pragma once

#include "gateway/net/task.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <chrono>

namespace sallyport::net {

namespace asio = boost::asio;

/// One loop, one thread: no strand and no type erasure. any_io_executor costs 4,000 instructions a
/// request.
using Executor = asio::io_context::executor_type;

using Error = boost::system::error_code;

template <class T>
using Result = boost::system::result<T>;

using Clock = std::chrono::steady_clock;

} // namespace sallyport::net
