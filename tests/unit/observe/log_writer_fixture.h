// The log's writer in a folder of its own, and what tests ask of it.
#pragma once

#include "gateway/observe/log_writer.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sallyport::observe::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "log_writer_test.XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    TemporaryFolder(TemporaryFolder const&) = delete;
    TemporaryFolder& operator=(TemporaryFolder const&) = delete;
    ~TemporaryFolder() { fs::remove_all(path_); }

    fs::path operator/(std::string_view name) const { return path_ / name; }

private:
    fs::path path_;
};

// The reports of the writer, from its thread.
class Incidents {
public:
    void add(LogIncident const& incident) {
        std::lock_guard const lock{mutex_};
        all_.push_back(incident);
    }
    std::vector<LogIncident> all() const {
        std::lock_guard const lock{mutex_};
        return all_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<LogIncident> all_;
};

struct Fixture {
    TemporaryFolder folder;
    Incidents incidents; // except invalid ones
    std::atomic<int> reopened{0};

    LogWriterOptions options(fs::path const& output) {
        LogWriterOptions result;
        result.output = output.string();
        result.interval = 1ms;
        result.on_incident = [this](LogIncident const& incident) {
            if (incident.kind == LogIncident::Kind::reopened) {
                ++reopened;
            } else {
                incidents.add(incident);
            }
        };
        return result;
    }
};

inline std::unique_ptr<LogWriter> start(LogWriterOptions options) {
    auto writer = LogWriter::start(std::move(options));
    REQUIRE(writer.has_value());
    return std::move(*writer);
}

inline std::string content(fs::path const& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

template <class Fact>
bool becomes_true(Fact fact) {
    auto const deadline = std::chrono::steady_clock::now() + 20s;
    while (!fact()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::yield();
    }
    return true;
}

inline void push(LogWriter& writer, std::string_view line, std::size_t ring = 0) {
    REQUIRE(writer.ring(ring).push(line) == Pushed::yes);
}

inline bool is_written(LogWriter const& writer, std::uint64_t bytes) {
    return becomes_true([&] { return writer.statistics().bytes_written >= bytes; });
}

// Not a divisor of the limit of a file: the last line that fits is truncated.
inline std::string const long_line = std::string(998, 'x') + "\n";

} // namespace sallyport::observe::test
