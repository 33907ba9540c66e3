// A server on loopback that a plugin of the tests fetches facts from: it listens at once, and what
// it does with a request is set by the test.
#pragma once

#include "tests/unit/upstream/pool_harness.h"

#include <string>
#include <vector>

namespace sallyport::plugins::test {

class FactServer {
public:
    std::uint16_t port() const { return listening_.port(); }

    /// Takes what has connected meanwhile; the number of connections since the beginning.
    std::size_t connections() {
        listening_.accept_all();
        return listening_.accepted.size();
    }
    /// Sends the text on the last connection, and closes it.
    void respond(std::string const& text) {
        REQUIRE(connections() != 0);
        auto& connection = listening_.accepted.back();
        REQUIRE(::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL)
                == static_cast<ssize_t>(text.size()));
        ::shutdown(connection.get(), SHUT_WR);
    }
    /// Ends the last connection without a response.
    void close() {
        REQUIRE(connections() != 0);
        ::shutdown(listening_.accepted.back().get(), SHUT_RDWR);
    }

private:
    upstream::test::Listening listening_;
};

} // namespace sallyport::plugins::test
