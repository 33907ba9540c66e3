// A week of a small shop: events of three services, and two metrics.
#include "deploy/sandbox/seed_points.h"

#include "deploy/sandbox/resources.h"

#include <array>
#include <random>
#include <string>

namespace sallyport::sandbox::seed {
namespace {

constexpr std::int64_t events_number = 1;
constexpr std::int64_t metrics_number = 2;
constexpr std::int64_t events_for_a_metric = 10;

struct Service {
    std::string_view name;
    std::string_view path;
    std::int64_t usual_duration; // milliseconds
};

constexpr std::array<Service, 3> services = {
    {{"orders", "/orders", 40}, {"checkout", "/checkout", 120}, {"catalog", "/items", 15}}};
constexpr std::array<std::string_view, 3> hosts = {"host-1", "host-2", "host-3"};

// The generator is the same everywhere; the standard library's distributions are not.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : generator_{seed} {}

    // 0 to below - 1.
    std::int64_t below(std::int64_t below) {
        return static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(below));
    }
    template <class Array>
    auto const& one_of(Array const& array) {
        return array[static_cast<std::size_t>(below(static_cast<std::int64_t>(array.size())))];
    }

private:
    std::mt19937_64 generator_;
};

struct Outcome {
    std::string_view level;
    std::int64_t status;
};

Outcome draw_outcome(Dice& dice) {
    std::int64_t const percent = dice.below(100);
    if (percent < 3) return {"error", 500};
    if (percent < 10) return {"warn", 404};
    return {"info", 200};
}

void plant_event(Database& database, Dice& dice, std::int64_t time, std::int64_t number) {
    Service const& service = dice.one_of(services);
    Outcome const outcome = draw_outcome(dice);
    // Most are near the usual duration, a few far above.
    std::int64_t const slow = dice.below(50) == 0 ? 20 : 1;
    std::int64_t const tenths =
        service.usual_duration * slow * (5 + dice.below(10)); // half to one and a half
    std::string const message =
        "GET " + std::string{service.path} + " answered " + std::to_string(outcome.status);
    Point point;
    point.source = events_number;
    point.time = time;
    point.number = number;
    point.value = static_cast<double>(tenths) / 10;
    point.service = service.name;
    point.level = outcome.level;
    point.host = dice.one_of(hosts);
    point.status = outcome.status;
    point.message = message;
    insert_point(database, point);
}

void plant_metric(Database& database, std::int64_t time, std::int64_t number, std::string_view name,
                  double value) {
    Point point;
    point.source = metrics_number;
    point.time = time;
    point.number = number;
    point.value = value;
    point.host = "host-1";
    point.name = name;
    insert_point(database, point);
}

} // namespace

void plant_points(Database& database, Seed const& seed) {
    insert_source(database, events_number, events_id, "events");
    insert_source(database, metrics_number, metrics_id, "metrics");
    if (seed.events < 1) return;
    Dice dice{seed.number};
    std::int64_t const step = (last_time - first_time) / seed.events;
    std::int64_t depth = 100; // of the queue, which changes slowly
    for (std::int64_t i = 0; i < seed.events; ++i) {
        std::int64_t const time = first_time + i * step;
        plant_event(database, dice, time + dice.below(step), i);
        if (i % events_for_a_metric != 0) continue;
        depth = std::max<std::int64_t>(0, depth + dice.below(21) - 10);
        plant_metric(database, time, 2 * i, "queue_depth", static_cast<double>(depth));
        plant_metric(database, time, 2 * i + 1, "cpu_load",
                     static_cast<double>(dice.below(1000)) / 1000);
    }
}

} // namespace sallyport::sandbox::seed
