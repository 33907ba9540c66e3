// Reads htpasswd files: see htpasswd.h.
#include "config/htpasswd.h"

#include "config/text.h"
#include "gateway/text/ascii.h"
#include "gateway/text/utf8.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace sallyport::config {

namespace {

// name, hash, and what nginx takes for a comment
constexpr std::size_t longest_line = longest_htpasswd_name + secrets::longest_hash + 1024;
constexpr std::size_t most_problems = 20;
constexpr std::string_view byte_order_mark{"\xEF\xBB\xBF"};

class HtpasswdReader {
public:
    explicit HtpasswdReader(std::string const& path) : file_{yaml::intern_file_name(path)} {}

    void read_line(std::string_view line) {
        ++line_;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') return;
        if (line.size() > longest_line)
            return refuse(1, "the line is too long", "write NAME:HASH, as htpasswd(1) does");
        auto const colon = line.find(':');
        // What stands there may be a secret: it is not repeated.
        if (colon == std::string_view::npos)
            return refuse(1, "has no colon", "write NAME:HASH, as htpasswd(1) does");
        auto const name = line.substr(0, colon);
        if (!check_name(name)) return;
        auto hash = line.substr(colon + 1);
        hash = hash.substr(0, hash.find(':'));
        auto const column = static_cast<unsigned>(colon + 2);
        auto parsed = secrets::parse_hash(hash, secrets::From::htpasswd);
        if (!parsed.hash)
            return refuse(column, std::move(parsed.problem.what), std::move(parsed.problem.hint));
        auto const [other, is_new] = lines_.try_emplace(std::string{name}, line_);
        if (!is_new)
            return refuse(1,
                          "the user of line " + std::to_string(other->second) + " is given twice",
                          "remove one of the lines");
        if (out_.users.size() == most_htpasswd_users)
            return refuse(1, "more than " + std::to_string(most_htpasswd_users) + " users",
                          "remove some");
        out_.users.push_back({std::string{name}, std::move(*parsed.hash), mark(1)});
    }

    [[nodiscard]] ReadHtpasswd take() && {
        if (out_.users.empty() && out_.problems.empty())
            out_.problems.push_back({mark(1),
                                     {},
                                     "has no user",
                                     "write one with htpasswd(1), if that is not meant",
                                     yaml::Severity::warning});
        return std::move(out_);
    }

private:
    // RFC 7617, 2: what a client can send as a user-id.
    bool check_name(std::string_view name) {
        bool const is_text =
            std::none_of(name.begin(), name.end(), text::is_control) && text::is_utf8(name);
        if (name.empty()) {
            refuse(1, "has no name in front of the colon", "write NAME:HASH");
        } else if (name.size() > longest_htpasswd_name) {
            refuse(1, "the name is longer than " + std::to_string(longest_htpasswd_name) + " bytes",
                   "choose a shorter one");
        } else if (!is_text) {
            refuse(1, "the name is not text in UTF-8 without control characters", "write it anew");
        } else {
            return true;
        }
        return false;
    }

    [[nodiscard]] yaml::Mark mark(unsigned column) const {
        return {file_, line_ == 0 ? 1 : line_, column};
    }

    void refuse(unsigned column, std::string what, std::string hint) {
        if (out_.problems.size() == most_problems) return;
        out_.problems.push_back({mark(column), {}, std::move(what), std::move(hint)});
        out_.problems.back().is_rest = out_.problems.size() == most_problems;
        if (out_.problems.back().is_rest)
            out_.problems.back().what += "; further problems of this file are not shown";
    }

    std::string const* file_;
    unsigned line_ = 0;
    std::unordered_map<std::string, unsigned> lines_; // of users
    ReadHtpasswd out_;
};

} // namespace

ReadHtpasswd read_htpasswd(std::string_view text, std::string const& path) {
    HtpasswdReader reader{path};
    // Editors write one; it would be a part of the first name.
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        reader.read_line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(reader).take();
}

} // namespace sallyport::config
