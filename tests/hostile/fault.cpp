// Converts blocks to faults; each row of a table is one.
#include "tests/hostile/fault.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace sallyport::test {
namespace {

[[noreturn]] void fail(std::string const& what, Block const& block) {
    throw std::runtime_error(block.place + ": " + what);
}

template <class Value>
Value choose(Block const& block, std::vector<std::pair<std::string_view, Value>> const& choices) {
    for (auto const& [word, value] : choices)
        if (word == block.argument) return value;
    fail("unknown value `" + block.argument + "`", block);
}

int number_of(std::string_view digits, Block const& block) {
    int number = 0;
    auto const* const end = digits.data() + digits.size();
    if (digits.empty() || std::from_chars(digits.data(), end, number).ptr != end)
        fail("a number was expected", block);
    return number;
}

// `502 upstream_invalid`, `200 BODY` or `aborted`, with ` or ` between several.
std::vector<Outcome> parse_outcomes(std::string_view text, Block const& block) {
    std::vector<Outcome> outcomes;
    while (!text.empty()) {
        auto const end = std::min(text.find(" or "), text.size());
        auto const one = text.substr(0, end);
        text.remove_prefix(std::min(end + 4, text.size()));
        if (one == "aborted") {
            outcomes.emplace_back();
            continue;
        }
        auto const space = std::min(one.find(' '), one.size());
        outcomes.push_back({number_of(one.substr(0, space), block),
                            std::string{one.substr(std::min(space + 1, one.size()))}});
    }
    if (outcomes.empty()) fail("an expectation is missing", block);
    return outcomes;
}

void add_key(Fault& fault, Block const& block) {
    if (block.keyword == "request")
        fault.request = choose<RequestKind>(block, {{"get", RequestKind::get},
                                                    {"put", RequestKind::put},
                                                    {"post", RequestKind::post},
                                                    {"head", RequestKind::head},
                                                    {"upload", RequestKind::upload}});
    else if (block.keyword == "begins")
        fault.begins = choose<Begins>(
            block, {{"after_head", Begins::after_head}, {"after_body", Begins::after_body}});
    else if (block.keyword == "on")
        fault.on_kept_connection = choose<bool>(block, {{"kept", true}, {"fresh", false}});
    else if (block.keyword == "then")
        fault.then = choose<Then>(block, {{"keep", Then::keep},
                                          {"end", Then::end},
                                          {"cut", Then::cut},
                                          {"reset", Then::reset},
                                          {"hold", Then::hold}});
    else if (block.keyword == "only") {
        fault.over_tls = choose<bool>(block, {{"tls", true}, {"plain", false}});
        fault.over_plain = !fault.over_tls;
    } else if (block.keyword == "clean")
        fault.is_clean = true;
    else if (block.keyword == "response")
        fault.response = block.lines;
    else if (block.keyword == "later")
        fault.later = block.lines;
    else if (block.keyword == "attempts")
        fault.attempts = static_cast<std::size_t>(number_of(block.argument, block));
    else if (block.keyword == "expect")
        fault.outcomes = parse_outcomes(block.argument, block);
    else if (block.keyword != "source")
        fail("unknown keyword " + block.keyword, block);
}

void replace_row(std::vector<std::string>& lines, std::string const& value) {
    constexpr std::string_view name = "{row}";
    for (auto& line : lines)
        if (auto const at = line.find(name); at != std::string::npos)
            line.replace(at, name.size(), value);
}

void finish(std::vector<Fault>& faults, Fault const& fault, Block const* rows, Block const& name) {
    if (rows == nullptr) {
        if (fault.outcomes.empty()) fail("an expectation is missing", name);
        faults.push_back(fault);
        return;
    }
    if (rows->lines.empty()) fail("a table without rows", name);
    for (auto const& row : rows->lines) {
        auto const arrow = row.find("=> ");
        auto value = row.substr(0, arrow);
        value.erase(value.find_last_not_of(' ') + 1);
        auto made = fault;
        made.name += " [" + value + "]";
        replace_row(made.response, value);
        replace_row(made.later, value);
        if (arrow != std::string::npos)
            made.outcomes = parse_outcomes(std::string_view{row}.substr(arrow + 3), *rows);
        if (made.outcomes.empty()) fail("an expectation is missing", name);
        faults.push_back(std::move(made));
    }
}

} // namespace

std::vector<Fault> read_faults(std::filesystem::path const& file) {
    auto const blocks = read_blocks(file);
    std::vector<Fault> faults;
    Fault fault;
    Block const* name = nullptr;
    Block const* rows = nullptr;
    for (auto const& block : blocks) {
        if (block.keyword == "fault" || block.keyword == "table") {
            if (name != nullptr) finish(faults, fault, rows, *name);
            fault = {};
            fault.name = block.argument;
            fault.place = block.place;
            name = &block;
            rows = nullptr;
        } else if (name == nullptr) {
            fail("stands before the first fault", block);
        } else if (block.keyword == "rows") {
            rows = &block;
        } else {
            add_key(fault, block);
        }
    }
    if (name != nullptr) finish(faults, fault, rows, *name);
    return faults;
}

Names fault_names(std::string_view nonce) {
    return {{"nonce", std::string{nonce}},
            {"foreign", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign"}};
}

} // namespace sallyport::test
