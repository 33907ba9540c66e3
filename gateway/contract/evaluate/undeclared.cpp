// Finds properties that no schema declares, after validation: for responses, which must not contain
// undeclared secrets.
#include "gateway/contract/evaluate/evaluate.h"

namespace sallyport::contract {

void Evaluator::find_undeclared(UndeclaredSearch& search) {
    search.pointers.clear();
    search.not_kept = 0;
    steps_.clear();
    find_undeclared_in(Tape::first, search);
}

// Recursion is limited by the depth of the text, which the parser limits.
void Evaluator::find_undeclared_in(TapeIndex at, UndeclaredSearch& search) {
    bool const is_object = tape_.kind(at) == TapeKind::object;
    if (!is_object && tape_.kind(at) != TapeKind::array) return;
    std::uint32_t index = 0;
    steps_.emplace_back();
    TapeIndex const end = tape_.close(at);
    for (TapeIndex one = at + 1; one < end;) {
        if (is_object) {
            step_to(one);
            bool const is_undeclared = subject_.facts->mark(one) == Mark::none;
            if (is_undeclared && search.is_wanted(tape_.string(one))) {
                if (search.pointers.size() < max_violations) {
                    search.pointers.push_back(pointer_here());
                } else {
                    ++search.not_kept;
                }
            }
            ++one;
        } else {
            steps_.back() = {{}, index++, Step::Kind::item};
        }
        find_undeclared_in(one, search);
        one = tape_.next(one);
    }
    steps_.pop_back();
}

} // namespace sallyport::contract
