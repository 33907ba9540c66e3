// Reads the files of the corpora.
#include "tests/hostile/corpus_streams.h"

#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace sallyport::test {
namespace {

std::vector<std::string> files_of(std::string_view corpus) {
    auto const* const root = std::getenv("SALLYPORT_FUZZ_CORPUS");
    if (root == nullptr) throw std::runtime_error("SALLYPORT_FUZZ_CORPUS names no folder");
    std::vector<std::filesystem::path> files;
    for (auto const& entry :
         std::filesystem::directory_iterator{std::filesystem::path{root} / corpus})
        files.push_back(entry.path());
    std::sort(files.begin(), files.end()); // the same streams for the same seed
    std::vector<std::string> texts;
    std::transform(files.begin(), files.end(), std::back_inserter(texts),
                   [](auto const& file) { return read_file(file); });
    return texts;
}

} // namespace

std::vector<std::string> corpus_streams() {
    auto all = files_of("request_head");
    for (auto const& chunks : files_of("chunked"))
        if (chunks.size() > 2) // the first two bytes are options of the fuzz target
            all.push_back("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                          + chunks.substr(2) + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
    for (auto const& target : files_of("target")) {
        auto const at = target.find("://");
        auto const host =
            at == target.npos ? "a" : target.substr(at + 3, target.find('/', at + 3) - at - 3);
        all.push_back("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    }
    return all;
}

} // namespace sallyport::test
