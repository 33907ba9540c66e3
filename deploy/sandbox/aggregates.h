// Aggregate functions of SQL that SQLite does not have and charts need.
#pragma once

struct sqlite3;

namespace sallyport::sandbox {

/// quantile(v, level): the number of v at the nearest rank, 0 < level <= 1. newest(v,
/// time, number): the v of the latest time; among equal times the one with the highest
/// number. Both skip rows where v is null, and are null without rows. Returns SQLite's
/// code.
int add_aggregates(sqlite3* connection);

} // namespace sallyport::sandbox
