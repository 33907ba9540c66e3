// Runs a fuzz target where libFuzzer is not there to do it: over the files of its corpus, or over
// inputs made from them by chance.
//
//     fuzz_NAME FOLDER...
//     fuzz_NAME --random COUNT SEED FOLDER...     the same inputs for the same seed
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t longest = 512; // of inputs made by chance

[[nodiscard]] std::vector<Input> read_all(std::vector<char const*> const& folders) {
    std::vector<Input> inputs;
    for (char const* const folder : folders) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator{folder}) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file{entry.path(), std::ios::binary};
            inputs.emplace_back(std::istreambuf_iterator<char>{file},
                                std::istreambuf_iterator<char>{});
        }
    }
    return inputs;
}

// A file of the corpus with a few bytes changed, or only random bytes.
[[nodiscard]] Input make_input(std::vector<Input> const& corpus, std::mt19937_64& random) {
    auto const below = [&random](std::size_t limit) { return random() % limit; };
    Input input;
    if (below(2) == 0) input = corpus[below(corpus.size())];
    if (input.empty()) {
        input.resize(1 + below(longest));
        std::generate(input.begin(), input.end(),
                      [&random] { return static_cast<std::uint8_t>(random()); });
        return input;
    }
    std::size_t const changes = 1 + below(8);
    for (std::size_t i = 0; i < changes; ++i)
        input[below(input.size())] = static_cast<std::uint8_t>(random());
    input.resize(std::min(longest, 1 + below(2 * input.size())));
    return input;
}

// Targets print the context of a failure.
void run_random(std::uint64_t count, std::uint64_t seed, std::vector<Input> const& corpus) {
    std::mt19937_64 random{seed};
    for (std::uint64_t i = 0; i < count; ++i) {
        Input const input = make_input(corpus, random);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%llu inputs by chance\n", static_cast<unsigned long long>(count));
}

} // namespace

int main(int argc, char** argv) {
    bool const is_random = argc > 4 && std::string_view{argv[1]} == "--random";
    auto const corpus = read_all({argv + (is_random ? 4 : 1), argv + argc});
    // An empty corpus tests nothing: that is a failure, not a success.
    if (corpus.empty()) {
        std::fputs("there is no input in the folders: nothing would be tested\n", stderr);
        return 1;
    }
    if (is_random) {
        run_random(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                   corpus);
        return 0;
    }
    // Each an allocation of its own, so that AddressSanitizer detects a read past its end.
    for (Input const& input : corpus)
        LLVMFuzzerTestOneInput(Input(input).data(), input.size());
    std::printf("%zu inputs replayed\n", corpus.size());
    return 0;
}
