// Compares the walk over simdjson's tokens with simdjson's own second stage, and with a plain
// reading of its tape: for every text the same verdict, and for the valid part the same tape, the
// same names, and the same first look whether or not the names came in the expected order.
#include "gateway/contract/contract.h"
#include "gateway/contract/evaluate/tape_walk.h"
#include "gateway/contract/text/json_text.h"
#include "tests/fuzz/check.h"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace sallyport::contract;
using sallyport::fuzz::check;

constexpr std::size_t max_depth = 8;
constexpr std::size_t longest = 4096;

// The content of simdjson's tape from `at` on, read in the plainest way.
class Plain {
public:
    explicit Plain(Tape const& tape) : tape_{tape} { read(Tape::first, 0); }

    bool has_twins = false;
    bool is_too_deep = false;

private:
    void read(TapeIndex at, std::size_t depth) {
        TapeKind const kind = tape_.kind(at);
        if (kind != TapeKind::object && kind != TapeKind::array) return;
        if (depth == max_depth) is_too_deep = true;
        std::set<std::string_view> names;
        for (TapeIndex next = at + 1; next < tape_.close(at); next = tape_.next(next)) {
            if (kind == TapeKind::object) has_twins |= !names.insert(tape_.string(next++)).second;
            read(next, depth + 1);
        }
    }

    Tape tape_;
};

// simdjson's verdict, and then ours on what it accepts.
struct Expected {
    explicit Expected(std::string_view text) {
        // The largest depth of a text of that length.
        check(parser.allocate(text.size(), text.size() + 1) == simdjson::SUCCESS,
              "there is memory");
        check(parser.doc.allocate(text.size()) == simdjson::SUCCESS, "there is memory");
        std::string const padded = std::string{text} + std::string(simdjson::SIMDJSON_PADDING, ' ');
        auto const* const input = reinterpret_cast<std::uint8_t const*>(padded.data());
        if (parser.implementation->parse(input, text.size(), parser.doc) != simdjson::SUCCESS)
            return;
        tape = {parser.doc.tape.get(), parser.doc.string_buf.get(), nullptr};
        Plain const plain{tape};
        if (plain.is_too_deep || find_lone_surrogate(text).reason != Malformed::none) return;
        laid = plain.has_twins ? Laid::has_twins : Laid::done;
    }

    simdjson::dom::parser parser;
    Tape tape;
    Laid laid = Laid::refused;
};

void check_word(Tape const& ours, Tape const& theirs, TapeIndex at) {
    check(ours.kind(at) == theirs.kind(at), "both tapes hold values of one kind");
    if (ours.kind(at) == TapeKind::string) {
        check(ours.string(at) == theirs.string(at), "both tapes hold one string");
        return;
    }
    check(ours.words[at] == theirs.words[at], "both tapes have one layout");
    if (ours.is_number(at)) check(ours.words[at + 1] == theirs.words[at + 1], "one number");
}

void check_names(Tape const& tape, Facts& facts, Facts& others, TapeIndex at) {
    std::uint64_t bits = 0;
    for (TapeIndex name = at + 1; name < tape.close(at); name = tape.next(name + 1)) {
        check(facts.hash(name) == hash_name(tape.string(name)), "the hash of a name is its own");
        check(facts.mark(name) == others.mark(name), "a name has one mark");
        bits |= bit_of_name(facts.hash(name));
    }
    check(facts.bits(tape, at) == bits, "the names of an object are all known");
    check(facts.mark(at) == others.mark(at), "an object has one mark");
}

// Names of every length with its own way of comparison, and unexpected ones.
[[nodiscard]] Guide guide() {
    static auto const loaded = Contract::load_schema(R"({"properties":{
        "a":{"type":"integer"},"ab":{},"name":{"type":"string"},"fifteen_letters":{},"sixteen__letters":{},
        "seventeen_letters":{},"of_exactly_thirty_one_letters_a":{},"of_exactly_thirty_two_letters__b":{},
        "of_exactly_forty_seven_letters_in_three_blocks_":{},"of_exactly_forty_eight_letters_in_three_blocks__":{},
        "a}b":{},"a\"b":{},"caf\u00e9":{},"inner":{"properties":{"a":{"type":"string"},"b":{}}}},
        "items":{"properties":{"a":{},"name":{}}}})",
                                                     "schema.json");
    check(loaded.contract != nullptr, "the schema loads");
    auto const schema = *loaded.contract->schema();
    return {schema.program, schema.program->schemas[schema.index].root};
}

void check_same(Expected const& expected, Tape const& ours, Facts& facts, Facts& others) {
    check(ours.end() == expected.tape.end(), "both tapes have one length");
    check(facts.unknown_members() == others.unknown_members(), "as many members are unknown");
    for (TapeIndex at = Tape::first; at < ours.end();) {
        check_word(ours, expected.tape, at);
        TapeKind const kind = ours.kind(at);
        if (kind == TapeKind::object) check_names(ours, facts, others, at);
        if (kind == TapeKind::object || kind == TapeKind::array) {
            for (NodeIndex node = 0; node < guide().program->nodes.size(); ++node)
                check(facts.has_passed(node, at) == others.has_passed(node, at), "one first look");
        }
        at += ours.is_number(at) ? 2U : 1U;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    // The bytes behind the text would extend it.
    constexpr std::string_view tail = "0\"}],:0\"}]0000";
    if (size == 0 || size > longest) return 0;
    std::unique_ptr<char[]> const bytes{new char[size + read_beyond]};
    std::string_view const text{bytes.get(), size};
    sallyport::fuzz::view_of(data, size).copy(bytes.get(), size);
    for (std::size_t i = 0; i < read_beyond; ++i)
        bytes[size + i] = tail[(i + data[0]) % tail.size()];

    Expected const expected{text};
    // As much memory as simdjson uses, and not a word more.
    simdjson::dom::parser parser;
    check(parser.allocate(size, 1) == simdjson::SUCCESS, "there is memory");
    check(parser.doc.allocate(size) == simdjson::SUCCESS, "there is memory");
    Facts facts;
    check(lay_tape(parser, text, max_depth, guide(), facts) == expected.laid, "one verdict");
    // Once more, with the learned order of its names.
    Facts learned;
    for (int i = 0; i < 2; ++i) {
        check(lay_tape(parser, text, max_depth, guide(), learned) == expected.laid, "one verdict");
    }
    if (expected.laid != Laid::done) return 0;
    Tape const ours{parser.doc.tape.get(), parser.doc.string_buf.get(), bytes.get()};
    check_same(expected, ours, facts, learned);
    return 0;
}
