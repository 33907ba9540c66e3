// Checks every member of the request by itself, then their combination.
#include "deploy/sandbox/chart_request.h"

#include "deploy/sandbox/members.h"

#include <boost/json/array.hpp>

#include <array>
#include <cmath>
#include <optional>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

struct Granularity {
    std::string_view name;
    std::int64_t seconds;
};

// Observability 4.4; `auto` selects the first that gives a readable chart.
constexpr std::array<Granularity, 14> granularities = {{{"30s", 30},
                                                        {"1m", 60},
                                                        {"5m", 300},
                                                        {"10m", 600},
                                                        {"15m", 900},
                                                        {"30m", 1'800},
                                                        {"1h", 3'600},
                                                        {"2h", 7'200},
                                                        {"6h", 21'600},
                                                        {"12h", 43'200},
                                                        {"1d", 86'400},
                                                        {"2d", 172'800},
                                                        {"7d", 604'800},
                                                        {"30d", 2'592'000}}};
constexpr std::int64_t rows_of_auto = 60;
constexpr std::size_t most_series = 5;
constexpr std::size_t most_groups = 5;
// The last time that ECMAScript supports (ECMA-262, 21.4.1.1), in both directions.
constexpr double last_time = 8.64e15;

struct AggregateRow {
    std::string_view name;
    Aggregate aggregate;
    double level;
};

constexpr std::array<AggregateRow, 12> aggregates = {{
    {"count", Aggregate::count, 0},
    {"count_distinct", Aggregate::count_distinct, 0},
    {"sum", Aggregate::sum, 0},
    {"avg", Aggregate::avg, 0},
    {"min", Aggregate::min, 0},
    {"max", Aggregate::max, 0},
    {"last_value", Aggregate::last_value, 0},
    {"quantile", Aggregate::quantile, 0.5}, // unless `level` is given
    {"p50", Aggregate::quantile, 0.5},
    {"p90", Aggregate::quantile, 0.9},
    {"p95", Aggregate::quantile, 0.95},
    {"p99", Aggregate::quantile, 0.99},
}};

using Problem = std::optional<ChartProblem>;

Problem bad(std::string text) {
    return ChartProblem{400, std::move(text)};
}

// An optional member. Empty if it is absent, or has another type: then `wrong` has the
// reason.
std::optional<std::string_view> text_of(json::object const& object, std::string_view name,
                                        Problem& wrong) {
    json::value const* const found = object.if_contains(name);
    if (found == nullptr) return std::nullopt;
    if (!found->is_string()) {
        wrong = bad(std::string{name} + " must be a string");
        return std::nullopt;
    }
    return std::string_view{found->get_string()};
}

std::optional<double> time_of(json::object const& body, std::string_view name) {
    json::value const* const found = body.if_contains(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    auto const time = found->to_number<double>();
    return std::abs(time) > last_time ? std::nullopt : std::optional{time};
}

Problem read_times(json::object const& body, ChartRequest& request) {
    auto const start = time_of(body, "startTime");
    auto const end = time_of(body, "endTime");
    if (!start || !end) return bad("startTime and endTime must be times in milliseconds");
    request.start = static_cast<std::int64_t>(std::floor(*start));
    request.end = static_cast<std::int64_t>(std::ceil(*end));
    return std::nullopt;
}

std::int64_t automatic_width(std::int64_t range) {
    for (Granularity const& row : granularities) {
        if (range / (row.seconds * 1000) <= rows_of_auto) return row.seconds * 1000;
    }
    // Beyond the widest: as many whole days as necessary.
    std::int64_t const day = 86'400'000;
    return (range / rows_of_auto / day + 1) * day;
}

Problem read_granularity(json::object const& body, ChartRequest& request) {
    Problem wrong;
    std::string_view const name = text_of(body, "granularity", wrong).value_or("auto");
    if (wrong) return wrong;
    std::int64_t const range = request.end - request.start;
    if (name == "auto") request.width = automatic_width(range);
    for (Granularity const& row : granularities) {
        if (row.name == name) request.width = row.seconds * 1000;
    }
    if (request.width == 0) return bad("granularity is not known");
    if (range / request.width > most_chart_rows) return bad("there are too many buckets");
    return std::nullopt;
}

Problem read_return_type(json::object const& body, ChartRequest& request) {
    Problem wrong;
    std::string_view const name = text_of(body, "seriesReturnType", wrong).value_or("column");
    if (wrong) return wrong;
    if (name != "column" && name != "ratio") return bad("seriesReturnType is not known");
    if (name == "column") return std::nullopt;
    if (request.series.size() != 2) return bad("a ratio needs exactly two series");
    request.return_type = SeriesReturnType::ratio;
    return std::nullopt;
}

Problem read_source(Database& database, json::object const& element, ChartSeries& series) {
    Problem wrong;
    auto const id = text_of(element, "sourceId", wrong);
    if (wrong) return wrong;
    if (!id) return bad("each series needs a sourceId");
    Rows rows = database.query("SELECT number FROM sources WHERE id = ?", {*id});
    if (!rows.next()) return ChartProblem{404, "Source not found"};
    series.source = rows.integer(0);
    return std::nullopt;
}

Problem read_level(json::object const& element, ChartSeries& series) {
    json::value const* const level = element.if_contains("level");
    if (level == nullptr || series.aggregate != Aggregate::quantile) return std::nullopt;
    if (!level->is_number()) return bad("level must be a number");
    series.level = level->to_number<double>();
    if (series.level > 0 && series.level <= 1) return std::nullopt;
    return bad("level must be above 0 and at most 1");
}

Problem read_aggregate(json::object const& element, ChartSeries& series) {
    Problem wrong;
    auto const name = text_of(element, "aggFn", wrong);
    if (wrong) return wrong;
    if (!name) return bad("each series needs an aggFn");
    for (AggregateRow const& row : aggregates) {
        if (row.name != *name) continue;
        series.aggregate = row.aggregate;
        series.level = row.level;
        return read_level(element, series);
    }
    return bad("aggFn is not known");
}

Problem read_field(json::object const& element, ChartSeries& series) {
    Problem wrong;
    std::string_view name = text_of(element, "field", wrong).value_or("");
    if (wrong) return wrong;
    if (name.empty()) name = "value";
    series.field = find_point_field(name);
    if (series.field == nullptr) return bad("field is not known");
    bool const takes_text =
        series.aggregate == Aggregate::count || series.aggregate == Aggregate::count_distinct;
    if (series.field->type == FieldType::number || takes_text) return std::nullopt;
    return bad("this aggFn needs a field that is a number");
}

Problem read_condition(json::object const& element, ChartSeries& series) {
    Problem wrong;
    std::string_view const where = text_of(element, "where", wrong).value_or("");
    std::string_view const language = text_of(element, "whereLanguage", wrong).value_or("lucene");
    auto const metric = text_of(element, "metricName", wrong);
    if (wrong) return wrong;
    if (language != "lucene") return bad("whereLanguage must be lucene here");
    auto compiled = compile_filter(where);
    if (auto const* const problem = std::get_if<FilterProblem>(&compiled)) {
        return bad(problem->text);
    }
    series.condition = std::move(std::get<Sql>(compiled));
    if (metric) series.condition.add(" AND name = ?", *metric);
    return std::nullopt;
}

Problem read_groups(json::object const& element, std::vector<PointField const*>& groups) {
    json::value const* const list = element.if_contains("groupBy");
    if (list == nullptr) return std::nullopt;
    if (!list->is_array()) return bad("groupBy must be an array");
    if (list->get_array().size() > most_groups) return bad("groupBy has too many entries");
    for (json::value const& entry : list->get_array()) {
        if (!entry.is_string()) return bad("groupBy must hold names of fields");
        PointField const* const field = find_point_field(std::string_view{entry.get_string()});
        if (field == nullptr) return bad("groupBy has a field that is not known");
        groups.push_back(field);
    }
    return std::nullopt;
}

Problem read_element(Database& database, json::value const& value, ChartRequest& request) {
    json::object const* const element = value.if_object();
    if (element == nullptr) return bad("series must hold objects");
    ChartSeries series;
    std::vector<PointField const*> groups;
    if (auto wrong = read_source(database, *element, series)) return wrong;
    if (auto wrong = read_aggregate(*element, series)) return wrong;
    if (auto wrong = read_field(*element, series)) return wrong;
    if (auto wrong = read_condition(*element, series)) return wrong;
    if (auto wrong = read_groups(*element, groups)) return wrong;
    if (request.series.empty()) request.groups = groups;
    if (request.groups != groups) return bad("All series must have the same groupBy fields");
    request.series.push_back(std::move(series));
    return std::nullopt;
}

Problem read_series(Database& database, json::object const& body, ChartRequest& request) {
    json::value const* const list = body.if_contains("series");
    if (list == nullptr || !list->is_array()) return bad("series must be an array");
    std::size_t const count = list->get_array().size();
    // Observability 8.1.
    if (count < 1 || count > most_series) return bad("series must hold 1 to 5 elements");
    for (json::value const& value : list->get_array()) {
        if (auto wrong = read_element(database, value, request)) return wrong;
    }
    return std::nullopt;
}

} // namespace

std::variant<ChartRequest, ChartProblem> read_chart_request(Database& database,
                                                            json::object const& body) {
    ChartRequest request;
    if (auto wrong = read_series(database, body, request)) return *wrong;
    if (auto wrong = read_times(body, request)) return *wrong;
    if (auto wrong = read_granularity(body, request)) return *wrong;
    if (auto wrong = read_return_type(body, request)) return *wrong;
    return request;
}

} // namespace sallyport::sandbox
