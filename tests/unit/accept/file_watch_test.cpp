// When a change of a file is reported: once it is complete.
#include "gateway/lifecycle/file_watch.h"
#include "gateway/lifecycle/paths.h"
#include "tests/support/temporary_folder.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

namespace file_watch_test {

using namespace sallyport;
using namespace std::chrono_literals;
using lifecycle::FileWatch;
using lifecycle::Writers;
namespace fs = std::filesystem;

namespace {

// A file that is written in place, and stays open.
class OpenFile {
public:
    OpenFile(std::string const& path, int flags)
        : descriptor_{::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600)} {
        REQUIRE(descriptor_ >= 0);
    }
    ~OpenFile() { close(); }
    void write(std::string_view text) const {
        REQUIRE(::write(descriptor_, text.data(), text.size())
                == static_cast<ssize_t>(text.size()));
    }
    void close() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

private:
    int descriptor_;
};

struct Watched {
    explicit Watched(std::vector<std::string> the_files, Writers says)
        : writers{says}, files{std::move(the_files)} {
        watch.watch(files, std::chrono::system_clock::now());
    }

    template <class Predicate>
    bool run_until(Predicate const& predicate) {
        auto const limit = std::chrono::steady_clock::now() + 20s;
        while (!predicate()) {
            if (std::chrono::steady_clock::now() > limit) return false;
            context.run_one_for(100ms);
        }
        return true;
    }
    // Whether a change was reported since the last call; it is read then.
    bool told() {
        bool const was_told = run_until([&] { return changes > 0; });
        watch.begin_reading();
        changes = 0;
        return was_told;
    }
    bool held_back() {
        bool const was_held = run_until([&] { return !unfinished.empty(); });
        unfinished.clear();
        return was_held && changes == 0;
    }

    net::asio::io_context context;
    Writers writers;
    std::vector<std::string> files;
    int changes = 0;
    std::vector<std::string> unfinished;
    FileWatch watch{context,
                    {[this] { ++changes; },
                     [this](std::string const& path) { unfinished.push_back(path); }},
                    {.quiet = 10ms, .most = 100ms, .look = 10s, .same = 400ms, .report = 50ms},
                    [this](std::string const&) { return writers; }};
};

std::string text_of(fs::path const& path) {
    return path.string();
}

} // namespace

TEST_CASE("a truncated file that is open is not loaded before it is closed") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("credentials.yaml", "whole"));
    // The system does not show writers of another user's file: the events do.
    Watched watched{{path}, Writers::unknown};
    OpenFile file{path, O_TRUNC};
    CHECK(watched.held_back());
    file.write("half");
    CHECK(watched.changes == 0);
    file.write(", and the rest");
    file.close();
    CHECK(watched.told());
}

TEST_CASE("an incomplete file delays the change of another") {
    test::TemporaryFolder folder;
    auto const one = text_of(folder.write("one", "1"));
    auto const other = text_of(folder.write("other", "1"));
    Watched watched{{one, other}, Writers::unknown};
    OpenFile file{one, O_TRUNC};
    fs::rename(folder.write("next", "2"), other);
    CHECK(watched.held_back());
    file.close();
    CHECK(watched.told());
}

TEST_CASE("a file that is open for writing is not a change, whatever events were reported") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("one", "1"));
    Watched watched{{path}, Writers::some};
    fs::rename(folder.write("next", "2"), path);
    CHECK(watched.held_back());
    watched.writers = Writers::none;
    CHECK(watched.told());
}

TEST_CASE("a file created in place is not a change before it is closed") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder / "new.yaml");
    Watched watched{{path}, Writers::unknown};
    OpenFile file{path, O_CREAT | O_EXCL};
    file.write("half");
    CHECK(watched.held_back());
    file.close();
    CHECK(watched.told());
}

TEST_CASE("a change without an event counts once the file has been unchanged for a while") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("one", "1"));
    Watched watched{{path}, Writers::unknown};
    // The content may differ: a write on another machine is visible only like this.
    auto const before = std::chrono::steady_clock::now();
    std::array<timespec, 2> const times{{{1'000'000'000, 0}, {1'000'000'000, 0}}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
    CHECK(watched.told());
    CHECK(std::chrono::steady_clock::now() - before >= 400ms);
}

