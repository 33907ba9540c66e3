// An exchange's use of a connection.
#include "gateway/upstream/pool.h"

#include "gateway/upstream/connection.h"

namespace sallyport::upstream {

Lease::Lease() = default;

Lease::Lease(Pool& pool, std::unique_ptr<Connection> connection)
    : pool_{&pool}, connection_{std::move(connection)} {}

Lease::~Lease() {
    end();
}

Lease::Lease(Lease&& other) noexcept = default;

Lease& Lease::operator=(Lease&& other) noexcept {
    if (this != &other) {
        end();
        pool_ = other.pool_;
        connection_ = std::move(other.connection_);
    }
    return *this;
}

void Lease::end() noexcept {
    if (connection_) pool_->drop(std::move(connection_));
}

void Lease::give_back(net::Clock::time_point now) {
    if (connection_) pool_->keep(std::move(connection_), now);
}

http::ClientExchange& Lease::exchange() const noexcept {
    return *connection_->exchange;
}

bool Lease::is_reused() const noexcept {
    return connection_->is_reused;
}

std::string_view Lease::endpoint() const noexcept {
    return connection_->endpoint;
}

std::string_view Lease::host() const noexcept {
    return connection_->host;
}

} // namespace sallyport::upstream
