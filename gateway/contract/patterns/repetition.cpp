// Counted repetitions in RE2's syntax.
#include "gateway/contract/patterns/repetition.h"

#include <algorithm>

namespace sallyport::contract {

namespace {

void append_counted(std::string& out, std::string_view part, std::string const& count) {
    out += part;
    out += '{';
    out += count;
    out += '}';
}

// Exactly `count` times.
void append_exactly(std::string& out, std::string_view part, std::uint64_t count,
                    std::uint64_t largest) {
    while (count > 0) {
        std::uint64_t const now = std::min(count, largest);
        if (now == 1) {
            out += part;
        } else {
            append_counted(out, part, std::to_string(now));
        }
        count -= now;
    }
}

// At most `count` times: all of the first block and some more, or less than the block.
// x{0,1000}x{0,1000} would match the same texts, each in many ways, which RE2 would follow all at
// once.
void append_up_to(std::string& out, std::string_view part, std::uint64_t count,
                  std::uint64_t largest) {
    std::uint64_t open = 0;
    for (; count > largest; count -= largest) {
        out += "(?:";
        append_exactly(out, part, largest, largest);
        ++open;
    }
    append_counted(out, part, "0," + std::to_string(count));
    for (; open > 0; --open) {
        out += '|';
        append_counted(out, part, "0," + std::to_string(largest - 1));
        out += ')';
    }
}

} // namespace

std::string repeat(std::string_view part, Counts const& counts, std::uint64_t largest) {
    bool const has_most = counts.most != no_most;
    std::string out;
    if (std::max(counts.least, has_most ? counts.most : 0) <= largest) {
        append_counted(out, part,
                       std::to_string(counts.least) + ','
                           + (has_most ? std::to_string(counts.most) : ""));
        return out;
    }
    out += "(?:";
    append_exactly(out, part, counts.least, largest);
    if (!has_most) {
        out += part;
        out += '*';
    } else if (counts.most > counts.least) {
        append_up_to(out, part, counts.most - counts.least, largest);
    }
    out += ')';
    return out;
}

} // namespace sallyport::contract
