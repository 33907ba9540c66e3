// The four operations of the observability API: dashboards, alerts and chart series.
#include "deploy/sandbox/identity.h"
#include "deploy/sandbox/members.h"
#include "deploy/sandbox/reply.h"
#include "deploy/sandbox/service.h"

#include <boost/json/array.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>

namespace sallyport::sandbox {
namespace {

namespace json = boost::json;

Reply bad_request(std::string_view text) {
    return error_reply(Api::observability, 400, text);
}

Reply get_dashboard(Store& store, Key const& key) {
    auto dashboard = store.find(key);
    if (!dashboard) return error_reply(Api::observability, 404, "Dashboard not found");
    return observability_data(std::move(*dashboard));
}

// Observability 4.2: a tile keeps the id that it was sent with, or gets a new one. Answers what is
// wrong.
std::optional<std::string> assign_tile_ids(json::array& tiles) {
    std::set<std::string, std::less<>> seen;
    for (json::value& entry : tiles) {
        json::object* const tile = entry.if_object();
        if (tile == nullptr) return "tiles must hold objects";
        json::value const* const id = tile->if_contains("id");
        if (id == nullptr) {
            tile->emplace("id", make_object_id());
        } else if (!id->is_string()) {
            return "the id of a tile must be a string";
        } else if (!seen.emplace(id->get_string()).second) {
            return "two tiles have the same id";
        }
    }
    return std::nullopt;
}

Reply update_dashboard(Store& store, Key const& key, json::object const& body) {
    static constexpr std::array<Member, 3> members = {
        {{"name", MemberType::string}, {"tiles", MemberType::array}, {"tags", MemberType::array}}};
    auto dashboard = store.find(key);
    if (!dashboard) return error_reply(Api::observability, 404, "Dashboard not found");
    if (auto const wrong = copy_members(body, members, *dashboard)) return bad_request(*wrong);
    if (auto const wrong = assign_tile_ids(dashboard->at("tiles").as_array())) {
        return bad_request(*wrong);
    }
    if (store.put(key, *dashboard) != Stored::yes) {
        return error_reply(Api::observability, 503, "the sandbox keeps no more");
    }
    return observability_data(std::move(*dashboard));
}

Reply list_alerts(Store& store) {
    json::array result;
    for (json::object& alert : store.list(Kind::alert, {}))
        result.push_back(std::move(alert));
    return observability_data(std::move(result));
}

struct Granularity {
    std::string_view name;
    std::int64_t seconds;
};

// Observability 4.4; `auto` is whatever gives a readable chart.
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
constexpr std::int64_t auto_rows = 60;
constexpr std::int64_t most_rows = 10'000;
// The last moment that an ECMAScript server knows (ECMA-262, 21.4.1.1), in both directions.
constexpr double last_time = 8.64e15;

struct TimeRange {
    std::int64_t start; // milliseconds
    std::int64_t end;
};

std::optional<TimeRange> time_range(json::object const& body) {
    json::value const* const start = body.if_contains("startTime");
    json::value const* const end = body.if_contains("endTime");
    if (start == nullptr || end == nullptr || !start->is_number() || !end->is_number()) {
        return std::nullopt;
    }
    auto const from = start->to_number<double>();
    auto const to = end->to_number<double>();
    if (std::abs(from) > last_time || std::abs(to) > last_time) return std::nullopt;
    return TimeRange{static_cast<std::int64_t>(std::floor(from)),
                     static_cast<std::int64_t>(std::ceil(to))};
}

bool is_text(json::value const& value, std::string_view text) {
    return value.is_string() && std::string_view{value.get_string()} == text;
}

// The width of a bucket in milliseconds, or 0 where nobody knows the granularity.
std::int64_t bucket_width(json::object const& body, TimeRange range) {
    json::value const* const given = body.if_contains("granularity");
    if (given == nullptr || is_text(*given, "auto")) {
        for (Granularity const& row : granularities) {
            std::int64_t const width = row.seconds * 1000;
            if ((range.end - range.start) / width <= auto_rows) return width;
        }
        // Beyond the widest: whole days, as many as it takes.
        std::int64_t const day = 86'400'000;
        return ((range.end - range.start) / auto_rows / day + 1) * day;
    }
    for (Granularity const& row : granularities) {
        if (is_text(*given, row.name)) return row.seconds * 1000;
    }
    return 0;
}

std::int64_t start_of_bucket(std::int64_t time, std::int64_t width) {
    std::int64_t const rest = time % width;
    return time - (rest < 0 ? rest + width : rest);
}

Reply chart_series(json::object const& body) {
    json::value const* const series = body.if_contains("series");
    if (series == nullptr || !series->is_array()) return bad_request("series must be an array");
    std::size_t const count = series->get_array().size();
    if (count < 1 || count > 5) return bad_request("series must hold 1 to 5 elements");
    auto const range = time_range(body);
    if (!range) return bad_request("startTime and endTime must be times in milliseconds");
    std::int64_t const width = bucket_width(body, *range);
    if (width == 0) return bad_request("granularity is not known");
    if ((range->end - range->start) / width > most_rows) return bad_request("too many buckets");

    json::array rows;
    // A range that ends before it starts has no rows.
    std::int64_t const first =
        range->start < range->end ? start_of_bucket(range->start, width) : range->end;
    for (std::int64_t time = first; time < range->end; time += width) {
        json::object row;
        row["ts_bucket"] = time;
        for (std::size_t i = 0; i < count; ++i) {
            // The same request gets the same numbers, and each series its own.
            auto const value = (time / width * 7 + static_cast<std::int64_t>(i) * 31) % 100;
            row["series_" + std::to_string(i) + ".data"] = std::abs(value);
        }
        rows.push_back(std::move(row));
    }
    return observability_data(std::move(rows));
}

} // namespace

Reply answer_observability(Store& store, Route const& route, std::string_view body) {
    Key const dashboard{Kind::dashboard, {}, std::string{route.parameters[0]}};
    if (route.operation == Operation::get_dashboard) return get_dashboard(store, dashboard);
    if (route.operation == Operation::list_alerts) return list_alerts(store);

    std::string problem;
    auto const object = parse_object(body, problem);
    if (!object) return bad_request(problem);
    if (route.operation == Operation::update_dashboard) {
        return update_dashboard(store, dashboard, *object);
    }
    return chart_series(*object);
}

} // namespace sallyport::sandbox
