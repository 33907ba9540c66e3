// Requests and responses, independent of any transport.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sallyport::sandbox {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method;
    std::string target;
    Fields fields; // in the order and spelling in which they arrived
    std::string body;
};

struct Reply {
    unsigned status = 200;
    /// Each name once, besides those that the server sets: Content-Length, Date, and Content-Type
    /// unless it is not JSON.
    Fields fields;
    std::string body;
};

} // namespace sallyport::sandbox