TEST_CASE("a rename, a new link and the replacement of a link above are changes at once") {
    test::TemporaryFolder folder;
    folder.write("first/file", "1");
    folder.write("second/file", "2");
    fs::create_directory_symlink("first", folder / "data");
    fs::create_symlink("data/file", folder / "file");
    auto const path = text_of(folder / "file");
    Watched watched{{path}, Writers::unknown};
    auto const at_once = [&watched] {
        auto const before = std::chrono::steady_clock::now();
        return watched.told() && std::chrono::steady_clock::now() - before < 400ms;
    };
    fs::create_directory_symlink("second", folder / "next");
    fs::rename(folder / "next", folder / "data");
    CHECK(at_once());
    fs::rename(folder.write("second/next", "3"), folder / "second/file");
    CHECK(at_once());
    fs::remove(folder / "file");
    CHECK(at_once());
    fs::create_symlink("first/file", folder / "file");
    CHECK(at_once());
}

TEST_CASE("events of neighbouring files do not cause a check") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("one", "1"));
    Watched watched{{path}, Writers::none};
    OpenFile log{text_of(folder / "access.log"), O_CREAT};
    log.write("line\n");
    log.close();
    fs::rename(folder.write("next", "2"), path);
    CHECK(watched.told());
}

TEST_CASE("a file that changed while it was read, or is being written, was read incompletely") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("one", "1"));
    Watched watched{{path}, Writers::unknown};
    watched.watch.begin_reading();
    auto const began = std::chrono::system_clock::now();
    CHECK(watched.watch.unfinished_since({path}, began).empty());
    OpenFile file{path, O_APPEND};
    file.write("2");
    watched.watch.begin_reading();
    CHECK(watched.watch.unfinished_since({path}, began) == std::vector{path});
    file.close();
    CHECK(watched.watch.unfinished_since({path}, began).empty());
    fs::rename(folder.write("next", "a new one"), path);
    CHECK(watched.watch.unfinished_since({path}, began) == std::vector{path});
    // An unwatched one that has just been written.
    auto const fresh = text_of(folder.write("fresh", "1"));
    CHECK(watched.watch.unfinished_since({fresh}, began + 1h) == std::vector{fresh});
    watched.writers = Writers::none;
    CHECK(watched.watch.unfinished_since({fresh}, began + 1h).empty());
}

TEST_CASE("the system reports whether a file is open for writing") {
    test::TemporaryFolder folder;
    auto const path = text_of(folder.write("one", "1"));
    if (lifecycle::writers_of(path) == Writers::unknown) return; // an unknown file system
    CHECK(lifecycle::writers_of(path) == Writers::none);
    OpenFile file{path, 0};
    CHECK(lifecycle::writers_of(path) == Writers::some);
    file.close();
    CHECK(lifecycle::writers_of(path) == Writers::none);
    CHECK(lifecycle::writers_of(text_of(folder / "missing")) == Writers::none);
    CHECK(lifecycle::writers_of(text_of(folder.path())) == Writers::none);
    // It does not wait for the other end of the pipe.
    REQUIRE(::mkfifo(text_of(folder / "pipe").c_str(), 0600) == 0);
    CHECK(lifecycle::writers_of(text_of(folder / "pipe")) == Writers::none);
}

TEST_CASE("links on the path of a file are followed to the names that may be replaced") {
    test::TemporaryFolder folder;
    folder.write("first/file", "1");
    fs::create_directory_symlink("first", folder / "data");
    fs::create_symlink("data/file", folder / "file");
    auto const base = fs::canonical(folder.path()).string();
    std::vector<std::string> names;
    for (auto const& one : lifecycle::names_on_the_way(base + "/file"))
        names.push_back(one.folder + "|" + one.name);
    CHECK(names == std::vector<std::string>{base + "|file", base + "|data",
                                            base + "/first|file"});
    fs::create_symlink("round", folder / "round");
    CHECK(lifecycle::names_on_the_way(base + "/round").size() <= 41);
    auto const missing = lifecycle::names_on_the_way(base + "/none/file");
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].name == "none");
}

} // namespace file_watch_test
