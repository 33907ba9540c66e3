// The initial documents of the sandbox, in the forms of the two API documents.
#include "deploy/sandbox/seed.h"

#include "deploy/sandbox/members.h"
#include "deploy/sandbox/resources.h"
#include "deploy/sandbox/seed_points.h"

#include <array>

namespace sallyport::sandbox::seed {
namespace {

// Management 2.5.
constexpr std::string_view organization = R"json({
  "createdAt": "2024-02-12T08:30:00.000Z", "name": "Harbour Analytics",
  "privateEndpoints": [{"id": "vpce-0a1b2c3d4e5f60718", "description": "ingest"}],
  "byocConfig": [{"id": "byoc-7f31", "accountName": "harbour-eu"}]
})json";

// Management 2.4.
constexpr std::string_view service = R"json({
  "name": "Orders", "dbVersion": "24.8",
  "endpoints": [{"protocol": "https", "host": "orders.sandbox.test", "port": 8443,
                 "username": "default"}],
  "minTotalMemoryGb": 24, "maxTotalMemoryGb": 48, "minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 16,
  "numReplicas": 3, "idleScaling": true, "idleTimeoutMinutes": 15,
  "ipAccessList": [{"source": "192.0.2.0/24", "description": "office"}],
  "createdAt": "2024-02-12T08:45:00.000Z", "encryptionKey": "", "encryptionAssumedRoleIdentifier": "",
  "iamRole": "arn:aws:iam::123456789012:role/orders", "privateEndpointIds": [],
  "availablePrivateEndpointIds": ["vpce-0a1b2c3d4e5f60718"],
  "dataWarehouseId": "2d6f0f0e-93c8-4e6b-a0f5-58a1c1a0b7d2", "isPrimary": true, "isReadonly": false,
  "byocId": "", "hasTransparentDataEncryption": false, "transparentDataEncryptionKeyId": "",
  "encryptionRoleId": ""
})json";

// Management 2.2; source, id and name differ between pipes.
constexpr std::string_view pipe = R"json({
  "state": "Running",
  "scaling": {"replicas": 2, "concurrency": 4, "replicaCpuMillicores": 250, "replicaMemoryGb": 0.5},
  "destination": {
    "database": "default", "table": "orders", "managedTable": true,
    "tableDefinition": {"engine": {"versionColumnId": "version", "columnIds": ["amount"]},
                        "sortingKey": ["id"], "partitionBy": "toYYYYMM(placed_at)",
                        "primaryKey": "id"},
    "columns": [{"name": "id", "type": "UInt64"}, {"name": "amount", "type": "Decimal(18, 2)"},
                {"name": "version", "type": "UInt64"}, {"name": "placed_at", "type": "DateTime"}]},
  "fieldMappings": [{"sourceField": "id", "destinationField": "id"},
                    {"sourceField": "total", "destinationField": "amount"}],
  "settings": {
    "streaming_max_insert_wait_ms": 5000, "object_storage_concurrency": 4,
    "object_storage_polling_interval_ms": 30000, "object_storage_max_insert_bytes": 10737418240,
    "object_storage_max_file_count": 100, "db_max_threads": 8, "db_max_insert_threads": 2,
    "db_min_insert_block_size_bytes": 1073741824, "db_max_download_threads": 4,
    "db_parallel_distributed_insert_select": 2, "object_storage_use_cluster_function": true,
    "db_parallel_view_processing": false},
  "createdAt": "2024-03-01T10:00:00.000Z", "updatedAt": "2024-03-01T10:00:00.000Z"
})json";

// Management 2.2.2: each pipe has one source.
constexpr std::string_view object_storage = R"json({"objectStorage": {
  "url": "https://harbour.blob.sandbox.test/orders/*.json", "delimiter": ",", "compression": "gzip",
  "isContinuous": true, "queueUrl": "https://queue.sandbox.test/123456789012/orders",
  "iamRole": "arn:aws:iam::123456789012:role/orders-read",
  "connectionString": "DefaultEndpointsProtocol=https;AccountName=harbour;AccountKey=c2FuZGJveC1vbmx5",
  "path": "orders/*.json", "azureContainerName": "orders"}})json";
constexpr std::string_view kafka = R"json({"kafka": {
  "brokers": "broker-1.sandbox.test:9092,broker-2.sandbox.test:9092", "topics": "orders",
  "consumerGroup": "harbour-orders", "iamRole": "arn:aws:iam::123456789012:role/orders-kafka",
  "offset": {"timestamp": "2024-03-01T10:00"},
  "schemaRegistry": {"url": "https://registry.sandbox.test", "caCertificate": "sandbox-ca"},
  "caCertificate": "sandbox-ca", "reversePrivateEndpointIds": ["vpce-0a1b2c3d4e5f60718"]}})json";
constexpr std::string_view kinesis = R"json({"kinesis": {
  "streamName": "orders", "region": "eu-central-1", "useEnhancedFanOut": false,
  "timestamp": 1709287200, "iamRole": "arn:aws:iam::123456789012:role/orders-kinesis"}})json";
constexpr std::string_view postgres = R"json({"postgres": {
  "host": "postgres.sandbox.test", "port": 5432, "database": "orders",
  "settings": {"syncIntervalSeconds": 60, "pullBatchSize": 100000, "publicationName": "orders",
               "replicationSlotName": "orders_slot", "allowNullableColumns": false,
               "initialLoadParallelism": 4, "snapshotNumRowsPerPartition": 100000,
               "snapshotNumberOfParallelTables": 1, "enableFailoverSlots": false},
  "tableMappings": [{"sourceSchemaName": "public", "sourceTable": "orders", "targetTable": "orders",
                     "excludedColumns": ["note"], "useCustomSortingKey": true,
                     "sortingKeys": ["id"]}]}})json";

