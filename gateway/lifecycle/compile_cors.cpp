// Compiles `cors` of an API, and checks what it says of the API's methods and fields.
#include "gateway/lifecycle/compile.h"

#include "config/text.h"
#include "gateway/pipeline/cors.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::lifecycle::compile {

namespace {

// The methods that requests of the API can have; unknown ones may pass beside them.
std::set<std::string_view> methods_of(pipeline::Api const& api) {
    std::set<std::string_view> methods{api.methods.begin(), api.methods.end()};
    if (!api.contract) return methods;
    for (auto const& operation : api.contract->operations()) {
        methods.insert(operation.method);
        if (operation.method == "GET") methods.insert("HEAD"); // RFC 9110, 9.3.2
    }
    return methods;
}

// A method that no path has would be without effect.
void check_methods(config::Cors const& from, pipeline::Api const& api, bool has_contract,
                   Problems& problems) {
    bool const is_unknown = has_contract && !api.contract; // it did not load
    if (!from.methods || is_unknown || api.forwards_unknown()) return;
    auto const known = methods_of(api);
    std::vector<std::string_view> const words{known.begin(), known.end()};
    for (std::string const& method : *from.methods) {
        if (known.contains(method)) continue;
        problems.push_back(config::problem_at(from.methods_origin,
                                              "no request of the API can have the method " + method,
                                              config::suggestion(method, words)));
    }
}

template <class Fields>
void check_fields(Fields const& fields, Problems& problems) {
    for (auto const& field : fields) {
        if (!pipeline::Cors::writes(field.name)) continue;
        problems.push_back(
            config::problem_at(field.origin,
                               "the field " + config::in_quotes(field.name)
                                   + " cannot be changed: `cors` of the API writes it",
                               "remove it"));
    }
}

} // namespace

std::unique_ptr<pipeline::Cors const> cors(config::Api const& from, pipeline::Api const& api,
                                           Problems& problems) {
    if (!from.cors) return nullptr;
    check_methods(*from.cors, api, from.contract.has_value(), problems);
    check_fields(from.headers.response.set, problems);
    check_fields(from.headers.response.add, problems);
    check_fields(from.headers.response.remove, problems);
    return std::make_unique<pipeline::Cors const>(*from.cors);
}

} // namespace sallyport::lifecycle::compile
