// Runs faults, and checks what client and upstream observe.
#include "tests/hostile/fault_stage.h"

#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

namespace sallyport::test {

// A fault for the request with its nonce.
struct FaultStage::PlannedFault {
    Fault fault;
    std::string nonce;
    std::size_t piece = 0;    // bytes at once; 0: all
    std::size_t attempts = 0; // guarded by the stage
    Event client_has_response;
    Event later_is_sent; // before the client sends its next request
    Event upstream_is_done;
};

namespace {

constexpr std::string_view nonce_begin = "fa017000-";
constexpr std::size_t nonce_size = 36;

RecordingUpstream::Options options_of(Security security) {
    RecordingUpstream::Options options;
    options.start = RecordingUpstream::Start::after_head;
    if (security == Security::tls) options.certificate = certificates().upstream;
    return options;
}

Configuration configure(RecordingUpstream const& upstream, Security security, Pool pool) {
    auto configuration = standard_configuration(upstream);
    std::string more = "timeouts: { connect: 2s, first_byte: 3s, idle: 3s, total: 20s }";
    if (pool == Pool::empty) more += ", connections: { max: 256, idle: 0 }";
    if (security == Security::tls)
        more += ", tls: { ca: \"" + certificates().authority.string()
                + "\", server_name: upstream.example.test }";
    configuration.upstreams = upstream_yaml("management", upstream.endpoint(), more)
                              + upstream_yaml("observability", upstream.endpoint(), more);
    configuration.listeners += "  - name: plain\n    address: 127.0.0.1:0\n    tls: off\n";
    configuration.apis += "  files: { paths: [\"/blob/\"], upstream: management, authenticate: "
                          "[basic] }\n";
    return configuration;
}

std::string request_text(RequestKind kind, std::string const& nonce) {
    auto const base = "/v1/organizations/" + std::string{organization_id} + "/services/";
    auto const pipe = base + std::string{service_id} + "/datapipes/" + nonce;
    switch (kind) {
    case RequestKind::get: return request_for("getPipe").target(pipe).text();
    case RequestKind::put:
        return request_for("updatePipeSettings").target(pipe + "/settings").text();
    case RequestKind::post:
        return request_for("upsertServiceQueryEndpoint")
            .target(base + nonce + "/serviceQueryEndpoint")
            .text();
    case RequestKind::head:
        return Outgoing{"HEAD", "/blob/" + nonce}.authorization(basic(administrator)).text();
    case RequestKind::upload: break;
    }
    return Outgoing{"PUT", "/blob/" + nonce}
        .authorization(basic(administrator))
        .body(std::string(900'000, 'u'), "application/octet-stream")
        .text();
}

std::string nonce_in(std::string_view target) {
    auto const at = target.find(nonce_begin);
    return at == std::string_view::npos ? "" : std::string{target.substr(at, nonce_size)};
}

std::string valid_response(std::string_view nonce) {
    return response_text("valid " + std::string{nonce}, 200, {}, "text/plain");
}

char const* method_of(RequestKind kind) {
    return kind == RequestKind::head ? "HEAD" : "GET";
}

// Whether a client can take a truncated transfer for a complete response.
bool looks_complete(std::string const& bytes, RequestKind kind) {
    if (bytes.empty()) return false;
    try {
        return parse_response(bytes, method_of(kind), MoreToCome::no).has_value();
    } catch (BadMessage const&) {
        return false;
    }
}

// Empty if the response is this outcome.
std::string difference(Response const& response, Outcome const& outcome, std::string const& nonce,
                       RequestKind kind) {
    if (response.status != outcome.status)
        return "status " + std::to_string(response.status) + ": " + response.body.substr(0, 300);
    bool const is_gateways = response.fields.count("Cache-Control") == 1;
    if (kind == RequestKind::head)
        return response.body.empty() ? "" : "a response to HEAD with a body";
    if (is_gateways && outcome.status >= 500) {
        if (response.body.find(nonce) != std::string::npos)
            return "bytes of the upstream in the gateway's response";
        auto const reason = Json::parse(response.body).text("reason");
        return reason == outcome.text ? "" : "reason " + reason;
    }
    auto const expected = expand(outcome.text, fault_names(nonce));
    return response.body == expected ? "" : "unexpected body: " + response.body.substr(0, 300);
}

} // namespace

FaultStage::FaultStage(Security upstream_security, Pool pool)
    : upstream_([this](UpstreamExchange& exchange) { serve(exchange); },
                options_of(upstream_security)),
      gateway_(configure(upstream_, upstream_security, pool)) {}

std::string FaultStage::next_nonce() {
    std::lock_guard const guard{lock_};
    std::array<char, nonce_size + 1> text{};
    std::snprintf(text.data(), text.size(), "fa017000-0000-4000-8000-%012x", ++nonces_);
    return text.data();
}

void FaultStage::serve(UpstreamExchange& exchange) {
    auto const nonce = nonce_in(exchange.request.target);
    auto const connection = exchange.request.connection;
    std::shared_ptr<PlannedFault> planned;
    bool is_first = false;
    {
        std::lock_guard const guard{lock_};
        if (unclean_.count(connection) != 0)
            problems_.push_back("a connection was used again after a fault, for " + nonce);
        if (auto const found = planned_.find(nonce); found != planned_.end()) {
            planned = found->second;
            is_first = planned->attempts++ == 0;
            if (is_first && !planned->fault.is_clean) unclean_.insert(connection);
        }
    }
    if (is_first) {
        inject(exchange, *planned);
        return;
    }
    exchange.read_body();
    auto const text = valid_response(nonce);
    exchange.send(exchange.request.method == "HEAD" ? text.substr(0, text.find("\r\n\r\n") + 4)
                                                    : text);
}

void FaultStage::inject(UpstreamExchange& exchange, PlannedFault& planned) {
    auto const& fault = planned.fault;
    if (fault.begins == Begins::after_body) exchange.read_body();
    auto const names = fault_names(planned.nonce);
    auto const bytes = bytes_of(fault.response, names);
    if (planned.piece == 0)
        exchange.send(bytes);
    else
        // Long responses are sent in larger pieces: for these the limits matter, not single bytes.
        exchange.send_in_pieces(bytes, std::max(planned.piece, bytes.size() / 2000));
    if (!fault.later.empty()) {
        exchange.wait(planned.client_has_response);
        exchange.send(bytes_of(fault.later, names));
        planned.later_is_sent.set();
    }
    switch (fault.then) {
    case Then::keep: break;
    case Then::end: exchange.close_orderly(); break;
    case Then::cut: exchange.close(); break;
    case Then::reset: exchange.reset(); break;
    case Then::hold: exchange.wait_for_end(); break;
    }
    if (exchange.channel().is_open() && !fault.is_clean) await_end(exchange, planned);
    if (fault.is_clean && fault.begins == Begins::after_head) {
        try {
            exchange.read_body();
        } catch (BadMessage const&) {
            exchange.close(); // the gateway may stop sending the body and close the connection
        }
    }
    planned.upstream_is_done.set();
}

// No request may follow on this connection: the gateway ends it.
void FaultStage::await_end(UpstreamExchange& exchange, PlannedFault const& planned) {
    std::array<char, 65536> bytes{};
    std::string wrong;
    for (;;) {
        auto const read = exchange.channel().read_some(bytes);
        if (read.end == End::time_limit) wrong = "the gateway kept a connection";
        if (read.end != End::data) break;
        if (planned.fault.request != RequestKind::upload)
            wrong = "a request arrived on a connection";
    }
    exchange.close();
    if (wrong.empty()) return;
    std::lock_guard const guard{lock_};
    problems_.push_back(wrong + " after the fault: " + planned.fault.name);
}

// Empty if the response to another request on this connection has its nonce.
std::string FaultStage::check_next_exchange(RawClient& client) {
    auto const nonce = next_nonce();
    auto const response = client.exchange(request_text(RequestKind::get, nonce));
    auto const is_valid = response.status == 200 && response.body == "valid " + nonce;
    return is_valid ? "" : "the response to the next request: " + response.head + response.body;
}

// Whether the connection stays open.
bool FaultStage::check_outcome(RawClient& client, Fault const& fault, std::string const& nonce,
                               std::vector<std::string>& problems) {
    auto const& outcomes = fault.outcomes;
    auto const is_abort = [](Outcome const& one) { return one.status == 0; };
    Response response;
    std::string what;
    try {
        response = client.read_final_response(method_of(fault.request));
    } catch (std::exception const& error) {
        what = error.what();
    }
    if (!what.empty()) {
        // No complete response arrived: the end of the connection must show that.
        auto const end = client.read_to_end();
        if (std::none_of(outcomes.begin(), outcomes.end(), is_abort)) problems.push_back(what);
        if (end != End::reset && end != End::truncated)
            problems.push_back(std::string{"the transfer was not aborted, but ended: "}
                               + name_of(end));
        if (looks_complete(client.unread(), fault.request))
            problems.push_back("a truncated response looks complete: " + client.unread());
        return false;
    }
    std::string differences;
    for (auto const& outcome : outcomes) {
        auto const one = is_abort(outcome) ? "complete: " + response.head + response.body
                                           : difference(response, outcome, nonce, fault.request);
        if (one.empty()) {
            differences.clear();
            break;
        }
        differences += one + "\n";
    }
    if (!differences.empty()) problems.push_back(differences);
    return response.fields.count("Connection") == 0;
}

std::vector<std::string> FaultStage::run(Fault const& fault, Pieces pieces) {
    std::vector<std::string> problems;
    auto const planned = std::make_shared<PlannedFault>();
    planned->fault = fault;
    planned->nonce = next_nonce();
    planned->piece = pieces == Pieces::single_bytes ? 1 : 0;
    {
        std::lock_guard const guard{lock_};
        planned_[planned->nonce] = planned;
    }
    try {
        auto const plain = without_tls();
        RawClient client{gateway_.port("plain"), plain};
        if (fault.on_kept_connection)
            if (auto problem = check_next_exchange(client); !problem.empty())
                problems.push_back(problem);
        client.try_send(request_text(fault.request, planned->nonce));
        bool const stays_open = check_outcome(client, fault, planned->nonce, problems);
        planned->client_has_response.set();
        if (!fault.later.empty()) planned->later_is_sent.wait();
        // The next requests must not be affected.
        if (stays_open)
            if (auto problem = check_next_exchange(client); !problem.empty())
                problems.push_back(problem);
        RawClient other{gateway_.port("plain"), plain};
        if (auto problem = check_next_exchange(other); !problem.empty())
            problems.push_back(problem);
        if (planned->upstream_is_done.wait() != Waited::happened)
            problems.emplace_back("the upstream's connection is still open");
    } catch (std::exception const& error) {
        problems.emplace_back(error.what());
    }
    std::lock_guard const guard{lock_};
    if (planned->attempts != fault.attempts)
        problems.push_back("the upstream got " + std::to_string(planned->attempts) + " requests");
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    problems_.clear();
    // The gateway's log lines of it.
    if (!problems.empty())
        for (auto const& line : gateway_.log())
            if (line.text("path").find(planned->nonce) != std::string::npos)
                problems.push_back("logged: " + line.text("status") + " " + line.text("reason")
                                   + " after " + line.text("duration_us") + " us");
    return problems;
}

void FaultStage::finish() {
    CHECK(gateway_.stop() == 0);
}

std::vector<Fault> all_faults() {
    std::vector<Fault> all;
    for (auto const& file : case_files("upstreams")) {
        auto faults = read_faults(file);
        std::copy_if(std::make_move_iterator(faults.begin()), std::make_move_iterator(faults.end()),
                     std::back_inserter(all), [](Fault const& one) { return is_chosen(one.name); });
    }
    return all;
}

} // namespace sallyport::test
