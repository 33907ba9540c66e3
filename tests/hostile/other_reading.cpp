// Streams of requests through Node: written to a file, read by the program beside this file.
#include "tests/hostile/reading.h"

#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace sallyport::test {
namespace {

void write_number(std::string& bytes, std::size_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((number >> shift) & 0xff);
}

void write_text(std::string& bytes, std::string_view text) {
    write_number(bytes, text.size());
    bytes += text;
}

// Takes numbers, texts and lists from the front of the program's output.
class Readings {
public:
    explicit Readings(std::string_view bytes) : rest_(bytes) {}

    std::size_t number() {
        std::size_t value = 0;
        auto const bytes = take(4);
        for (std::size_t i = 4; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(bytes[i]);
        return value;
    }
    std::string text() { return std::string{take(number())}; }
    NamesAndValues pairs() {
        NamesAndValues pairs(number());
        for (auto& [name, value] : pairs) {
            name = text();
            value = text();
        }
        return pairs;
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) throw std::runtime_error("the readings of Node are truncated");
        auto const taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

OtherReading take_reading(Readings& readings) {
    OtherReading reading;
    for (auto left = readings.number(); left > 0; --left) {
        ReadRequest request;
        request.method = readings.text();
        request.target = readings.text();
        request.version = readings.text();
        request.fields = readings.pairs();
        request.body = readings.text();
        request.trailers = readings.pairs();
        if (readings.text() == "complete") reading.requests.push_back(std::move(request));
    }
    reading.error = readings.text();
    return reading;
}

} // namespace

std::vector<OtherReading> read_with_node(std::vector<std::string> const& streams) {
    auto const* const program = std::getenv("SALLYPORT_OTHER_PARSER");
    if (program == nullptr) throw std::runtime_error("SALLYPORT_OTHER_PARSER names no program");
    TemporaryFolder const folder;
    std::string bytes;
    write_number(bytes, streams.size());
    for (auto const& stream : streams)
        write_text(bytes, stream);
    auto const input = folder.write("streams", bytes);
    auto const output = folder / "readings";
    auto const ran = run({{"node", program, input.string(), output.string()}}, {},
                         TimeLimit{std::chrono::minutes{5}});
    if (ran.exit_code != 0) throw std::runtime_error("Node failed: " + ran.error);
    auto const written = read_file(output);
    Readings readings{written};
    std::vector<OtherReading> all;
    for (std::size_t i = 0; i < streams.size(); ++i)
        all.push_back(take_reading(readings));
    if (!readings.is_at_end()) throw std::runtime_error("Node read more streams than there are");
    return all;
}

} // namespace sallyport::test
