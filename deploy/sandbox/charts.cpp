// Chart series: computed by the database, one row a bucket and group (observability 2.5, 4.4).
#include "deploy/sandbox/chart_query.h"
#include "deploy/sandbox/chart_request.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/operations.h"
#include "deploy/sandbox/reply.h"

#include <boost/json/array.hpp>

#include <cmath>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

// Whole numbers without a fraction, as is usual for counts and sums.
json::value number_of(Rows const& rows, int column) {
    constexpr double exact = 9007199254740992.0; // 2^53
    if (rows.is_integer(column)) return rows.integer(column);
    double const number = rows.real(column);
    if (std::trunc(number) != number || std::abs(number) > exact) return number;
    return static_cast<std::int64_t>(number);
}

json::object row_of(ChartRequest const& request, Rows const& rows) {
    constexpr int first_result = 2;
    bool const is_ratio = request.return_type == SeriesReturnType::ratio;
    std::size_t const count = is_ratio ? 1 : request.series.size();
    json::object row;
    row["ts_bucket"] = rows.integer(0);
    for (std::size_t i = 0; i < count; ++i) {
        row["series_" + std::to_string(i) + ".data"] =
            number_of(rows, first_result + static_cast<int>(i));
    }
    if (!request.groups.empty()) row["group"] = array_of(rows.text(1));
    return row;
}

} // namespace

Reply chart_series(Call const& call) {
    auto const read = read_chart_request(call.database, call.body);
    if (auto const* const problem = std::get_if<ChartProblem>(&read)) {
        return chart_error(problem->status, problem->text);
    }
    auto const& request = std::get<ChartRequest>(read);
    Sql const query = make_chart_query(request);
    Rows rows = call.database.query(query.text, query.values);
    json::array result;
    while (rows.next()) {
        if (std::cmp_equal(result.size(), most_chart_rows)) {
            return chart_error(400, "there are too many rows");
        }
        result.push_back(row_of(request, rows));
    }
    return observability_data(std::move(result));
}

} // namespace sallyport::sandbox
