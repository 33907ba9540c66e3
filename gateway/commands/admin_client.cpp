// A client of the admin listener of a running gateway: see admin_client.h.
#include "gateway/commands/admin_client.h"

#include "config/load.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <ostream>

namespace sallyport::commands {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::seconds patience{5};
constexpr std::uint64_t largest_page = std::uint64_t{16} * 1024 * 1024;

// One GET, within its time limit.
class PageRequest {
public:
    PageRequest(config::Address const& address, char const* path)
        : endpoint_{asio::ip::make_address(address.ip), address.port} {
        request_.version(11);
        request_.method(http::verb::get);
        request_.target(path);
        request_.set(http::field::host, "localhost");
        request_.keep_alive(false);
        parser_.body_limit(largest_page);
    }

    // The page; if empty, `error()` is the reason.
    std::string fetch() {
        stream_.expires_after(patience);
        stream_.async_connect(endpoint_, [this](error_code error) {
            if (failed(error)) return;
            http::async_write(stream_, request_, [this](error_code unsent, std::size_t) {
                if (failed(unsent)) return;
                http::async_read(stream_, buffer_, parser_,
                                 [this](error_code unread, std::size_t) { failed(unread); });
            });
        });
        loop_.run();
        if (error_.empty() && parser_.get().result() != http::status::ok)
            error_ = "the response is " + std::to_string(parser_.get().result_int());
        return error_.empty() ? std::move(parser_.get().body()) : std::string{};
    }

    std::string const& error() const { return error_; }

private:
    bool failed(error_code error) {
        if (error) error_ = error.message();
        return static_cast<bool>(error);
    }

    asio::io_context loop_{1};
    asio::ip::tcp::endpoint endpoint_;
    beast::tcp_stream stream_{loop_};
    beast::flat_buffer buffer_;
    http::request<http::empty_body> request_;
    http::response_parser<http::string_body> parser_;
    std::string error_;
};

} // namespace

config::Address connectable(config::Address address) {
    if (address.ip == "0.0.0.0") address.ip = "127.0.0.1";
    if (address.ip == "::") address.ip = "::1";
    return address;
}

std::optional<config::Address> find_admin(AdminPlace const& place, config::Tables const& tables,
                                          std::ostream& err) {
    if (place.config.empty()) {
        auto address = config::parse_address(place.address);
        if (!address) {
            err << place.address << " is no address; write IP:PORT\n";
            return std::nullopt;
        }
        return connectable(*address);
    }
    auto const read = config::load_config(place.config, tables);
    if (read.config.admin) return connectable(read.config.admin->address);
    err << place.config << " has no admin listener; write admin: { address: 127.0.0.1:9901 }\n";
    return std::nullopt;
}

AdminResponse get_admin_page(config::Address const& address, char const* path) {
    PageRequest request{address, path};
    AdminResponse response;
    response.page = request.fetch();
    response.problem = request.error();
    return response;
}

} // namespace sallyport::commands
