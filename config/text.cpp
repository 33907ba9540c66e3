// Small helpers for error texts and for reading files: see text.h.
#include "config/text.h"

#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sallyport::config {

namespace {

void append_escaped(std::string& out, char c) {
    static constexpr std::string_view digits = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
    } else if (c == '\n') {
        out += "\\n";
    } else if (text::is_control(c)) {
        out += "\\x";
        out += digits[byte >> 4U];
        out += digits[byte & 0xFU];
    } else {
        out += c;
    }
}

// What append_escaped() leaves as it is, of ASCII.
bool is_written_as_it_is(char c) {
    return c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
}

// Longer ones are near to nothing, which bounds the work for hostile words.
constexpr std::size_t longest_word = 64;

// Letters of a word in lower case, without the separators that people mix up. Neither this nor
// distance() allocates: an unknown key is compared with every key that there is.
class Folded {
public:
    explicit Folded(std::string_view word) {
        for (char const c : word) {
            if (c == '-' || c == '_') continue;
            letters_[size_++] = text::to_lower(c);
        }
    }
    [[nodiscard]] std::string_view text() const { return {letters_.data(), size_}; }

private:
    std::array<char, longest_word> letters_{};
    std::size_t size_ = 0;
};

// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other: optimal
// string alignment.
std::size_t distance(std::string_view a, std::string_view b) {
    std::array<std::array<std::size_t, longest_word + 1>, 3> rows{};
    std::span<std::size_t> before = rows[0];
    std::span<std::size_t> above = rows[1];
    std::span<std::size_t> row = rows[2];
    for (std::size_t j = 0; j <= b.size(); ++j)
        above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

// No fewer edits than this turn one word into the other: each adds or takes one letter at most.
std::size_t least_distance(std::string_view a, std::string_view b) {
    return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

struct Descriptor {
    int number;
    explicit Descriptor(int n) : number{n} {}
    Descriptor(Descriptor const&) = delete;
    Descriptor& operator=(Descriptor const&) = delete;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

std::string reason(int error) {
    return std::generic_category().message(error);
}

} // namespace

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    // Nearly every text: of each key that is no plain word a path has one while a document is read.
    if (text.size() <= longest && std::all_of(text.begin(), text.end(), is_written_as_it_is)) {
        std::string out;
        out.reserve(text.size() + 2);
        return out.append(1, '"').append(text).append(1, '"');
    }
    bool const text_is_utf8 = text::is_utf8(text);
    std::string out = "\"";
    std::size_t points = 0;
    for (char const c : text) {
        if (!(text_is_utf8 && text::is_continuation(c)) && ++points > longest) {
            return out + "...\"";
        }
        if (!text_is_utf8 && static_cast<unsigned char>(c) >= 0x80) {
            out += '?';
        } else {
            append_escaped(out, c);
        }
    }
    return out + '"';
}

std::string printable(std::string_view text) {
    std::string out;
    for (char const c : text) {
        if (c == '"' || c == '\\') {
            out += c;
        } else {
            append_escaped(out, c);
        }
    }
    return out;
}

std::string name_of_control(char c) {
    if (c == '\0') return "U+0000 (NUL)";
    constexpr std::string_view digits = "0123456789ABCDEF";
    auto const byte = static_cast<unsigned char>(c);
    return std::string{"U+00"} + digits[byte >> 4U] + digits[byte & 0xFU] + ", a control character";
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<std::string_view const> candidates) {
    if (word.size() > longest_word) return std::nullopt;
    Folded const wanted{word};
    std::optional<std::string_view> best;
    std::size_t best_distance = 0;
    for (std::string_view const candidate : candidates) {
        if (candidate.size() > longest_word) continue;
        Folded const offered{candidate};
        std::size_t const allowed = std::max(wanted.text().size(), offered.text().size()) / 3;
        auto const is_too_far = [&](std::size_t edits) {
            return edits > allowed || (best && edits >= best_distance);
        };
        if (is_too_far(least_distance(wanted.text(), offered.text()))) continue;
        std::size_t const edits = distance(wanted.text(), offered.text());
        if (is_too_far(edits)) continue;
        best = candidate;
        best_distance = edits;
    }
    return best;
}

std::string list_of(std::span<std::string_view const> words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

std::string suggestion(std::string_view word, std::span<std::string_view const> candidates) {
    if (auto const near = nearest(word, candidates))
        return "did you mean " + in_quotes(*near) + '?';
    if (candidates.empty()) return {};
    return (candidates.size() == 1 ? "write " : "write one of ") + list_of(candidates);
}

FileText read_file(std::string const& path, std::size_t limit) {
    FileText out;
    if (path.find('\0') != std::string::npos) return {{}, "the path holds a NUL character"};
    Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (file.number < 0) return {{}, reason(errno)};
    struct stat status {};
    if (::fstat(file.number, &status) != 0) return {{}, reason(errno)};
    if (S_ISDIR(status.st_mode)) return {{}, "it is a folder"};

    // As long as it says that it is: one that grows meanwhile is read as well.
    if (status.st_size > 0)
        out.text.reserve(std::min(static_cast<std::size_t>(status.st_size), limit));
    std::array<char, 65536>
        block; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read()
    for (;;) {
        ssize_t const count = ::read(file.number, block.data(), block.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return {{}, reason(errno)};
        if (count == 0) return out;
        if (static_cast<std::size_t>(count) > limit - out.text.size()) {
            return {{}, "it is larger than " + std::to_string(limit) + " bytes"};
        }
        out.text.append(block.data(), static_cast<std::size_t>(count));
    }
}

} // namespace sallyport::config
