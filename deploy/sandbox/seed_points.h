// The points of the example data, from a random generator.
#pragma once

#include "deploy/sandbox/seed.h"

namespace sallyport::sandbox::seed {

/// The sources and their points.
void plant_points(Database& database, Seed const& seed);

} // namespace sallyport::sandbox::seed
