// Aggregate functions of SQL that SQLite does not have and charts need.
#pragma once

struct sqlite3;

namespace sallyport::sandbox {

// quantile(v, level): of the numbers v the one at the nearest rank, 0 < level <= 1.
// newest(v, time, number): the v of the latest time, of several of that time the one with the
// highest number.
// Both leave out rows where v is null, and are null where nothing is left. Answers SQLite's code.
int add_aggregates(sqlite3* connection);

} // namespace sallyport::sandbox
