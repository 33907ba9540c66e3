// A chart request, read and checked (observability 4.4).
#pragma once

#include "deploy/sandbox/database.h"
#include "deploy/sandbox/filter.h"
#include "deploy/sandbox/points.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sallyport::sandbox {

enum class Aggregate { count, count_distinct, sum, avg, min, max, last_value, quantile };

struct ChartSeries {
    std::int64_t source = 0;
    Aggregate aggregate = Aggregate::count;
    double level = 0.5; // of a quantile
    PointField const* field = nullptr;
    Sql condition;
};

enum class SeriesReturnType { column, ratio };

struct ChartRequest {
    std::int64_t start = 0; // milliseconds since 1970; inclusive
    std::int64_t end = 0;   // exclusive
    std::int64_t width = 0; // of a bucket, in milliseconds; buckets begin at its multiples
    SeriesReturnType return_type = SeriesReturnType::column;
    std::vector<PointField const*> groups; // the same for all series
    std::vector<ChartSeries> series;       // 1 to 5
};

inline constexpr std::int64_t most_chart_rows = 10'000;

struct ChartProblem {
    unsigned status; // 400, or 404 for an unknown source
    std::string text;
};

std::variant<ChartRequest, ChartProblem> read_chart_request(Database& database,
                                                            boost::json::object const& body);

} // namespace sallyport::sandbox
