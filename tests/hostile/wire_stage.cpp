// Sends cases and compares the results with the expected ones.
#include "tests/hostile/wire_stage.h"

#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <stdexcept>

namespace sallyport::test {
namespace {

constexpr std::string_view plain_listener = "plain";
constexpr std::string_view body = R"({"db_max_threads":64})";

// The shipped contracts have few parameters: this one has some of each kind, and OPTIONS.
constexpr std::string_view parameters = R"(
openapi: 3.1.0
info: { title: Parameters, version: "1" }
paths:
  /odd/v1/things:
    get:
      operationId: listThings
      parameters:
        - { name: X-Mode, in: header, schema: { enum: [a, b] } }
        - { name: limit, in: query, schema: { type: integer, maximum: 10 } }
        - { name: tag, in: query, schema: { type: array, items: { type: string, maxLength: 3 } } }
        - { name: deep, in: query, style: deepObject, schema: { type: object, additionalProperties: false,
            properties: { n: { type: integer, maximum: 10 } } } }
      responses: { "200": { description: fine } }
    options:
      operationId: thingsOptions
      responses: { "200": { description: fine } }
  /odd/v1/checked:
    put:
      operationId: putChecked
      x-trailers: forward
      parameters: [ { name: X-Mode, in: header, schema: { enum: [a, b] } } ]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { "200": { description: fine } }
  /odd/v1/streamed:
    put:
      operationId: putStreamed
      x-trailers: forward
      parameters: [ { name: X-Mode, in: header, schema: { enum: [a, b] } } ]
      requestBody: { content: { application/octet-stream: {} } }
      responses: { "200": { description: fine } }
)";

std::string request_line_and_fields(std::string_view method, std::string_view target) {
    return std::string{method} + " " + std::string{target}
           + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + basic(administrator);
}

// The body of the upstream's response: it identifies the request.
std::string echo_of(std::string_view method, std::string_view target, std::string_view content) {
    return std::string{method} + " " + std::string{target} + " " + std::string{content};
}

std::string hexadecimal(std::size_t number) {
    std::array<char, 16> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return {digits.data(), end};
}

// Fields that the gateway sets, whatever the client sends.
bool is_set_by_gateway(std::string_view name) {
    constexpr std::string_view names[]{"Host",
                                       "Authorization",
                                       "X-Request-Id",
                                       "X-Forwarded-For",
                                       "X-Forwarded-Proto",
                                       "X-Forwarded-Host",
                                       "Via",
                                       "Content-Length",
                                       "Transfer-Encoding"};
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view one) { return equal_ignoring_case(one, name); });
}

std::string text_of(Fields const& fields) {
    std::string text;
    for (auto const& field : fields)
        text += field.name + ": " + field.value + "\n";
    return text;
}

// For the output of a failure, control characters included.
std::string visible(std::string_view bytes) {
    std::string text;
    for (char const c : bytes.substr(0, 2000)) {
        constexpr std::string_view digits = "0123456789abcdef";
        auto const byte = static_cast<unsigned char>(c);
        if (c == '\n')
            text += "\\n\n";
        else if (c == '\r')
            text += "\\r";
        else if (byte < 0x20 || byte > 0x7e)
            text.append("\\x").append(1, digits[byte / 16]).append(1, digits[byte % 16]);
        else
            text += c;
    }
    return text;
}

} // namespace

Configuration wire_configuration(RecordingUpstream const& upstream) {
    auto configuration = standard_configuration(upstream);
    // What arrives of credentials is looked at too.
    configuration.upstreams =
        upstream_yaml("management", upstream.endpoint(), "credential: pass")
        + upstream_yaml("observability", upstream.endpoint(), "credential: pass");
    configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
    // Short, so that cases that wait for more bytes do not delay the others.
    configuration.limits += "  head_time: 4s\n  body_idle: 4s\n";
    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, authenticate: "
                          "[basic] }\n"
                          "  odd: { contract: parameters.yaml, upstream: management, "
                          "authenticate: [basic] }\n"
                          "  other: { paths: [\"/other/\"], methods: [GET, OPTIONS], upstream: "
                          "management, authenticate: [basic] }\n";
    return configuration;
}

Gateway::Options wire_options() {
    return {.files = {{"parameters.yaml", std::string{parameters}}}};
}

