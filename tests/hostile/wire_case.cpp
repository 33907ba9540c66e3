// Converts blocks to cases. Unknown text is an error, so that no case silently lacks an
// expectation.
#include "tests/hostile/wire_case.h"

#include <charconv>
#include <stdexcept>

namespace sallyport::test {
namespace {

// One case or one table of the file.
struct Draft {
    Block const* name = nullptr;
    Block const* send = nullptr;
    Block const* expect = nullptr;
    Block const* rows = nullptr;
    bool on_contract = true;
    bool on_stream = true;
};

[[noreturn]] void fail(std::string const& what, Block const& block) {
    throw std::runtime_error(block.place + ": " + what);
}

// Takes the first word off the front.
std::string take_word(std::string_view& text) {
    auto const end = std::min(text.find(' '), text.size());
    std::string word{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

Expected parse_expected(std::string_view text, Names const& names, Block const& block) {
    Expected expected;
    auto const word = take_word(text);
    if (word == "forward") {
        expected.becomes = Becomes::forwarded;
        expected.method = expand(take_word(text), names);
        expected.target = expand(take_word(text), names);
        expected.body = expand(text, names);
        if (expected.target.empty()) fail("forward needs a method and a target", block);
        return expected;
    }
    if ((word == "wait" || word == "close") && text.empty()) {
        expected.becomes = word == "wait" ? Becomes::awaited : Becomes::closed;
        return expected;
    }
    if (word != "refuse" && word != "deny" && word != "respond")
        fail("neither forward, refuse, deny, respond, close nor wait", block);
    expected.becomes = word == "refuse" ? Becomes::refused : Becomes::denied;
    auto const status = take_word(text);
    auto const* const end = status.data() + status.size();
    if (status.size() != 3 || std::from_chars(status.data(), end, expected.status).ptr != end)
        fail("a status was expected", block);
    if (word == "respond") {
        expected.becomes = Becomes::responded;
        expected.allow = text;
        return expected;
    }
    auto const colon = std::min(text.find(": "), text.size());
    expected.reason = text.substr(0, colon);
    if (colon != text.size()) expected.detail = text.substr(colon + 2);
    if (expected.reason.empty()) fail("a reason was expected", block);
    return expected;
}

void add_expected(std::vector<Expected>& all, std::string_view line, Names const& names,
                  Block const& block) {
    bool const is_trailer = line.substr(0, 2) == "~ ";
    if (line.substr(0, 2) != "+ " && !is_trailer) {
        all.push_back(parse_expected(line, names, block));
        return;
    }
    line.remove_prefix(2);
    auto const colon = line.find(": ");
    if (all.empty() || all.back().becomes != Becomes::forwarded || colon == std::string_view::npos)
        fail("a field of a forwarded request was expected", block);
    auto const name = expand(line.substr(0, colon), names);
    auto const value = expand(line.substr(colon + 2), names);
    if (name == "X-Forwarded-Host")
        all.back().host = value;
    else
        (is_trailer ? all.back().trailers : all.back().fields).push_back({name, value});
}

void add_case(std::vector<WireCase>& cases, Draft const& draft, Api api, Names const& names) {
    WireCase made{
        draft.name->argument, draft.name->place, api, bytes_of(draft.send->lines, names), {}};
    for (auto const& line : draft.expect->lines)
        add_expected(made.expected, line, names, *draft.expect);
    cases.push_back(std::move(made));
}

// `BYTES => EXPECTED; EXPECTED`: the bytes replace {row} in the sent and the expected text.
void add_row(std::vector<WireCase>& cases, Draft const& draft, std::string const& row, Api api,
             Names names) {
    auto const arrow = row.find("=> ");
    if (arrow == std::string::npos) fail("a row without =>: " + row, *draft.rows);
    auto value = row.substr(0, arrow);
    value.erase(value.find_last_not_of(' ') + 1);
    names["row"] = expand(value, names);
    WireCase made{draft.name->argument + " [" + value + "]",
                  draft.name->place,
                  api,
                  bytes_of(draft.send->lines, names),
                  {}};
    std::string_view rest{row};
    for (rest.remove_prefix(arrow + 3); !rest.empty();) {
        auto const end = std::min(rest.find("; "), rest.size());
        add_expected(made.expected, rest.substr(0, end), names, *draft.rows);
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    cases.push_back(std::move(made));
}

void finish(std::vector<WireCase>& cases, Draft const& draft, Names const& contract,
            Names const& stream) {
    if (draft.name == nullptr) return;
    bool const is_whole =
        draft.send != nullptr && (draft.expect == nullptr) != (draft.rows == nullptr);
    if (!is_whole) fail("needs `send`, and either `expect` or `rows`", *draft.name);
    for (auto const api : {Api::contract, Api::stream}) {
        if (!(api == Api::contract ? draft.on_contract : draft.on_stream)) continue;
        auto const& names = api == Api::contract ? contract : stream;
        auto const before = cases.size();
        if (draft.expect != nullptr) add_case(cases, draft, api, names);
        if (draft.rows != nullptr)
            for (auto const& row : draft.rows->lines)
                add_row(cases, draft, row, api, names);
        if (cases.size() == before || cases.back().expected.empty())
            fail("an expectation is missing", *draft.name);
    }
}

} // namespace

char const* name_of(Api api) {
    return api == Api::contract ? "contract" : "stream";
}

std::vector<WireCase> read_wire_cases(std::filesystem::path const& file, Names const& contract,
                                      Names const& stream) {
    auto const blocks = read_blocks(file);
    std::vector<WireCase> cases;
    Draft draft;
    for (auto const& block : blocks) {
        if (block.keyword == "case" || block.keyword == "table") {
            finish(cases, draft, contract, stream);
            draft = {};
            draft.name = &block;
        } else if (draft.name == nullptr) {
            fail("stands before the first case", block);
        } else if (block.keyword == "send") {
            draft.send = &block;
        } else if (block.keyword == "expect") {
            draft.expect = &block;
        } else if (block.keyword == "rows") {
            draft.rows = &block;
        } else if (block.keyword == "only") {
            draft.on_contract = block.argument == "contract";
            draft.on_stream = block.argument == "stream";
            if (draft.on_contract == draft.on_stream) fail("only contract or stream", block);
        } else if (block.keyword != "source") {
            fail("unknown keyword " + block.keyword, block);
        }
    }
    finish(cases, draft, contract, stream);
    return cases;
}

} // namespace sallyport::test
