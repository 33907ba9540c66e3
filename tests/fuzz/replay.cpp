// Runs a fuzz target over the files of its corpus, where libFuzzer is not there to do it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argc, char** argv) {
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator{argv[i]}) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file{entry.path(), std::ios::binary};
            std::vector<char> const bytes{std::istreambuf_iterator<char>{file}, {}};
            // An input of its own allocation, so that AddressSanitizer sees a read past its end.
            LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()),
                                   bytes.size());
            ++files;
        }
    }
    std::printf("%zu inputs replayed\n", files);
    // An empty corpus tests nothing: that is a failure, not a success.
    return files == 0 ? 1 : 0;
}