std::string echo_response(Request const& request) {
    auto const text = echo_of(request.method, request.target, request.body);
    auto bytes = response_text(text, 200, {}, "text/plain");
    if (request.method == "HEAD") bytes.erase(bytes.size() - text.size());
    return bytes;
}

WireStage::WireStage()
    : upstream_([this](UpstreamExchange& exchange) { respond_with_echo(exchange); }),
      gateway_(wire_configuration(upstream_), wire_options()) {}

void WireStage::respond_with_echo(UpstreamExchange& exchange) {
    {
        std::lock_guard const guard{lock_};
        arrived_.push_back(exchange.request);
    }
    exchange.send(echo_response(exchange.request));
}

Names WireStage::names(Api api) {
    auto const put = api == Api::contract ? operation("updatePipeSettings").target : "/blob/upload";
    auto const get = api == Api::contract ? operation("getPipe").target : "/blob/pipe";
    auto const* const trailing = api == Api::contract ? "/odd/v1/checked" : "/odd/v1/streamed";
    auto const* const type = api == Api::contract ? "application/json" : "application/octet-stream";
    auto const next = request_line_and_fields("GET", "/blob/next") + "\r\n\r\n";
    return {
        {"target", put},
        {"get_target", get},
        {"put", request_line_and_fields("PUT", put) + "\r\nContent-Type: application/json"},
        {"get", request_line_and_fields("GET", get)},
        {"trailing_target", trailing},
        {"trailing", request_line_and_fields("PUT", trailing) + "\r\nContent-Type: " + type},
        {"authorization", "Authorization: " + basic(administrator)},
        {"bearer", "Authorization: " + bearer(observer_token)},
        {"next", next},
        {"next_length", std::to_string(next.size())},
        {"next_hex", hexadecimal(next.size())},
        {"body", std::string{body}},
        {"length", std::to_string(body.size())},
        {"hex", hexadecimal(body.size())},
        {"organization", std::string{organization_id}},
        {"service", std::string{service_id}},
        {"pipe", std::string{pipe_id}},
    };
}

void WireStage::run(WireCase const& wire_case, Delivery const& delivery) {
    CAPTURE(wire_case.name, wire_case.place, name_of(wire_case.api), delivery.first);
    INFO("sent:\n" << visible(wire_case.bytes));
    try {
        check(wire_case, delivery);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
    }
    std::lock_guard const guard{lock_};
    seen_ = arrived_.size();
}

void WireStage::check(WireCase const& wire_case, Delivery const& delivery) {
    auto const port = gateway_.port(delivery.security == Security::tls ? "public" : plain_listener);
    RawClient client{port, {.security = delivery.security, .tls = {}}};
    std::string_view rest = wire_case.bytes;
    for (auto size = delivery.first == 0 ? rest.size() : delivery.first; !rest.empty();
         size = delivery.piece == 0 ? rest.size() : delivery.piece) {
        // After an early refusal the connection may be closed while the client still sends.
        if (client.try_send(rest.substr(0, size)) != End::data) break;
        rest.remove_prefix(std::min(size, rest.size()));
    }
    bool const may_continue = wire_case.bytes.find("100-") != std::string::npos;
    for (auto const& expected : wire_case.expected) {
        if (expected.becomes == Becomes::closed) {
            CHECK(client.read_to_end() == End::orderly);
            CHECK(client.unread() == "");
            break;
        }
        if (expected.becomes == Becomes::awaited) {
            CHECK(client.is_silent_for(std::chrono::milliseconds{20}));
            CHECK(client.unread().empty());
            break;
        }
        bool const is_first = &expected == &wire_case.expected.front();
        bool const is_head =
            expected.method == "HEAD" || (is_first && wire_case.bytes.substr(0, 5) == "HEAD ");
        auto const method = is_head ? "HEAD" : "GET";
        auto const response =
            may_continue ? client.read_final_response(method) : client.read_response(method);
        ++responses_[{std::to_string(response.status),
                      response.fields.count("Cache-Control") == 0 ? "" : expected.reason}];
        check_response(response, expected);
        if (expected.becomes == Becomes::forwarded)
            check_arrived(response, expected, delivery.security);
        if (response.fields.count("Connection") == 0) continue;
        // Closed: this was the last response, even if more requests were sent.
        CHECK(&expected == &wire_case.expected.back());
        CHECK(client.read_to_end() == End::orderly);
        CHECK(client.unread() == "");
    }
    auto const& last = wire_case.expected.back();
    std::unique_lock guard{lock_};
    CHECK(arrived_.size() == seen_);
    guard.unlock();
    if (last.becomes == Becomes::awaited || last.becomes == Becomes::refused) return;
    if (client.is_silent_for(std::chrono::milliseconds{0}))
        check_next_request(client, delivery.security);
}

