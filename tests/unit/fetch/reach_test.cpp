// Which addresses may be connected to.
#include "gateway/fetch/reach.h"

#include <catch2/catch.hpp>

namespace reach_test {

using namespace sallyport;
using namespace sallyport::fetch;

namespace {

net::Address address(std::string const& ip) {
    auto const found = net::literal_address({ip, 443});
    REQUIRE(found);
    return *found;
}

Cause refused(std::string const& ip, Url::Scheme scheme = Url::Scheme::https, Reach reach = {}) {
    return reachable({address(ip)}, scheme, reach).refused;
}

} // namespace

TEST_CASE("link-local and metadata addresses are refused, however they are written") {
    for (auto const* ip : {"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1",
                           "febf::1", "::ffff:169.254.169.254", "fd00:ec2::254"}) {
        INFO(ip);
        CHECK(refused(ip) == Cause::address_refused);
        CHECK(refused(ip, Url::Scheme::https, {.link_local = Reach::LinkLocal::allowed})
              == Cause::none);
    }
}

TEST_CASE("addresses that stand for this host are refused whatever is allowed") {
    for (auto const* ip : {"0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"}) {
        INFO(ip);
        CHECK(
            refused(ip, Url::Scheme::http, {Reach::PlainHttp::anywhere, Reach::LinkLocal::allowed})
            == Cause::address_refused);
    }
}

TEST_CASE("a socket of the file system is no address to fetch from") {
    auto const path = net::unix_address("/run/socket");
    REQUIRE(path);
    CHECK(reachable({*path}, Url::Scheme::https, {}).refused == Cause::address_refused);
}

TEST_CASE("without TLS only loopback is reached, unless the configuration says otherwise") {
    for (auto const* ip : {"192.0.2.1", "10.0.0.1", "2001:db8::1", "128.0.0.1", "::2"}) {
        INFO(ip);
        CHECK(refused(ip, Url::Scheme::http) == Cause::insecure);
        CHECK(refused(ip, Url::Scheme::https) == Cause::none);
        CHECK(refused(ip, Url::Scheme::http, {.plain_http = Reach::PlainHttp::anywhere})
              == Cause::none);
    }
    for (auto const* ip : {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"}) {
        INFO(ip);
        CHECK(refused(ip, Url::Scheme::http) == Cause::none);
    }
}

TEST_CASE("loopback is refused where another server has named the URL") {
    Reach const named_by_other{.loopback = Reach::Loopback::refused};
    for (auto const* ip : {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"}) {
        INFO(ip);
        CHECK(refused(ip, Url::Scheme::https, named_by_other) == Cause::address_refused);
        CHECK(refused(ip, Url::Scheme::http, named_by_other) == Cause::address_refused);
        CHECK(refused(ip, Url::Scheme::https) == Cause::none);
    }
    CHECK(refused("192.0.2.1", Url::Scheme::https, named_by_other) == Cause::none);
}

TEST_CASE("a URL names this host by a name for loopback, or by such an address") {
    for (auto const* url : {"https://localhost/", "https://LOCALHOST:8443/", "https://a.localhost",
                            "http://127.0.0.1/", "https://127.1.2.3/", "https://[::1]/"}) {
        INFO(url);
        CHECK(names_loopback(parse_url(url).url));
    }
    for (auto const* url : {"https://id.example/", "https://localhost.example/",
                            "https://notlocalhost/", "https://192.0.2.1/", "https://[::2]/"}) {
        INFO(url);
        CHECK_FALSE(names_loopback(parse_url(url).url));
    }
}

TEST_CASE("of several addresses only those that may be reached are left") {
    auto const found =
        reachable({address("169.254.169.254"), address("192.0.2.1"), address("fe80::1")},
                  Url::Scheme::https, {});
    CHECK(found.addresses == std::vector{address("192.0.2.1")});
    CHECK(found.refused == Cause::none);
    CHECK(
        reachable({address("169.254.169.254"), address("192.0.2.1")}, Url::Scheme::http, {}).refused
        == Cause::address_refused);
}

} // namespace reach_test
