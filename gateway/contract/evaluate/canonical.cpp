// Canonical byte sequences of JSON values.
#include "gateway/contract/evaluate/canonical.h"

#include "gateway/contract/text/decimal.h"

#include <algorithm>
#include <cstdint>

namespace sallyport::contract {

void canonical::append_string(std::string& out, std::string_view text) {
    // The length comes first, so that the text cannot be confused with what follows it.
    out += '"';
    out += IntegerText{static_cast<std::uint64_t>(text.size())}.text();
    out += ':';
    out += text;
}

void canonical::append_number(std::string& out, std::string_view number) {
    out += '#';
    Decimal{number}.append_canonical(out);
    out += ';';
}

void CanonicalWriter::append(std::string& out, Tape const& tape, NumberTexts& texts, TapeIndex at) {
    switch (tape.kind(at)) {
    case TapeKind::null: out += canonical::null; return;
    case TapeKind::true_value: out += canonical::true_value; return;
    case TapeKind::false_value: out += canonical::false_value; return;
    case TapeKind::string: canonical::append_string(out, tape.string(at)); return;
    case TapeKind::array: {
        out += canonical::array_begin;
        for (TapeIndex item = at + 1; item < tape.close(at); item = tape.next(item)) {
            append(out, tape, texts, item);
        }
        out += canonical::array_end;
        return;
    }
    case TapeKind::object: {
        std::size_t const begin = names_.size();
        for (TapeIndex name = at + 1; name < tape.close(at); name = tape.next(name + 1)) {
            names_.push_back(name);
        }
        std::size_t const end = names_.size();
        std::sort(names_.begin() + static_cast<std::ptrdiff_t>(begin), names_.end(),
                  [&tape](TapeIndex left, TapeIndex right) {
                      return tape.string(left) < tape.string(right);
                  });
        out += canonical::object_begin;
        for (std::size_t i = begin; i < end; ++i) {
            canonical::append_string(out, tape.string(names_[i]));
            append(out, tape, texts, names_[i] + 1);
        }
        out += canonical::object_end;
        names_.resize(begin);
        return;
    }
    default: canonical::append_number(out, texts.of(tape, at)); return;
    }
}

} // namespace sallyport::contract
