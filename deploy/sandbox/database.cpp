// Opens SQLite with its limits, keeps prepared statements, converts its codes to exceptions.
#include "deploy/sandbox/database.h"

#include "deploy/sandbox/aggregates.h"

#include <sqlite3.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sallyport::sandbox {
namespace {

constexpr std::int64_t page_size = 4096;
constexpr int steps_between_counts = 1000;
// The most statements that stay prepared; charts have many different texts.
constexpr std::size_t most_idle = 128;

// The file contains secrets of example services: only for its owner, from its creation on.
void make_file(std::string const& path) {
    int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) throw std::system_error{errno, std::generic_category(), path};
    ::close(file);
}

void bind(sqlite3_stmt* statement, int index, Value::Content const& content) {
    struct Binder {
        sqlite3_stmt* statement;
        int index;
        int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
        int operator()(std::int64_t number) const {
            return sqlite3_bind_int64(statement, index, number);
        }
        int operator()(double number) const {
            return sqlite3_bind_double(statement, index, number);
        }
        int operator()(std::string const& text) const {
            return sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT,
                                       SQLITE_UTF8);
        }
    };
    if (std::visit(Binder{statement, index}, content) != SQLITE_OK) {
        throw DatabaseError{"a value cannot be bound"};
    }
}

} // namespace

// ---- Rows -----------------------------------------------------------------------------------

Rows::Rows(Database& database, std::string_view sql, std::span<Value const> values)
    : database_{database}, statement_{database.take(sql)} {
    if (std::cmp_not_equal(sqlite3_bind_parameter_count(statement_.get()), values.size())) {
        throw DatabaseError{"a statement has another number of values than it asks for"};
    }
    int index = 0;
    for (Value const& value : values)
        bind(statement_.get(), ++index, value.content());
    database_.steps_left_ = database_.statement_steps_;
}

Rows::~Rows() {
    database_.give_back(std::move(statement_));
}

bool Rows::next() {
    int const code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_.fail(code);
    return false;
}

std::int64_t Rows::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

double Rows::real(int column) const {
    return sqlite3_column_double(statement_.get(), column);
}

std::string_view Rows::text(int column) const {
    auto const* const bytes = sqlite3_column_text(statement_.get(), column);
    auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    if (bytes == nullptr) return {};
    return std::string_view{reinterpret_cast<char const*>(bytes), size};
}

bool Rows::is_integer(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

// ---- Database -------------------------------------------------------------------------------

Database::Database(std::optional<std::string> const& path, DatabaseLimits const& limits)
    : connection_{nullptr, &sqlite3_close_v2}, statement_steps_{limits.statement_steps} {
    if (path) make_file(*path);
    sqlite3* opened = nullptr;
    int const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int const code =
        path ? sqlite3_open_v2(path->c_str(), &opened, flags, nullptr)
             : sqlite3_open_v2(":memory:", &opened, flags | SQLITE_OPEN_MEMORY, nullptr);
    connection_.reset(opened);
    if (code != SQLITE_OK) throw DatabaseError{path.value_or("memory") + " cannot be opened"};

    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
    if (add_aggregates(opened) != SQLITE_OK) throw DatabaseError{"SQLite takes no functions"};
    sqlite3_progress_handler(opened, steps_between_counts, &Database::count_steps, this);

    // The order matters: the page size before the first page, the lock before the journal (which
    // then needs no shared memory), the limit once the page size is known.
    run_script("PRAGMA page_size = 4096; PRAGMA locking_mode = EXCLUSIVE;");
    run_script("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
               "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
               "BEGIN EXCLUSIVE; COMMIT;");
    run_script(("PRAGMA max_page_count = " + std::to_string(limits.size / page_size)).c_str());
}

Database::~Database() {
    idle_.clear(); // statements end before their connection
}

Rows Database::query(std::string_view sql, std::span<Value const> values) {
    return Rows{*this, sql, values};
}

Rows Database::query(std::string_view sql, std::initializer_list<Value> values) {
    return Rows{*this, sql, std::span<Value const>{values.begin(), values.size()}};
}

void Database::run(std::string_view sql, std::initializer_list<Value> values) {
    Rows rows = query(sql, values);
    if (rows.next()) throw DatabaseError{"a statement has rows that nobody reads"};
}

void Database::run_script(char const* sql) {
    steps_left_ = statement_steps_;
    int const code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

Database::Prepared Database::take(std::string_view sql) {
    auto const found = idle_.find(sql);
    if (found != idle_.end()) return std::move(idle_.extract(found).mapped());
    sqlite3_stmt* prepared = nullptr;
    int const code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    Prepared statement{prepared, &sqlite3_finalize};
    if (code != SQLITE_OK) fail(code);
    return statement;
}

void Database::give_back(Prepared statement) {
    sqlite3_stmt* const used = statement.get();
    sqlite3_reset(used);
    sqlite3_clear_bindings(used);
    work_.steps += sqlite3_stmt_status(used, SQLITE_STMTSTATUS_VM_STEP, 1);
    work_.full_scan_steps += sqlite3_stmt_status(used, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    if (idle_.size() >= most_idle) idle_.clear();
    idle_.insert_or_assign(sqlite3_sql(used), std::move(statement));
}

void Database::fail(int code) const {
    std::string const words = sqlite3_errmsg(connection_.get());
    switch (code & 0xff) { // the primary code of an extended one
    case SQLITE_FULL: throw StorageFull{words};
    case SQLITE_INTERRUPT: throw TooMuchWork{"the query takes too long"};
    case SQLITE_BUSY: throw DatabaseError{"another program uses it"};
    default: throw DatabaseError{words};
    }
}

int Database::count_steps(void* database) {
    auto& self = *static_cast<Database*>(database);
    self.steps_left_ -= steps_between_counts;
    return self.steps_left_ < 0 ? 1 : 0; // 1: SQLite ends with SQLITE_INTERRUPT
}

// ---- Transaction ----------------------------------------------------------------------------

Transaction::Transaction(Database& database) : database_{database} {
    database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (state_ == State::committed) return;
    try {
        database_.run("ROLLBACK");
    } catch (...) {
        // SQLite has rolled back by itself, as it does when it is full; otherwise the next begin
        // fails.
    }
}

void Transaction::commit() {
    database_.run("COMMIT");
    state_ = State::committed;
}

} // namespace sallyport::sandbox
