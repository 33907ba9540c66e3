// The tables of the sandbox, and whether a file has them.
#pragma once

#include "deploy/sandbox/database.h"

namespace sallyport::sandbox {

enum class Contents { empty, ours };

/// The content of a database that was just opened. Throws DatabaseError if it is another program's,
/// or has the tables of another version.
Contents inspect(Database& database);

/// Creates the tables, in the transaction of the caller.
void create_tables(Database& database);

} // namespace sallyport::sandbox
