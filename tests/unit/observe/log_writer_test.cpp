// The log's writer thread: files, pipes, rotation, and the end.
#include "log_writer_fixture.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace log_writer_test {

using namespace sallyport::observe;
using namespace sallyport::observe::test;

TEST_CASE_METHOD(Fixture, "an output that cannot be opened is an error at the start") {
    CHECK(LogWriter::start(options(folder / "no/such/folder")).error().value() == ENOENT);
    CHECK(LogWriter::start(options(folder / "")).error().value() == EISDIR);
    // A FIFO without a reader must not block the start.
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(LogWriter::start(options(folder / "fifo")).error().value() == ENXIO);
}

TEST_CASE_METHOD(Fixture,
                 "while nothing can be written lines beyond the ring are dropped, not the worker") {
    auto with_small_ring = options("/dev/full");
    with_small_ring.ring_bytes = 64;
    auto writer = start(std::move(with_small_ring));
    auto& ring = writer->ring(0);
    for (int i = 0; i < 1000; ++i)
        ring.push("0123456789\n");
    CHECK(ring.dropped() == 995);
    CHECK(writer->statistics().dropped_lines == 995);
    // The writer finds them in several rounds if it checked while they arrived.
    REQUIRE(becomes_true([&] {
        auto const now = writer->statistics();
        return now.is_losing && std::accumulate(now.dropped.begin(), now.dropped.end(), 0U) == 995;
    }));
    auto const statistics = writer->statistics();
    CHECK(statistics.failing_with.value() == ENOSPC);
    // Further lines are lost because nothing can be written.
    ring.push("0123456789\n");
    auto const failed = static_cast<std::size_t>(WhyDropped::write_failed);
    CHECK(becomes_true(
        [&] { return writer->statistics().dropped[failed] == statistics.dropped[failed] + 1; }));
    writer->stop();
    CHECK(writer->statistics().dropped_lines == 1001);
}

TEST_CASE_METHOD(Fixture,
                 "what waited during a failure is written when it ends, and that is told") {
    auto const path = folder / "log";
    fs::create_symlink("/dev/full", path);
    auto writer = start(options(path));
    push(*writer, "one\n");
    REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
    fs::remove(path);
    writer->reopen();
    push(*writer, "two\n");
    REQUIRE(becomes_true([&] { return incidents.all().size() == 2; }));
    CHECK(incidents.all()[1].kind == LogIncident::Kind::recovered);
    writer->stop();
    CHECK(content(path) == "one\ntwo\n");
    CHECK(writer->statistics().dropped_lines == 0);
}

