// Where requests have secrets that are not in the Authorization field.
#pragma once

#include <string>

namespace sallyport::config {

/// One of the two is empty.
struct SecretPlace {
    std::string field;     // its name, in any case
    std::string parameter; // the name of pairs of the query, unreserved characters (RFC 3986, 2.3)
};

} // namespace sallyport::config
