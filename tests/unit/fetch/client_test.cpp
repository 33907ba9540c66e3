// How the gateway authenticates as a client of OAuth 2.0.
#include "gateway/fetch/client.h"

#include <catch2/catch.hpp>

namespace client_test {

using namespace sallyport::fetch;

TEST_CASE("id and secret are written as in a form, and then as Basic has them") {
    CHECK(client_authorization("a", "b").reveal() == "Basic YTpi");
    // a%3Ab:c%20%2B%C3%A9
    CHECK(client_authorization("a:b", "c +\xC3\xA9").reveal()
          == "Basic YSUzQWI6YyUyMCUyQiVDMyVBOQ==");
    CHECK(client_authorization("a", std::string(4096, '%')).is_empty());
}

TEST_CASE("a value of a form has every byte escaped that another reader could take for its own") {
    std::string text{"a="};
    append_form_value(text, "Az09-._~ +&=%\n");
    CHECK(text == "a=Az09-._%7E%20%2B%26%3D%25%0A");
}

} // namespace client_test
