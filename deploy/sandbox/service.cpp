// Finds the operation and hands the request to the service that has it.
#include "deploy/sandbox/service.h"

#include "deploy/sandbox/reply.h"

namespace sallyport::sandbox {

Reply answer(Store& store, Request const& request) {
    Api const api = api_of(request.target);
    auto const found = find_route(request.method, request.target);
    if (auto const* const wrong = std::get_if<WrongMethod>(&found)) {
        Reply reply = error_reply(api, 405, "the path does not take this method");
        reply.fields.emplace_back("Allow", wrong->allow);
        return reply;
    }
    auto const* const route = std::get_if<Route>(&found);
    if (route == nullptr) return error_reply(api, 404, "there is nothing here");
    return api == Api::management ? answer_management(store, *route, request.body)
                                  : answer_observability(store, *route, request.body);
}

} // namespace sallyport::sandbox
