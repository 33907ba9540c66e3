// Runs faults; looks at everything from outside of the gateway.
#include "tests/hostile/fault_stage.h"

#include "tests/support/operations.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

namespace sallyport::test {

// A fault that a request with its nonce shall meet.
struct FaultStage::Set {
    Fault fault;
    std::string nonce;
    std::size_t piece = 0; // bytes at once; 0: all
    std::size_t asked = 0; // guarded by the stage
    Event client_has_answer;
    Event later_is_sent; // so that what the client asks next comes behind it
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

std::string request_text(Asks asks, std::string const& nonce) {
    auto const base = "/v1/organizations/" + std::string{organization_id} + "/services/";
    auto const pipe = base + std::string{service_id} + "/datapipes/" + nonce;
    switch (asks) {
    case Asks::get: return request_for("getPipe").target(pipe).text();
    case Asks::put: return request_for("updatePipeSettings").target(pipe + "/settings").text();
    case Asks::post:
        return request_for("upsertServiceQueryEndpoint")
            .target(base + nonce + "/serviceQueryEndpoint")
            .text();
    case Asks::head:
        return Outgoing{"HEAD", "/blob/" + nonce}.authorization(basic(administrator)).text();
    case Asks::upload: break;
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

std::string well(std::string_view nonce) {
    return response_text("well " + std::string{nonce}, 200, {}, "text/plain");
}

char const* method_of(Asks asks) {
    return asks == Asks::head ? "HEAD" : "GET";
}

// A transfer that a client can take for a whole answer must not have been cut.
bool looks_complete(std::string const& bytes, Asks asks) {
    if (bytes.empty()) return false;
    try {
        return parse_response(bytes, method_of(asks), MoreToCome::no).has_value();
    } catch (BadMessage const&) {
        return false;
    }
}

// Empty where the response is this outcome.
std::string difference(Response const& response, Outcome const& outcome, std::string const& nonce,
                       Asks asks) {
    if (response.status != outcome.status)
        return "status " + std::to_string(response.status) + ": " + response.body.substr(0, 300);
    bool const is_ours = response.fields.count("Cache-Control") == 1;
    if (asks == Asks::head) return response.body.empty() ? "" : "a body behind an answer to HEAD";
    if (is_ours && outcome.status >= 500) {
        if (response.body.find(nonce) != std::string::npos)
            return "bytes of the upstream in our answer";
        auto const reason = Json::parse(response.body).text("reason");
        return reason == outcome.text ? "" : "reason " + reason;
    }
    auto const expected = expand(outcome.text, fault_names(nonce));
    return response.body == expected ? "" : "another body: " + response.body.substr(0, 300);
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
    std::shared_ptr<Set> set;
    bool is_first = false;
    {
        std::lock_guard const guard{lock_};
        if (unclean_.count(connection) != 0)
            problems_.push_back("a connection was used again behind a fault, for " + nonce);
        if (auto const found = sets_.find(nonce); found != sets_.end()) {
            set = found->second;
            is_first = set->asked++ == 0;
            if (is_first && !set->fault.is_clean) unclean_.insert(connection);
        }
    }
    if (is_first) {
        commit(exchange, *set);
        return;
    }
    exchange.read_body();
    auto const text = well(nonce);
    exchange.send(exchange.request.method == "HEAD" ? text.substr(0, text.find("\r\n\r\n") + 4)
                                                    : text);
}

void FaultStage::commit(UpstreamExchange& exchange, Set& set) {
    auto const& fault = set.fault;
    if (fault.begins == Begins::behind_body) exchange.read_body();
    auto const names = fault_names(set.nonce);
    auto const bytes = bytes_of(fault.answer, names);
    if (set.piece == 0)
        exchange.send(bytes);
    else
        // Of what is endless the pieces are larger: it is not the single bytes that count there.
        exchange.send_in_pieces(bytes, std::max(set.piece, bytes.size() / 2000));
    if (!fault.later.empty()) {
        exchange.wait(set.client_has_answer);
        exchange.send(bytes_of(fault.later, names));
        set.later_is_sent.set();
    }
    switch (fault.then) {
    case Then::keep: break;
    case Then::end: exchange.close_orderly(); break;
    case Then::cut: exchange.close(); break;
    case Then::reset: exchange.reset(); break;
    case Then::hold: exchange.wait_for_end(); break;
    }
    if (exchange.channel().is_open() && !fault.is_clean) await_end(exchange, set);
    if (fault.is_clean && fault.begins == Begins::behind_head) {
        try {
            exchange.read_body();
        } catch (BadMessage const&) {
            exchange.close(); // the gateway may give up the rest of a body, and then the connection
        }
    }
    set.upstream_is_done.set();
}

// Nobody may come back to this connection: the gateway ends it.
void FaultStage::await_end(UpstreamExchange& exchange, Set const& set) {
    std::array<char, 65536> bytes{};
    std::string wrong;
    for (;;) {
        auto const read = exchange.channel().read_some(bytes);
        if (read.end == End::time_limit) wrong = "the gateway keeps a connection";
        if (read.end != End::data) break;
        if (set.fault.asks != Asks::upload) wrong = "a request came on a connection";
    }
    exchange.close();
    if (wrong.empty()) return;
    std::lock_guard const guard{lock_};
    problems_.push_back(wrong + " behind the fault: " + set.fault.name);
}

// Empty where a request on this connection is answered with its own nonce.
std::string FaultStage::ask_well(RawClient& client) {
    auto const nonce = next_nonce();
    auto const response = client.exchange(request_text(Asks::get, nonce));
    auto const is_well = response.status == 200 && response.body == "well " + nonce;
    return is_well ? "" : "the next request was answered: " + response.head + response.body;
}

// Whether the connection goes on.
bool FaultStage::check_outcome(RawClient& client, Fault const& fault, std::string const& nonce,
                               std::vector<std::string>& problems) {
    auto const& outcomes = fault.outcomes;
    auto const is_abort = [](Outcome const& one) { return one.status == 0; };
    Response response;
    std::string what;
    try {
        response = client.read_final_response(method_of(fault.asks));
    } catch (std::exception const& error) {
        what = error.what();
    }
    if (!what.empty()) {
        // Nothing complete came. Whether the client can tell is seen by how the connection ends.
        auto const end = client.read_to_end();
        if (std::none_of(outcomes.begin(), outcomes.end(), is_abort)) problems.push_back(what);
        if (end != End::reset && end != End::truncated)
            problems.push_back(std::string{"the transfer was not aborted but "} + name_of(end));
        if (looks_complete(client.unread(), fault.asks))
            problems.push_back("what was cut looks complete: " + client.unread());
        return false;
    }
    std::string differences;
    for (auto const& outcome : outcomes) {
        auto const one = is_abort(outcome) ? "complete: " + response.head + response.body
                                           : difference(response, outcome, nonce, fault.asks);
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
    auto const set = std::make_shared<Set>();
    set->fault = fault;
    set->nonce = next_nonce();
    set->piece = pieces == Pieces::byte_by_byte ? 1 : 0;
    {
        std::lock_guard const guard{lock_};
        sets_[set->nonce] = set;
    }
    try {
        auto const plain = without_tls();
        RawClient client{gateway_.port("plain"), plain};
        if (fault.on_kept_connection)
            if (auto problem = ask_well(client); !problem.empty()) problems.push_back(problem);
        client.try_send(request_text(fault.asks, set->nonce));
        bool const goes_on = check_outcome(client, fault, set->nonce, problems);
        set->client_has_answer.set();
        if (!fault.later.empty()) set->later_is_sent.wait();
        // What follows must not notice.
        if (goes_on)
            if (auto problem = ask_well(client); !problem.empty()) problems.push_back(problem);
        RawClient other{gateway_.port("plain"), plain};
        if (auto problem = ask_well(other); !problem.empty()) problems.push_back(problem);
        if (set->upstream_is_done.wait() != Waited::happened)
            problems.emplace_back("the upstream's connection is still open");
    } catch (std::exception const& error) {
        problems.emplace_back(error.what());
    }
    std::lock_guard const guard{lock_};
    if (set->asked != fault.asked)
        problems.push_back("the upstream was asked " + std::to_string(set->asked) + " times");
    problems.insert(problems.end(), problems_.begin(), problems_.end());
    problems_.clear();
    // What the gateway thinks of it.
    if (!problems.empty())
        for (auto const& line : gateway_.log())
            if (line.text("path").find(set->nonce) != std::string::npos)
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
