// The log's writer on a disk that is full: what is reported, and that no line is lost or mixed.
#include "log_writer_fixture.h"

#include <catch2/catch.hpp>

#include <sys/resource.h>

namespace log_writer_full_disk_test {

using namespace sallyport::observe;
using namespace sallyport::observe::test;

namespace {

// The size beyond which this process may not write files, during its lifetime: a disk that is full
// in the middle of a line.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const limit{bytes, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    FileSizeLimit(FileSizeLimit const&) = delete;
    FileSizeLimit& operator=(FileSizeLimit const&) = delete;
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

constexpr rlim_t file_size_limit = 100'000;

} // namespace

TEST_CASE_METHOD(Fixture, "a full disk is reported once, and no producer waits for it") {
    auto writer = start(options("/dev/full"));
    push(*writer, "one\n");
    CHECK(becomes_true([&] { return writer->statistics().write_errors >= 3; }));
    push(*writer, "two\n");
    writer->stop();
    auto const told = incidents.all();
    REQUIRE(told.size() == 1);
    CHECK(told[0].kind == LogIncident::Kind::write_failed);
    CHECK(told[0].error.value() == ENOSPC);
    CHECK(writer->statistics().bytes_written == 0);
    CHECK(writer->statistics().dropped_lines == 2);
}

TEST_CASE_METHOD(Fixture, "a line truncated by a full disk is completed when there is room") {
    auto writer = start(options(folder / "log"));
    std::string expected;
    {
        FileSizeLimit const limit{file_size_limit};
        for (int i = 0; i < 101; ++i) {
            push(*writer, long_line);
            expected += long_line;
        }
        REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
        CHECK(incidents.all()[0].error.value() == EFBIG);
        CHECK(fs::file_size(folder / "log") == file_size_limit);
    }
    // The same file again: the line continues where it was truncated.
    writer->reopen();
    writer->stop();
    CHECK(content(folder / "log") == expected);
}

TEST_CASE_METHOD(Fixture, "a truncated line is repeated in another file") {
    auto writer = start(options(folder / "log"));
    {
        FileSizeLimit const limit{file_size_limit};
        for (int i = 0; i < 101; ++i)
            push(*writer, long_line);
        REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
        fs::rename(folder / "log", folder / "old");
        writer->reopen();
        REQUIRE(becomes_true([&] { return incidents.all().size() == 2; }));
    }
    writer->stop();
    CHECK(content(folder / "log") == long_line);
    CHECK(fs::file_size(folder / "old") == file_size_limit);
}

TEST_CASE_METHOD(Fixture, "lines of another ring do not come between the parts of one") {
    auto two_rings = options(folder / "log");
    two_rings.rings = 2;
    auto writer = start(std::move(two_rings));
    std::string expected;
    {
        FileSizeLimit const limit{file_size_limit};
        for (int i = 0; i < 101; ++i) {
            push(*writer, long_line, 1);
            expected += long_line;
        }
        REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
        push(*writer, "of ring 0\n", 0);
    }
    writer->stop();
    CHECK(content(folder / "log") == expected + "of ring 0\n");
}

} // namespace log_writer_full_disk_test
