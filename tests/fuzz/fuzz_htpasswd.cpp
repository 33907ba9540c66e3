// Fuzzes htpasswd files: users and problems are those of a plain reader's lines, no name stands
// twice, each hash reads again as itself, and no message has a part of a line.
#include "check.h"

#include "config/htpasswd.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace {

using namespace sallyport;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;

// The line of a number from 1, without its end; the first one without a byte order mark.
std::string_view line_of(std::string_view text, unsigned number) {
    constexpr std::string_view byte_order_mark{"\xEF\xBB\xBF"};
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    for (; number > 1; --number)
        text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
    return text.substr(0, text.find('\n'));
}

void check_user(std::string_view text, config::HtpasswdUser const& user) {
    auto const line = line_of(text, user.mark.line);
    check(line.starts_with(user.name + ':'), "a line begins with the user's name");
    check(user.name.find(':') == std::string::npos, "a name has no colon");
    auto const hash = user.hash.text();
    auto const rest = line.substr(user.name.size() + 1);
    check(rest.starts_with(hash), "the hash stands behind the name");
    auto const end = rest.substr(hash.size());
    check(end.empty() || end.front() == ':' || end == "\r", "nothing but a comment stands behind");
    auto const again = secrets::parse_hash(hash, secrets::From::htpasswd);
    check(again.hash && *again.hash == user.hash, "a hash reads again as itself");
    check(user.hash.cost() <= 3'000'000, "no hash takes longer than three seconds");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const copy{{reinterpret_cast<char const*>(data), size}};
    auto const text = copy.view();
    auto const read = config::read_htpasswd(text, "users");
    check(!read.users.empty() || !read.problems.empty(), "a file without users has a problem");
    std::set<std::string> names;
    for (auto const& user : read.users) {
        check(names.insert(user.name).second, "no name stands twice");
        check_user(text, user);
    }
    for (auto const& problem : read.problems) {
        check(!problem.what.empty() && !problem.hint.empty(), "a problem says what to do");
        // They are made of literals and numbers.
        for (char const c : problem.what + problem.hint)
            check(c >= ' ' && c <= '~', "a problem is printable");
    }
    return 0;
}
