// Holds the tape that is built in one pass against simdjson's: where the first is taken simdjson
// takes the text too, both say the same, and so do the names that were read.
#include "gateway/contract/contract.h"
#include "gateway/contract/evaluate/tape_builder.h"
#include "tests/fuzz/check.h"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace sallyport::contract;
using sallyport::fuzz::check;

constexpr std::size_t max_depth = 8;

void check_word(Tape const& ours, Tape const& theirs, TapeIndex at) {
    check(ours.kind(at) == theirs.kind(at), "both tapes hold values of one kind");
    if (ours.kind(at) == TapeKind::string) {
        check(ours.string(at) == theirs.string(at), "both tapes hold one string");
        return;
    }
    check(ours.words[at] == theirs.words[at], "both tapes have one layout");
    if (ours.is_number(at)) check(ours.words[at + 1] == theirs.words[at + 1], "one number");
}

void check_names(Tape const& tape, Facts const& ours, Facts const& theirs, TapeIndex at) {
    for (TapeIndex name = at + 1; name < tape.close(at); name = tape.next(name + 1))
        check(ours.hash(name) == theirs.hash(name), "both know one hash of a name");
    check(ours.bits(tape, at) == theirs.bits(tape, at), "both know one set of names");
}

// Names of every length that is expected in another way, and what is not expected at all.
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    // Behind the text stands what would be taken for more of it.
    constexpr std::string_view tail = "0\"}],:0\"}]0000";
    if (size == 0 || size > 4096) return 0;
    std::unique_ptr<char[]> const bytes{new char[size + read_beyond]};
    std::string_view const text{bytes.get(), size};
    sallyport::fuzz::view_of(data, size).copy(bytes.get(), size);
    for (std::size_t i = 0; i < read_beyond; ++i)
        bytes[size + i] = tail[(i + data[0]) % tail.size()];

    // As much memory as simdjson's tape has, and not a word more.
    std::unique_ptr<std::uint64_t[]> const words{new std::uint64_t[(size + 3 + 63) / 64 * 64]};
    Facts our_facts;
    if (!build_tape(text, max_depth, guide(), words.get(), our_facts)) return 0;
    // Once more, now that it has been learned in which order its names come.
    check(build_tape(text, max_depth, guide(), words.get(), our_facts), "what is taken is taken");

    simdjson::dom::parser parser;
    check(parser.allocate(size, max_depth + 1) == simdjson::SUCCESS, "there is memory");
    check(parser.doc.allocate(size) == simdjson::SUCCESS, "there is memory");
    std::string const padded = std::string{text} + std::string(simdjson::SIMDJSON_PADDING, '0');
    auto const* const input = reinterpret_cast<std::uint8_t const*>(padded.data());
    check(parser.implementation->parse(input, size, parser.doc) == simdjson::SUCCESS,
          "what is taken is JSON");
    Tape const theirs{parser.doc.tape.get(), parser.doc.string_buf.get(), nullptr};
    Facts their_facts;
    check(their_facts.read(theirs, max_depth, guide()) == Malformed::none,
          "what is taken has no twins");
    Tape const ours{words.get(), nullptr, bytes.get()};
    check(ours.end() == theirs.end(), "both tapes have one length");
    for (TapeIndex at = Tape::first; at < ours.end();) {
        check_word(ours, theirs, at);
        if (ours.kind(at) == TapeKind::object) check_names(ours, our_facts, their_facts, at);
        at += ours.is_number(at) ? 2U : 1U;
    }
    return 0;
}
