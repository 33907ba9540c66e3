// Composes the query of constant pieces: a table a series, one of all rows, and their join.
#include "deploy/sandbox/chart_query.h"

namespace sallyport::sandbox {
namespace {

std::string table_name(std::size_t series) {
    return "series_" + std::to_string(series);
}

// `, group_0, group_1`, one for each group.
std::string group_columns(ChartRequest const& request) {
    std::string columns;
    for (std::size_t i = 0; i < request.groups.size(); ++i)
        columns += ", group_" + std::to_string(i);
    return columns;
}

// bucket, group_0, ..., time, number, v: the points of the series, each in its bucket. Remainders
// of negative times are negative: they are lifted.
Sql points_of(ChartRequest const& request, ChartSeries const& series) {
    Sql sql;
    sql.add("SELECT time - ((time % ?) + ?) % ? AS bucket", request.width);
    sql.values.emplace_back(request.width);
    sql.values.emplace_back(request.width);
    for (std::size_t i = 0; i < request.groups.size(); ++i) {
        sql.add(", ifnull(CAST(" + std::string{request.groups[i]->column} + " AS TEXT), '')");
        sql.add(" AS group_" + std::to_string(i));
    }
    sql.add(", time, number, " + std::string{series.field->column} + " AS v FROM points");
    sql.add(" WHERE source = ?", series.source);
    sql.add(" AND time >= ?", request.start);
    sql.add(" AND time < ? AND ", request.end);
    sql.add(series.condition);
    if (series.aggregate != Aggregate::count) {
        sql.add(" AND " + std::string{series.field->column} + " IS NOT NULL");
    }
    return sql;
}

// The number of a bucket and group; quantile() and newest() are in aggregates.h.
Sql function_of(ChartSeries const& series) {
    switch (series.aggregate) {
    case Aggregate::count: return {"count(*)", {}};
    case Aggregate::count_distinct: return {"count(DISTINCT v)", {}};
    case Aggregate::sum: return {"total(v)", {}}; // sum() fails where integers overflow
    case Aggregate::avg: return {"avg(v)", {}};
    case Aggregate::min: return {"min(v)", {}};
    case Aggregate::max: return {"max(v)", {}};
    case Aggregate::last_value: return {"newest(v, time, number)", {}};
    case Aggregate::quantile: return {"quantile(v, ?)", {series.level}};
    }
    return {"count(*)", {}};
}

// series_N(bucket, group_values, data).
Sql table_of(ChartRequest const& request, std::size_t index) {
    ChartSeries const& series = request.series[index];
    std::string const columns = group_columns(request);
    Sql sql;
    sql.add(table_name(index) + " AS MATERIALIZED (SELECT bucket, json_array(");
    if (!columns.empty()) sql.add(columns.substr(2));
    sql.add(") AS group_values, ");
    sql.add(function_of(series));
    sql.add(" AS data FROM (");
    sql.add(points_of(request, series));
    sql.add(") GROUP BY bucket" + columns + ")");
    return sql;
}

std::int64_t start_of_bucket(std::int64_t time, std::int64_t width) {
    std::int64_t const rest = time % width;
    return time - (rest < 0 ? rest + width : rest);
}

// chart_rows(bucket, group_values): every bucket of the range, or, with groups, those that any
// series has.
Sql rows_of(ChartRequest const& request) {
    Sql sql;
    if (request.groups.empty()) {
        // A range that ends before it begins has none.
        std::int64_t const first = start_of_bucket(request.start, request.width);
        sql.add("chart_rows(bucket, group_values) AS (SELECT ?, '[]'", first);
        sql.add(" WHERE ? ", request.start);
        sql.add("< ? UNION ALL", request.end);
        sql.add(" SELECT bucket + ?, '[]' FROM chart_rows", request.width);
        sql.add(" WHERE bucket + ? ", request.width);
        sql.add("< ?)", request.end);
        return sql;
    }
    sql.add("chart_rows(bucket, group_values) AS (");
    for (std::size_t i = 0; i < request.series.size(); ++i) {
        if (i > 0) sql.add(" UNION ");
        sql.add("SELECT bucket, group_values FROM " + table_name(i));
    }
    sql.add(")");
    return sql;
}

std::string results_of(ChartRequest const& request) {
    if (request.return_type == SeriesReturnType::ratio) {
        return ", ifnull(series_0.data, 0) * 1.0 / series_1.data";
    }
    std::string results;
    for (std::size_t i = 0; i < request.series.size(); ++i)
        results += ", ifnull(" + table_name(i) + ".data, 0)";
    return results;
}

} // namespace

Sql make_chart_query(ChartRequest const& request) {
    Sql sql{"WITH RECURSIVE ", {}};
    for (std::size_t i = 0; i < request.series.size(); ++i) {
        sql.add(table_of(request, i));
        sql.add(", ");
    }
    sql.add(rows_of(request));
    sql.add(" SELECT chart_rows.bucket, chart_rows.group_values" + results_of(request)
            + " FROM chart_rows");
    for (std::size_t i = 0; i < request.series.size(); ++i) {
        sql.add(" LEFT JOIN " + table_name(i));
        sql.add(" ON " + table_name(i) + ".bucket = chart_rows.bucket");
        sql.add(" AND " + table_name(i) + ".group_values = chart_rows.group_values");
    }
    if (request.return_type == SeriesReturnType::ratio) sql.add(" WHERE series_1.data <> 0");
    sql.add(" ORDER BY chart_rows.bucket, chart_rows.group_values LIMIT ?", most_chart_rows + 1);
    return sql;
}

} // namespace sallyport::sandbox
