// The corpora of the fuzz targets of heads, chunks and targets, as streams of requests.
#pragma once

#include <string>
#include <vector>

namespace sallyport::test {

/// Always in the same order; throws if SALLYPORT_FUZZ_CORPUS names no folder.
std::vector<std::string> corpus_streams();

} // namespace sallyport::test