TEST_CASE_METHOD(
    Fixture, "lines that came faster than they could be written are told, though nothing failed") {
    auto few = options(folder / "log");
    few.ring_bytes = 4096;
    auto writer = start(std::move(few));
    std::uint64_t dropped = 0;
    REQUIRE(becomes_true([&] {
        // Many at once: within the ten seconds in which only one loss is reported.
        for (int i = 0; i < 1000; ++i)
            if (writer->ring(0).push(long_line) == Pushed::dropped) ++dropped;
        return dropped >= 100;
    }));
    REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
    CHECK(incidents.all()[0].kind == LogIncident::Kind::lines_dropped);
    CHECK(incidents.all()[0].dropped_lines > 0);
    CHECK(incidents.all()[0].dropped_lines <= dropped);
    CHECK(writer->statistics().dropped[static_cast<std::size_t>(WhyDropped::too_slow)] > 0);
    CHECK(writer->statistics().is_losing);
    CHECK_FALSE(writer->statistics().failing_with);
    writer->stop();
    // Ten seconds behind the last line that was lost, which was found within this test.
    auto const stopped = std::chrono::steady_clock::now();
    CHECK(writer->statistics(stopped).is_losing);
    CHECK_FALSE(writer->statistics(stopped + std::chrono::milliseconds{10'001}).is_losing);
    CHECK(incidents.all().size() == 1);
}

TEST_CASE_METHOD(Fixture, "a path that cannot be opened again leaves the old file in use") {
    fs::create_directory(folder / "d");
    auto writer = start(options(folder / "d/log"));
    push(*writer, "one\n");
    REQUIRE(is_written(*writer, 4));
    fs::rename(folder / "d", folder / "e");
    writer->reopen();
    REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
    CHECK(incidents.all()[0].kind == LogIncident::Kind::reopen_failed);
    CHECK(writer->statistics().write_errors == 1);
    CHECK(incidents.all()[0].error.value() == ENOENT);
    CHECK(reopened == 0);
    push(*writer, "two\n");
    writer->stop();
    CHECK(content(folder / "e/log") == "one\ntwo\n");
}

TEST_CASE_METHOD(Fixture, "a reader that does not read delays the stop only up to its limit") {
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    auto const reader = ::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    auto impatient = options(folder / "fifo");
    impatient.stop_limit = 20ms;
    auto writer = start(std::move(impatient));
    for (int i = 0; i < 500; ++i)
        push(*writer, long_line);
    writer->stop();
    auto const dropped = writer->statistics().dropped_lines;
    CHECK(dropped > 0);
    // The lines that arrived are complete.
    std::string received(1 << 20, '\0');
    auto const size = ::read(reader, received.data(), received.size());
    ::close(reader);
    REQUIRE(size > 0);
    CHECK(static_cast<std::size_t>(size) == (500 - dropped) * long_line.size());
    CHECK(incidents.all().empty());
}

TEST_CASE_METHOD(Fixture, "a closed reader is an error, not a signal") {
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    auto const reader = ::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    auto writer = start(options(folder / "fifo"));
    ::close(reader);
    push(*writer, "one\n");
    REQUIRE(becomes_true([&] { return incidents.all().size() == 1; }));
    CHECK(incidents.all()[0].error.value() == EPIPE);
    writer->stop();
    CHECK(writer->statistics().dropped_lines == 1);
}

TEST_CASE_METHOD(Fixture, "a slow reader gets every line") {
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    auto const reader = ::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    auto writer = start(options(folder / "fifo"));
    REQUIRE(::fcntl(reader, F_SETFL, 0) == 0);
    std::string received;
    std::thread thread{[&] {
        std::array<char, 777> memory;
        for (;;) {
            auto const size = ::read(reader, memory.data(), memory.size());
            if (size <= 0) return;
            received.append(memory.data(), static_cast<std::size_t>(size));
        }
    }};
    std::string expected;
    // Also longer than what a pipe accepts at once.
    auto const longest_line = std::string(20'000, 'y') + "\n";
    for (int i = 0; i < 40; ++i) {
        push(*writer, i % 2 == 0 ? longest_line : long_line);
        expected += i % 2 == 0 ? longest_line : long_line;
    }
    writer->stop();
    writer.reset();
    thread.join();
    ::close(reader);
    CHECK(received == expected);
}

TEST_CASE_METHOD(Fixture, "a new file has mode 0640 whatever the umask, an old one keeps its own") {
    auto const before = ::umask(0);
    start(options(folder / "open"));
    ::umask(077);
    start(options(folder / "closed"));
    ::umask(before);
    using fs::perms;
    auto const expected = perms::owner_read | perms::owner_write | perms::group_read;
    CHECK(fs::status(folder / "open").permissions() == expected);
    CHECK(fs::status(folder / "closed").permissions() == expected);

    std::ofstream{folder / "old"} << "before\n";
    fs::permissions(folder / "old", perms::owner_read | perms::owner_write);
    auto writer = start(options(folder / "old"));
    push(*writer, "after\n");
    writer->stop();
    CHECK(content(folder / "old") == "before\nafter\n");
    CHECK(fs::status(folder / "old").permissions() == (perms::owner_read | perms::owner_write));
}

TEST_CASE_METHOD(Fixture, "after a rename, lines go to a new file at the old path") {
    auto writer = start(options(folder / "log"));
    push(*writer, "one\n");
    REQUIRE(is_written(*writer, 4));
    fs::rename(folder / "log", folder / "log.1");
    push(*writer, "two\n");
    REQUIRE(is_written(*writer, 8));
    writer->reopen();
    REQUIRE(becomes_true([&] { return fs::exists(folder / "log"); }));
    push(*writer, "three\n");
    writer->stop();
    CHECK(content(folder / "log.1") == "one\ntwo\n");
    CHECK(content(folder / "log") == "three\n");
    CHECK(incidents.all().empty());
    CHECK(reopened == 1);
}

TEST_CASE_METHOD(Fixture,
                 "a line is written without a stop, and a half full ring before its time") {
    auto writer = start(options(folder / "soon"));
    push(*writer, "one\n");
    CHECK(is_written(*writer, 4));

    auto patient = options(folder / "late");
    patient.interval = 1h;
    patient.ring_bytes = 4096;
    writer = start(std::move(patient));
    push(*writer, long_line);
    push(*writer, long_line);
    // The third wakes the writer just before it is complete, the fourth certainly while it is.
    push(*writer, long_line);
    CHECK(is_written(*writer, 2 * long_line.size()));
}

namespace {

// How often the writer's thread has yielded the processor.
std::size_t pauses_of_writer() {
    for (auto const& task : fs::directory_iterator{"/proc/self/task"}) {
        std::string name;
        std::getline(std::ifstream{task.path() / "comm"} >> std::ws, name);
        if (name != "access log") continue;
        std::ifstream status{task.path() / "status"};
        for (std::string word; status >> word;) {
            if (word != "voluntary_ctxt_switches:") continue;
            std::size_t count = 0;
            status >> count;
            return count;
        }
    }
    FAIL("there is no such thread");
    return 0;
}

} // namespace

TEST_CASE_METHOD(Fixture, "the writer writes in short turns, and pauses between them") {
    auto settings = options(folder / "log");
    settings.ring_bytes = 8UL << 20;
    settings.interval = 10s; // it is woken by a ring that fills up
    auto const writer = std::move(LogWriter::start(settings)).value();
    std::string const line = std::string(1'023, 'x') + '\n';
    constexpr std::size_t lines = 7UL << 10;
    auto const before = pauses_of_writer();
    for (std::size_t i = 0; i < lines; ++i)
        REQUIRE(writer->ring(0).push(line) == Pushed::yes);
    auto const end = std::chrono::steady_clock::now() + 60s;
    while (writer->statistics().bytes_written < lines * line.size()) {
        REQUIRE(std::chrono::steady_clock::now() < end);
        std::this_thread::yield();
    }
    // 64 KiB each, more of a ring that fills up.
    CHECK(pauses_of_writer() - before >= 16);
}

TEST_CASE_METHOD(Fixture, "the stop writes what all rings hold") {
    auto many = options(folder / "log");
    many.rings = 3;
    many.interval = 1h;
    auto writer = start(std::move(many));
    push(*writer, "0\n", 0);
    push(*writer, "1\n", 1);
    push(*writer, "2\n", 2);
    push(*writer, "3\n", 0);
    writer->stop();
    CHECK(content(folder / "log") == "0\n3\n1\n2\n");
    CHECK(writer->statistics().bytes_written == 8);
    CHECK(writer->statistics().write_errors == 0);
    CHECK(writer->statistics().dropped_lines == 0);
    writer->stop();
}

TEST_CASE_METHOD(Fixture,
                 "several workers write at once while the file is rotated, and nothing is lost") {
    constexpr std::size_t workers = 3;
    constexpr std::size_t lines = 20'000;
    auto many = options(folder / "log");
    many.rings = workers;
    auto writer = start(std::move(many));
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        threads.emplace_back([&writer, worker] {
            auto& ring = writer->ring(worker);
            for (std::size_t i = 0; i < lines; ++i) {
                auto const line =
                    std::to_string(worker) + " " + std::to_string(ring.take_seq()) + "\n";
                while (ring.push(line) == Pushed::dropped)
                    std::this_thread::yield();
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        fs::rename(folder / "log", folder / ("log." + std::to_string(i)));
        writer->reopen();
        REQUIRE(becomes_true([&] { return fs::exists(folder / "log"); }));
    }
    for (auto& thread : threads)
        thread.join();
    writer->stop();

    std::array<std::size_t, workers> next{};
    auto in_order = true;
    for (int i = 0; i <= 20; ++i) {
        std::ifstream file{i == 20 ? folder / "log" : folder / ("log." + std::to_string(i))};
        std::size_t worker = 0;
        std::size_t seq = 0;
        while (file >> worker >> seq)
            in_order = in_order && next[worker]++ == seq;
    }
    CHECK(in_order);
    for (auto const count : next)
        CHECK(count == lines);
    CHECK(incidents.all().empty());
}

TEST_CASE_METHOD(Fixture, "standard output and standard error are written, and never reopened") {
    auto const name = GENERATE(as<std::string>{}, "stdout", "stderr");
    auto const number = name == "stdout" ? STDOUT_FILENO : STDERR_FILENO;
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    auto const before = ::fcntl(number, F_DUPFD_CLOEXEC, 3);
    ::dup2(ends[1], number);
    auto writer = start(options(name));
    ::dup2(before, number);
    ::close(before);
    ::close(ends[1]);
    writer->reopen();
    push(*writer, "one\n");
    writer->stop();
    std::array<char, 16> memory{};
    auto const size = ::read(ends[0], memory.data(), memory.size());
    ::close(ends[0]);
    CHECK(size == 4);
    CHECK(std::string_view{memory.data(), 4} == "one\n");
    CHECK(incidents.all().empty());
    CHECK(reopened == 0);
}

} // namespace log_writer_test
