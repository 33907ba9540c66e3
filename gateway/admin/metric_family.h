// Metrics as prometheus-cpp has them, to be written one series after another.
#pragma once

#include "gateway/admin/totals.h"

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::admin {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Families = std::vector<MetricFamily>;
using Labels = std::initializer_list<std::pair<char const*, std::string_view>>;

inline std::vector<ClientMetric::Label> to_labels(Labels labels) {
    std::vector<ClientMetric::Label> made;
    made.reserve(labels.size());
    for (auto const& [name, value] : labels)
        made.push_back({name, std::string{value}});
    return made;
}

/// One metric: its series are added one by one. `families` must have room for it.
class Family {
public:
    Family(Families& families, char const* name, char const* help, MetricType type)
        : family_{families.emplace_back()}, type_{type} {
        family_.name = name;
        family_.help = help;
        family_.type = type;
    }

    template <class Number>
    void add(Labels labels, Number value) {
        auto& series = family_.metric.emplace_back();
        series.label = to_labels(labels);
        if (type_ == MetricType::Counter) {
            series.counter.value = static_cast<double>(value);
        } else {
            series.gauge.value = static_cast<double>(value);
        }
    }

    void add(Labels labels, DurationTotals const& durations) {
        auto& series = family_.metric.emplace_back();
        series.label = to_labels(labels);
        auto& histogram = series.histogram;
        std::uint64_t cumulative = 0;
        for (std::size_t i = 0; i < durations.counts.size(); ++i) {
            cumulative += durations.counts[i];
            auto const bound = i < observe::duration_bounds.size()
                                   ? static_cast<double>(observe::duration_bounds[i]) / 1e6
                                   : std::numeric_limits<double>::infinity();
            histogram.bucket.push_back({cumulative, bound});
        }
        histogram.sample_count = cumulative;
        histogram.sample_sum = static_cast<double>(durations.sum_of_microseconds) / 1e6;
    }

private:
    MetricFamily& family_;
    MetricType type_;
};

inline Family counter(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Counter};
}
inline Family gauge(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Gauge};
}
inline Family histogram(Families& families, char const* name, char const* help) {
    return {families, name, help, MetricType::Histogram};
}

} // namespace sallyport::admin