void WireStage::check_response(Response const& response, Expected const& expected) {
    CAPTURE(response.head, response.body);
    if (expected.becomes == Becomes::forwarded) {
        CHECK(response.status == 200);
        auto const echo = echo_of(expected.method, expected.target, expected.body);
        CHECK(response.body == (expected.method == "HEAD" ? "" : echo));
        return;
    }
    CHECK(response.status == expected.status);
    CHECK((response.fields.count("Connection") == 1) == (expected.becomes == Becomes::refused));
    if (expected.becomes == Becomes::responded) {
        CHECK(response.fields.one("Allow") == expected.allow);
        CHECK(response.body.empty());
    }
    if (response.body.empty()) return;
    auto const problem = Json::parse(response.body);
    CHECK(problem.text("reason") == expected.reason);
    if (!expected.detail.empty()) CHECK(problem.text("detail") == expected.detail + ".");
}

void WireStage::check_arrived(Response const& response, Expected const& expected,
                              Security security) {
    std::unique_lock guard{lock_};
    if (arrived_.size() <= seen_) throw std::runtime_error("nothing arrived at the upstream");
    auto const request = arrived_[seen_++];
    guard.unlock();
    CAPTURE(request.raw);
    CHECK(request.method == expected.method);
    CHECK(request.target == expected.target);
    CHECK(request.body == expected.body);
    auto const& fields = request.fields;
    CHECK("http://" + fields.one("Host") == upstream_.endpoint());
    auto const authorization = fields.one("Authorization");
    CHECK((authorization == basic(administrator) || authorization == bearer(observer_token)));
    CHECK(fields.one("X-Request-Id") == response.fields.one("X-Request-Id"));
    CHECK(fields.one("X-Forwarded-For") == "127.0.0.1");
    CHECK(fields.one("X-Forwarded-Proto") == (security == Security::tls ? "https" : "http"));
    CHECK(fields.one("X-Forwarded-Host") == expected.host);
    auto const via = fields.one("Via");
    CHECK((via == "1.1 sallyport" || via == "1.0 sallyport"));
    Fields of_client;
    for (auto const& field : fields) {
        bool const is_usual =
            equal_ignoring_case(field.name, "Content-Type")
            && (field.value == "application/json" || field.value == "application/octet-stream");
        if (!is_set_by_gateway(field.name) && !is_usual) of_client.push_back(field);
    }
    CHECK(text_of(of_client) == text_of(expected.fields));
    CHECK(text_of(request.trailers) == text_of(expected.trailers));
}

// The bytes sent so far were read to the last one, and none beyond: the next request is read
// correctly.
void WireStage::check_next_request(RawClient& client, Security security) {
    client.send(request_line_and_fields("GET", "/blob/last") + "\r\nConnection: close\r\n\r\n");
    Expected expected;
    expected.becomes = Becomes::forwarded;
    expected.method = "GET";
    expected.target = "/blob/last";
    auto const response = client.read_response();
    ++responses_[{"200", ""}];
    check_response(response, expected);
    check_arrived(response, expected, security);
    CHECK(client.read_to_end() == End::orderly);
    CHECK(client.unread() == "");
}

void WireStage::finish() {
    CHECK(gateway_.stop() == 0);
    CHECK(upstream_.protocol_errors() == std::vector<std::string>{});
    CHECK(arrived_.size() == seen_);
    std::map<std::pair<std::string, std::string>, std::size_t> logged;
    for (auto const& line : gateway_.log())
        if (line.text("status") != "0") ++logged[{line.text("status"), line.text("reason")}];
    CHECK(logged == responses_);
}

std::vector<WireCase> wire_cases(std::string_view folder) {
    auto const contract = WireStage::names(Api::contract);
    auto const stream = WireStage::names(Api::stream);
    std::vector<WireCase> all;
    for (auto const& file : case_files(folder)) {
        auto cases = read_wire_cases(file, contract, stream);
        std::copy_if(std::make_move_iterator(cases.begin()), std::make_move_iterator(cases.end()),
                     std::back_inserter(all),
                     [](WireCase const& one) { return is_chosen(one.name); });
    }
    return all;
}

} // namespace sallyport::test
