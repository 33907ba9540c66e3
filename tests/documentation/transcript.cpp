// Reads transcripts, and compares what they promise.
#include "tests/documentation/transcript.h"

#include "tests/documentation/markdown.h"

namespace sallyport::documentation {
namespace {

std::string without_trailing_space(std::string_view text) {
    std::string out;
    for (auto const& line : lines_of(text)) {
        out += line.substr(0, line.find_last_not_of(" \t\r") + 1) + '\n';
    }
    while (out.size() > 1 && out[out.size() - 2] == '\n')
        out.pop_back();
    return out;
}

std::vector<std::string_view> pieces_of(std::string_view expected) {
    std::vector<std::string_view> pieces;
    for (auto at = expected.find("..."); at != std::string_view::npos; at = expected.find("...")) {
        pieces.push_back(expected.substr(0, at));
        expected.remove_prefix(at + 3);
    }
    pieces.push_back(expected);
    return pieces;
}

} // namespace

std::vector<Step> read_transcript(std::string_view text) {
    std::vector<Step> steps;
    bool continues = false;
    for (auto const& line : lines_of(text)) {
        if (line.rfind("$ ", 0) == 0) {
            steps.push_back({line.substr(2), {}});
        } else if (continues) {
            steps.back().command += '\n' + line;
        } else if (!steps.empty()) {
            steps.back().expected += line + '\n';
            continue;
        }
        continues = !line.empty() && line.back() == '\\';
    }
    return steps;
}

bool is_expected(std::string_view printed, std::string_view expected) {
    auto const text = without_trailing_space(printed);
    auto const wanted = without_trailing_space(expected);
    auto const pieces = pieces_of(wanted);
    if (pieces.size() == 1) return text == wanted;
    if (text.rfind(pieces.front(), 0) != 0) return false;
    std::size_t at = pieces.front().size();
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
        auto const found = text.find(pieces[i], at);
        if (found == std::string::npos) return false;
        at = found + pieces[i].size();
    }
    // The line feed at the end of what follows the last dots may stand for whole lines.
    auto const last = pieces.back() == "\n" ? std::string_view{} : pieces.back();
    return text.size() >= at + last.size()
           && text.compare(text.size() - last.size(), last.size(), last) == 0;
}

} // namespace sallyport::documentation
