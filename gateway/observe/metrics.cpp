// The counters and histograms of a worker.
#include "gateway/observe/metrics.h"

namespace sallyport::observe {

OperationMetrics& WorkerMetrics::operation(std::string_view api, std::string_view operation) {
    // Names of APIs contain no slash: configuration, `check_name`.
    std::string name;
    name.append(api).append(1, '/').append(operation);
    auto const [found, is_new] = operations_by_name_.try_emplace(std::move(name), nullptr);
    if (is_new) found->second = &operations_.add(api, operation);
    return *found->second;
}

UpstreamMetrics& WorkerMetrics::upstream(std::string_view upstream) {
    auto const [found, is_new] = upstreams_by_name_.try_emplace(std::string{upstream}, nullptr);
    if (is_new) found->second = &upstreams_.add(upstream);
    return *found->second;
}

EndpointMetrics& UpstreamMetrics::endpoint(std::string_view endpoint) {
    auto const [found, is_new] = endpoints_by_text_.try_emplace(std::string{endpoint}, nullptr);
    if (is_new) found->second = &endpoints_.add(endpoint);
    return *found->second;
}

OperationIndex::Entry& OperationIndex::at(std::size_t api, std::size_t operation) {
    if (api >= found_.size()) found_.resize(api + 1);
    auto& operations = found_[api];
    if (operation >= operations.size()) operations.resize(operation + 1);
    return operations[operation];
}

} // namespace sallyport::observe
