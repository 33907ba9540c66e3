// Tokens of upstreams in files: what is read, and what a change does.
#include "gateway/lifecycle/token_watch.h"

#include "tests/unit/support/snapshot.h"

#include <boost/asio/io_context.hpp>

namespace token_watch_test {

using namespace sallyport;
using namespace sallyport::lifecycle;

namespace {

std::string read(std::string const& content) {
    sallyport::test::TemporaryFolder const folder;
    auto const loaded = load_token(folder.write("token", content));
    return loaded.authorization ? std::string{loaded.authorization->reveal()} : loaded.problem;
}

struct Watched {
    sallyport::test::TemporaryFolder folder;
    net::asio::io_context control;
    std::vector<std::string> events;
    TokenWatch watch{
        control,
        {[this](auto const& upstream, auto const&) { events.push_back(upstream + " loaded"); },
         [this](auto const& upstream, auto const&, auto const& problem) {
             events.push_back(upstream + ' ' + problem);
         }}};
    std::shared_ptr<Snapshot const> snapshot;

    Watched() {
        folder.write("token", "first\n");
        lifecycle::test::Sections sections;
        sections.upstream = ", credential: { token_file: token }";
        snapshot = lifecycle::test::load(lifecycle::test::write(folder, sections));
    }
    [[nodiscard]] std::string token() const {
        return std::string{snapshot->upstreams[0].settings.renewed->get()->reveal()};
    }
    // Until that many events came.
    void wait_for(std::size_t count) {
        auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (events.size() < count && std::chrono::steady_clock::now() < limit)
            control.run_one_for(std::chrono::milliseconds{100});
        REQUIRE(events.size() == count);
    }
};

} // namespace

TEST_CASE("a token stands alone in its file") {
    CHECK(read("abc.DEF-1~+/==") == "Bearer abc.DEF-1~+/==");
    CHECK(read("abc\n") == "Bearer abc");
    CHECK(read("abc\r\n\n") == "Bearer abc");
    CHECK(read("") == "is empty");
    CHECK(read("\n") == "is empty");
    for (std::string const content :
         {"a b", "Bearer abc", "abc\r\nX: y", "abc\ndef", " abc", "==", "abc=d", "\xC3\xA9"}) {
        CAPTURE(content);
        CHECK(read(content) == "is no bearer token (RFC 6750)");
    }
    CHECK(read(std::string(8192, 'a')) == "Bearer " + std::string(8192, 'a'));
    CHECK(read(std::string(8193, 'a')).find("abc") == std::string::npos);
    CHECK_FALSE(load_token("/nowhere/token").problem.empty());
}

TEST_CASE_METHOD(Watched, "a change of the file is a new token; a bad one keeps the last") {
    watch.adopt(*snapshot);
    CHECK(events.empty());
    CHECK(token() == "Bearer first");

    folder.write("next", "second\n");
    std::filesystem::rename(folder.path() / "next", folder.path() / "token");
    wait_for(1);
    CHECK(events.back() == "up loaded");
    CHECK(token() == "Bearer second");

    std::filesystem::remove(folder.path() / "token");
    wait_for(2);
    CHECK(events.back() == "up No such file or directory");
    CHECK(token() == "Bearer second");

    folder.write("next", "no token\n");
    std::filesystem::rename(folder.path() / "next", folder.path() / "token");
    wait_for(3);
    CHECK(events.back() == "up is no bearer token (RFC 6750)");
    CHECK(token() == "Bearer second");

    folder.write("next", "third\n");
    std::filesystem::rename(folder.path() / "next", folder.path() / "token");
    wait_for(4);
    CHECK(token() == "Bearer third");
}

TEST_CASE_METHOD(Watched, "a token that came while the configuration was loaded is not missed") {
    folder.write("token", "second\n");
    watch.adopt(*snapshot);
    if (events.empty()) wait_for(1); // it was still fresh
    CHECK(token() == "Bearer second");
}

} // namespace token_watch_test
