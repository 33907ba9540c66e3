// SQLite behind two small types: a database that answers queries, and a transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace sallyport::sandbox {

/// A failure of SQLite. It ends the request, or the start of the program.
class DatabaseError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The documents have reached DatabaseLimits::size; the transaction is rolled back.
class StorageFull : public DatabaseError {
public:
    using DatabaseError::DatabaseError;
};

/// One query took more than DatabaseLimits::steps.
class TooMuchWork : public DatabaseError {
public:
    using DatabaseError::DatabaseError;
};

/// A value for a `?` of a statement. Text is UTF-8 of any content.
class Value {
public:
    Value(std::nullptr_t) {}
    Value(std::int64_t number) : content_{number} {}
    Value(int number) : content_{std::int64_t{number}} {}
    Value(double number) : content_{number} {}
    Value(std::string text) : content_{std::move(text)} {}
    Value(std::string_view text) : content_{std::string{text}} {}
    Value(char const* text) : content_{std::string{text}} {}

    using Content = std::variant<std::monostate, std::int64_t, double, std::string>;
    [[nodiscard]] Content const& content() const { return content_; }

private:
    Content content_;
};

class Database;

/// The rows of one query, read in turn. Destruction ends the query; columns count from 0.
class Rows {
public:
    Rows(Rows const&) = delete;
    Rows& operator=(Rows const&) = delete;
    ~Rows();

    /// Whether there is another row; the columns are those of this row until the next call. Throws
    /// DatabaseError.
    [[nodiscard]] bool next();

    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    /// Valid until the next call of next().
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] bool is_integer(int column) const;

private:
    friend class Database;
    Rows(Database& database, std::string_view sql, std::span<Value const> values);

    Database& database_;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

struct DatabaseLimits {
    std::int64_t size = std::int64_t{64} * 1024 * 1024;      // bytes of all pages
    std::int64_t statement_steps = std::int64_t{50'000'000}; // of SQLite's virtual machine
};

/// The work of all queries since reset_work(), which tests compare with a bound.
struct Work {
    std::int64_t steps = 0;           // instructions of SQLite's virtual machine
    std::int64_t full_scan_steps = 0; // rows passed in scans of whole tables
};

/// Owned by main and used by one thread. Statements are constant text; external input is bound to a
/// `?`.
class Database {
public:
    /// Without a path the database is in memory. A new file is readable by its owner only, and no
    /// other program can use it meanwhile. Throws DatabaseError or std::system_error.
    explicit Database(std::optional<std::string> const& path = std::nullopt,
                      DatabaseLimits const& limits = {});
    ~Database();
    Database(Database const&) = delete;
    Database& operator=(Database const&) = delete;

    /// One statement, prepared once for all queries with this text.
    [[nodiscard]] Rows query(std::string_view sql, std::span<Value const> values);
    [[nodiscard]] Rows query(std::string_view sql, std::initializer_list<Value> values = {});

    /// One statement without rows.
    void run(std::string_view sql, std::initializer_list<Value> values = {});

    /// Several statements without values, such as those of the schema.
    void run_script(char const* sql);

    [[nodiscard]] Work work() const { return work_; }
    void reset_work() { work_ = {}; }

private:
    friend class Rows;
    using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

    Prepared take(std::string_view sql);
    void give_back(Prepared statement);
    [[noreturn]] void fail(int code) const;
    static int count_steps(void* database);

    std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_;
    std::map<std::string, Prepared, std::less<>> idle_; // statements that are not in use
    std::int64_t statement_steps_;
    std::int64_t steps_left_ = 0;
    Work work_;
};

/// Everything between its begin and commit() is applied, or nothing. Not nested.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(Transaction const&) = delete;
    Transaction& operator=(Transaction const&) = delete;

    void commit();

private:
    enum class State { open, committed };

    Database& database_;
    State state_ = State::open;
};

} // namespace sallyport::sandbox
