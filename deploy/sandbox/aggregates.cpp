// Each function's state is a C++ object behind the pointer that SQLite keeps for a group.
#include "deploy/sandbox/aggregates.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

namespace sallyport::sandbox {
namespace {

// The state of the group, created for its first row; null if there is no memory, which is reported
// to SQLite.
template <class State>
State* state_of(sqlite3_context* context) {
    auto** const place =
        static_cast<State**>(sqlite3_aggregate_context(context, static_cast<int>(sizeof(State*))));
    if (place != nullptr && *place == nullptr) *place = new (std::nothrow) State;
    if (place == nullptr || *place == nullptr) {
        sqlite3_result_error_nomem(context);
        return nullptr;
    }
    return *place;
}

// The same at the end of the group, for its new owner; null if it had no row.
template <class State>
std::unique_ptr<State> take_state(sqlite3_context* context) {
    auto** const place = static_cast<State**>(sqlite3_aggregate_context(context, 0));
    return std::unique_ptr<State>{place == nullptr ? nullptr : *place};
}

struct Quantile {
    double level = 0;
    std::vector<double> numbers;
};

void step_quantile(sqlite3_context* context, int, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    auto* const state = state_of<Quantile>(context);
    if (state == nullptr) return;
    state->level = sqlite3_value_double(values[1]);
    try {
        state->numbers.push_back(sqlite3_value_double(values[0]));
    } catch (std::bad_alloc const&) {
        sqlite3_result_error_nomem(context);
    }
}

void end_quantile(sqlite3_context* context) {
    auto const state = take_state<Quantile>(context);
    if (!state || state->numbers.empty()) return sqlite3_result_null(context);
    auto const size = static_cast<double>(state->numbers.size());
    auto const rank = std::clamp(std::ceil(state->level * size), 1.0, size);
    auto const place = state->numbers.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(state->numbers.begin(), place, state->numbers.end());
    sqlite3_result_double(context, *place);
}

struct Newest {
    std::tuple<std::int64_t, std::int64_t> moment; // time, number
    double value = 0;
};

void step_newest(sqlite3_context* context, int, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    bool const is_first = sqlite3_aggregate_context(context, 0) == nullptr;
    auto* const state = state_of<Newest>(context);
    if (state == nullptr) return;
    std::tuple const moment{static_cast<std::int64_t>(sqlite3_value_int64(values[1])),
                            static_cast<std::int64_t>(sqlite3_value_int64(values[2]))};
    if (!is_first && moment < state->moment) return;
    state->moment = moment;
    state->value = sqlite3_value_double(values[0]);
}

void end_newest(sqlite3_context* context) {
    auto const state = take_state<Newest>(context);
    if (!state) return sqlite3_result_null(context);
    sqlite3_result_double(context, state->value);
}

} // namespace

int add_aggregates(sqlite3* connection) {
    constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int const code = sqlite3_create_function_v2(connection, "quantile", 2, flags, nullptr, nullptr,
                                                step_quantile, end_quantile, nullptr);
    if (code != SQLITE_OK) return code;
    return sqlite3_create_function_v2(connection, "newest", 3, flags, nullptr, nullptr, step_newest,
                                      end_newest, nullptr);
}

} // namespace sallyport::sandbox
