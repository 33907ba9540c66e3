// Points and their sources: their fields, and how they are stored.
#include "deploy/sandbox/points.h"

#include "deploy/sandbox/resources.h"

#include <array>

namespace sallyport::sandbox {
namespace {

constexpr std::array<PointField, 9> fields = {{
    {"value", "value", FieldType::number},
    {"duration", "value", FieldType::number}, // the measurement of an event
    {"time", "time", FieldType::number},
    {"service", "service", FieldType::text},
    {"level", "level", FieldType::text},
    {"host", "host", FieldType::text},
    {"status", "status", FieldType::number},
    {"name", "name", FieldType::text},
    {"message", "message", FieldType::text},
}};

Value text_or_null(std::string_view text) {
    return text.empty() ? Value{nullptr} : Value{text};
}

} // namespace

PointField const* find_point_field(std::string_view name) {
    for (PointField const& field : fields) {
        if (field.name == name) return &field;
    }
    return nullptr;
}

void insert_source(Database& database, std::int64_t number, std::string_view id,
                   std::string_view name) {
    database.run("INSERT INTO sources (number, id, name) VALUES (?, ?, ?)", {number, id, name});
}

void insert_point(Database& database, Point const& point) {
    database.run("INSERT INTO points"
                 " (source, time, number, value, service, level, host, status, name, message)"
                 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 {point.source, point.time, point.number, point.value, text_or_null(point.service),
                  text_or_null(point.level), text_or_null(point.host),
                  point.status == 0 ? Value{nullptr} : Value{point.status},
                  text_or_null(point.name), text_or_null(point.message)});
}

} // namespace sallyport::sandbox
