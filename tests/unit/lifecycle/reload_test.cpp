// When the configuration is loaded again, the result, and its report to the operator.
#include "gateway/lifecycle/reload.h"

#include "tests/unit/support/snapshot.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

namespace reload_test {

using namespace sallyport;
using namespace sallyport::lifecycle;
using namespace std::chrono_literals;
using lifecycle::test::Sections;

namespace {

// A reloader on a loop that the test runs.
struct Reloading {
    explicit Reloading(Sections const& sections = {.rest = "reload: on_signal\n"})
        : path{lifecycle::test::write(folder, sections)} {
        reloader.emplace(
            control, path, sallyport::test::tables(), lifecycle::test::fresh(),
            [this](std::shared_ptr<Snapshot const> snapshot) {
                if (refusal.empty()) running = std::move(snapshot);
                return refusal;
            },
            [this](ReloadStatus const&) { ++attempts; },
            [this](std::string const& file) { unfinished = file; });
        running = lifecycle::test::load(path);
        reloader->start(running, std::chrono::system_clock::now());
    }
    ~Reloading() { reloader->stop(); }

    void run_until(std::function<bool()> const& fact) {
        auto const limit = std::chrono::steady_clock::now() + 30s;
        while (!fact()) {
            REQUIRE(std::chrono::steady_clock::now() < limit);
            if (control.stopped()) control.restart();
            control.run_one_for(100ms);
        }
    }
    void wait_for_attempts(int count) {
        run_until([&] { return attempts >= count; });
    }
    // As editors do.
    void replace(std::string const& text) const {
        folder.write("next.yaml", text);
        std::filesystem::rename(folder / "next.yaml", path);
    }
    ReloadStatus const& status() const { return reloader->status(); }

    sallyport::test::TemporaryFolder folder;
    std::string path;
    net::asio::io_context control;
    std::shared_ptr<Snapshot const> running;
    std::vector<std::string> refusal; // of the function that activates it
    std::string unfinished;
    int attempts = 0;
    std::optional<Reloader> reloader;
};

} // namespace

TEST_CASE("causes have words") {
    CHECK(to_string(Cause::start) == "start");
    CHECK(to_string(Cause::signal) == "signal");
    CHECK(to_string(Cause::files) == "files");
}

TEST_CASE("an invalid configuration changes nothing, and its problems are reported") {
    Reloading test;
    auto const before = test.running;
    test.replace("listeners: nowhere\n");
    test.reloader->request(Cause::signal);
    test.wait_for_attempts(1);
    CHECK_FALSE(test.status().last.adopted);
    CHECK(test.status().last.cause == Cause::signal);
    CHECK(test.status().rejected == 1);
    CHECK(test.status().generation == 1);
    REQUIRE_FALSE(test.status().last.problems.empty());
    CHECK(test.status().last.problems.front().find("sallyport.yaml:1:") != std::string::npos);
    CHECK(test.running == before);
}

TEST_CASE("a configuration that cannot be activated is rejected") {
    Reloading test;
    test.refusal = {"listener public: no"};
    test.reloader->request(Cause::signal);
    test.wait_for_attempts(1);
    CHECK_FALSE(test.status().last.adopted);
    CHECK(test.status().last.problems == test.refusal);
    CHECK(test.status().generation == 1);
}

TEST_CASE("a valid configuration is activated with the next number") {
    Reloading test;
    for (std::uint64_t generation = 2; generation < 4; ++generation) {
        test.reloader->request(Cause::signal);
        test.wait_for_attempts(static_cast<int>(generation) - 1);
        CHECK(test.status().last.adopted);
        CHECK(test.status().generation == generation);
        CHECK(test.running->generation == generation);
    }
    CHECK(test.status().adopted == 2);
}

TEST_CASE("a contract is loaded again only if its files have changed") {
    Reloading test;
    auto reload = [&test, attempts = 0]() mutable {
        test.reloader->request(Cause::signal);
        test.wait_for_attempts(++attempts);
        REQUIRE(test.status().last.adopted);
        return test.running->apis.find("", "/v1/items/1")->contract;
    };
    auto const contract = reload();
    CHECK(reload() == contract);
    // As editors do.
    test.folder.write("next.yaml", std::string{lifecycle::test::contract_text} + "# changed\n");
    std::filesystem::rename(test.folder / "next.yaml", test.folder / "items.yaml");
    CHECK(reload() != contract);
}

TEST_CASE("a request during a load causes one more load after it") {
    Reloading test;
    for (int i = 0; i < 5; ++i)
        test.reloader->request(Cause::signal);
    test.wait_for_attempts(2);
    CHECK(test.status().generation == 3);
    test.control.poll();
    CHECK(test.attempts == 2);
}

TEST_CASE("changed files are loaded if the configuration enables it") {
    Reloading test{{.rest = "reload: automatic\n"}};
    test.replace(lifecycle::test::configuration_text({.rest = "reload: on_signal\n"}));
    test.wait_for_attempts(1);
    CHECK(test.status().last.cause == Cause::files);
    CHECK(test.status().last.adopted);
    // And from now on no more.
    test.reloader->request(Cause::files);
    test.reloader->request(Cause::signal);
    test.wait_for_attempts(2);
    CHECK(test.status().last.cause == Cause::signal);
}

TEST_CASE("a file that is being written is awaited for a limited time") {
    Reloading test{{.rest = "reload: automatic\n"}};
    int const writing = ::open((test.folder / "items.yaml").c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(writing >= 0);
    test.reloader->request(Cause::signal);
    SECTION("it is complete in time") {
        test.run_until([&] { return test.control.poll() == 0; });
        ::close(writing);
        test.wait_for_attempts(1);
        CHECK(test.status().last.adopted);
        CHECK(test.status().last.cause == Cause::signal);
    }
    SECTION("it is not: that is reported, and it is loaded later") {
        test.wait_for_attempts(1);
        CHECK_FALSE(test.status().last.adopted);
        REQUIRE_FALSE(test.status().last.problems.empty());
        CHECK(test.status().last.problems.front().find("items.yaml: is still being written")
              != std::string::npos);
        ::close(writing);
        test.wait_for_attempts(2);
        CHECK(test.status().last.adopted);
        CHECK(test.status().last.cause == Cause::files);
    }
}

TEST_CASE("a stopped reloader begins no load, and activates none") {
    Reloading test;
    auto const before = test.running;
    test.reloader->request(Cause::signal);
    test.reloader->stop();
    test.reloader->request(Cause::signal);
    // The running load is awaited.
    test.reloader.emplace(
        test.control, test.path, sallyport::test::tables(), lifecycle::test::fresh(),
        [](std::shared_ptr<Snapshot const> const&) { return std::vector<std::string>{}; },
        [](ReloadStatus const&) {}, [](std::string const&) {});
    test.control.poll();
    CHECK(test.attempts == 0);
    CHECK(test.running == before);
}

} // namespace reload_test
