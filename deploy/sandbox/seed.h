// What the sandbox knows when it starts: one organization and what belongs to it, one dashboard,
// two alerts.
#pragma once

#include "deploy/sandbox/store.h"

#include <string_view>

namespace sallyport::sandbox::seed {

inline constexpr std::string_view organization_id = "5f0c1a52-7c1e-4d3a-9b60-2f4a6c8e0b11";
inline constexpr std::string_view service_id = "8b9d2c4e-1f3a-4b5c-8d7e-6f1029384756";
inline constexpr std::string_view object_storage_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738495";
inline constexpr std::string_view kafka_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738496";
inline constexpr std::string_view kinesis_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738497";
inline constexpr std::string_view postgres_pipe_id = "c3d4e5f6-0a1b-4c2d-8e3f-405162738498";
inline constexpr std::string_view dashboard_id = "65f2a1b3c4d5e6f708192a3b";

// Puts all of it into an empty store. Throws std::runtime_error where it does not fit.
void plant(Store& store);

} // namespace sallyport::sandbox::seed
