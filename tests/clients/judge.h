// Compares the result of a case with the expected one, at the client and at the upstream.
#pragma once

#include "tests/clients/corpus.h"
#include "tests/clients/stage.h"

#include <map>
#include <string>
#include <vector>

namespace sallyport::test {

/// The response that a client received.
struct ClientResponse {
    int status = 0;
    Fields fields;
    std::string body;
};

/// One for each stage; CHECKs with Catch2.
class Judge {
public:
    explicit Judge(ClientStage& stage) : stage_(stage) {}

    /// Called after each response, with the request that the client really sent: reads the record.
    void judge(Case const& one, Request const& sent, ClientResponse const& response);
    /// Called after the responses to a group of passing cases, sent one after the other.
    void judge_group(std::vector<Case> const& cases, std::vector<Request> const& sent,
                     std::vector<ClientResponse> const& responses);
    /// Called at the end: nothing more reached the upstream, no secret of a caller ever did, each
    /// line of the log has the reason, and the gateway ends in order.
    void finish();

private:
    void judge_response(Case const& one, std::string const& method, ClientResponse const& response);
    void judge_arrival(Case const& one, Request const& sent, ClientResponse const& response,
                       Recorded const& arrived);

    ClientStage& stage_;
    std::map<std::string, std::string> reasons_; // by request id
};

} // namespace sallyport::test
