// Reads lists of digests.
#include "gateway/pipeline/denied_secrets.h"

#include "gateway/secrets/stored_hash.h"

#include <algorithm>

namespace sallyport::pipeline {

namespace {

constexpr std::string_view blanks = " \t\r";

// The line without its comment and the white space around it.
std::string_view content_of(std::string_view line) {
    line = line.substr(0, line.find('#'));
    auto const first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

} // namespace

DeniedSecrets::Read DeniedSecrets::read(std::string_view text) {
    Read out;
    for (std::size_t line = 1; !text.empty(); ++line) {
        auto const end = std::min(text.find('\n'), text.size());
        auto const content = content_of(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (content.empty()) continue;
        auto const digest = secrets::parse_sha256(content);
        if (digest) {
            out.list.digests_.push_back(*digest);
        } else if (out.wrong_line == 0) {
            out.wrong_line = line;
        }
    }
    auto& all = out.list.digests_;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return out;
}

bool DeniedSecrets::contains(Digest const& digest) const noexcept {
    return std::binary_search(digests_.begin(), digests_.end(), digest);
}

} // namespace sallyport::pipeline