// Management 2.6.
constexpr std::string_view query_endpoint = R"json({
  "id": "qe-4d5e6f70", "openApiKeys": ["key-orders-reader"], "roles": ["sql_console_read_only"],
  "allowedOrigins": "https://console.sandbox.test"
})json";

// Management 2.7.
constexpr std::array<std::string_view, 2> backups = {R"json({
  "id": "f1a2b3c4-d5e6-4f70-8192-a3b4c5d6e7f8", "startedAt": "2024-03-02T02:00:00.000Z",
  "finishedAt": "2024-03-02T02:12:30.000Z", "sizeInBytes": 73400320, "durationInSeconds": 750,
  "backupName": "daily-2024-03-02",
  "bucket": {"bucketPath": "s3://harbour-backups/orders",
             "iamRoleArn": "arn:aws:iam::123456789012:role/backup",
             "iamRoleSessionName": "orders-backup"}})json",
                                                     R"json({
  "id": "0e9d8c7b-6a59-4847-8635-241302f1e0d9", "startedAt": "2024-03-01T02:00:00.000Z",
  "finishedAt": "2024-03-01T02:11:10.000Z", "sizeInBytes": 71303168, "durationInSeconds": 670,
  "backupName": "daily-2024-03-01",
  "bucket": {"bucketPath": "s3://harbour-backups/orders",
             "iamRoleArn": "arn:aws:iam::123456789012:role/backup",
             "iamRoleSessionName": "orders-backup"}})json"};

// Observability 2.1 to 2.3.
constexpr std::string_view dashboard = R"json({
  "name": "Orders", "tags": ["orders", "production"],
  "tiles": [
    {"id": "65f2a1b3c4d5e6f708192a40", "name": "Requests", "x": 0, "y": 0, "w": 8, "h": 3,
     "asRatio": false,
     "series": [{"type": "time", "dataSource": "events", "aggFn": "count", "field": "",
                 "where": "service:orders", "groupBy": ["level"]}]},
    {"id": "65f2a1b3c4d5e6f708192a41", "name": "Slowest answer", "x": 8, "y": 0, "w": 4, "h": 3,
     "asRatio": false,
     "series": [{"type": "number", "dataSource": "events", "aggFn": "max", "field": "duration",
                 "where": "service:orders", "groupBy": []}]}]
})json";

// Observability 2.4.
constexpr std::array<std::string_view, 2> alerts = {R"json({
  "id": "65f2a1b3c4d5e6f708192b50", "name": "Requests stopped", "message": "No orders arrive",
  "threshold": 10, "interval": "5m", "thresholdType": "below", "source": "tile", "state": "OK",
  "channel": {"type": "webhook", "webhookId": "65f2a1b3c4d5e6f708192c60"},
  "team": "65f2a1b3c4d5e6f708192d70", "tileId": "65f2a1b3c4d5e6f708192a40",
  "dashboard": "65f2a1b3c4d5e6f708192a3b",
  "createdAt": "2024-03-01T10:15:00.000Z", "updatedAt": "2024-03-01T10:15:00.000Z"})json",
                                                    R"json({
  "id": "65f2a1b3c4d5e6f708192b51", "name": "Slow answers", "message": "An answer took too long",
  "threshold": 2000, "interval": "15m", "thresholdType": "above", "source": "tile", "state": "ALERT",
  "channel": {"type": "webhook", "webhookId": "65f2a1b3c4d5e6f708192c60"},
  "team": "65f2a1b3c4d5e6f708192d70", "tileId": "65f2a1b3c4d5e6f708192a41",
  "dashboard": "65f2a1b3c4d5e6f708192a3b",
  "createdAt": "2024-03-01T10:20:00.000Z", "updatedAt": "2024-03-02T07:05:00.000Z"})json"};

// The id first, for readability.
boost::json::object with_id(std::string_view id, std::string_view rest) {
    boost::json::object document{{"id", id}};
    for (auto const& [name, value] : object_of(rest))
        document[name] = value;
    return document;
}

void plant_pipe(Database& database, std::string_view id, std::string_view name,
                std::string_view source) {
    boost::json::object document = with_id(id, pipe);
    document["name"] = name;
    document["source"] = object_of(source);
    insert_pipe(database, service_id, std::move(document));
}

} // namespace

void plant(Database& database, Seed const& seed) {
    database.run("INSERT INTO example_data (seed) VALUES (?)", {std::int64_t{seed.number}});
    insert_organization(database, with_id(organization_id, organization));
    insert_service(database, organization_id, with_id(service_id, service));
    plant_pipe(database, object_storage_pipe_id, "orders from files", object_storage);
    plant_pipe(database, kafka_pipe_id, "orders from kafka", kafka);
    plant_pipe(database, kinesis_pipe_id, "orders from kinesis", kinesis);
    plant_pipe(database, postgres_pipe_id, "orders from postgres", postgres);
    insert_query_endpoint(database, service_id, object_of(query_endpoint));
    for (std::string_view const text : backups)
        insert_backup(database, service_id, object_of(text));
    insert_dashboard(database, with_id(dashboard_id, dashboard));
    for (std::string_view const text : alerts)
        insert_alert(database, object_of(text));
    plant_points(database, seed);
}

std::uint32_t planted_number(Database& database) {
    Rows rows = database.query("SELECT seed FROM example_data");
    if (!rows.next()) throw DatabaseError{"it lacks the example data"};
    return static_cast<std::uint32_t>(rows.integer(0));
}

} // namespace sallyport::sandbox::seed
