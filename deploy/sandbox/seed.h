// The example data: one organization and what belongs to it, one dashboard, two alerts, and the
// points of two sources.
#pragma once

#include "deploy/sandbox/database.h"

#include <cstdint>
#include <string_view>

namespace sallyport::sandbox::seed {

/// The same with every seed.
inline constexpr std::string_view organization_id = "5f0c1a52-7c1e-4d3a-9b60-2f4a6c8e0b11";
inline constexpr std::string_view service_id = "8b9d2c4e-1f3a-4b5c-8d7e-6f1029384756";
inline constexpr std::string_view object_storage_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738495";
inline constexpr std::string_view kafka_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738496";
inline constexpr std::string_view kinesis_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738497";
inline constexpr std::string_view postgres_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738498";
inline constexpr std::string_view dashboard_id = "65f2a1b3c4d5e6f708192a3b";
inline constexpr std::string_view events_id = "65f2a1b3c4d5e6f708192e80";
inline constexpr std::string_view metrics_id = "65f2a1b3c4d5e6f708192e81";

/// The points lie in the week that begins here: Friday, 1 March 2024, 00:00 UTC.
inline constexpr std::int64_t first_time = 1'709'251'200'000; // milliseconds
inline constexpr std::int64_t last_time = first_time + std::int64_t{7} * 24 * 60 * 60 * 1000;

inline constexpr std::uint32_t default_number = 1;

struct Seed {
    /// The seed of the generator for the points: the same number, the same points.
    std::uint32_t number = default_number;
    /// How many events, spread evenly over the week; and a tenth as many of each of two metrics.
    std::int64_t events = 10'080;
};

/// Inserts all of it into empty tables, in the transaction of the caller.
void plant(Database& database, Seed const& seed);

/// The number of the seed of the existing example data.
std::uint32_t planted_number(Database& database);

} // namespace sallyport::sandbox::seed
