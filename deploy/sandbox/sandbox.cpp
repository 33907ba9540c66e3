// A file is either what it was before, or has all tables and all of the example data.
#include "deploy/sandbox/sandbox.h"

#include "deploy/sandbox/schema.h"
#include "deploy/sandbox/seed.h"

namespace sallyport::sandbox {
namespace {

void fill(Database& database, std::uint32_t seed) {
    Transaction transaction{database};
    create_tables(database);
    seed::plant(database, seed::Seed{seed});
    transaction.commit();
}

void compare(Database& database, std::optional<std::uint32_t> wanted) {
    std::uint32_t const planted = seed::planted_number(database);
    if (!wanted || *wanted == planted) return;
    throw DatabaseError{"its example data is of seed " + std::to_string(planted)
                        + "; another seed needs a new file"};
}

} // namespace

std::unique_ptr<Database> open_sandbox(std::optional<std::string> const& path,
                                       std::optional<std::uint32_t> seed) {
    try {
        auto database = std::make_unique<Database>(path);
        if (inspect(*database) == Contents::empty) {
            fill(*database, seed.value_or(seed::default_number));
        } else {
            compare(*database, seed);
        }
        return database;
    } catch (DatabaseError const& problem) {
        throw DatabaseError{path.value_or("memory") + ": " + problem.what()};
    }
}

} // namespace sallyport::sandbox
