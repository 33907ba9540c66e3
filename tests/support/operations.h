// Requests of tests: text built line by line, and the ten operations of the two shipped contracts
// with valid bodies.
#pragma once

#include "tests/support/message.h"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::test {

/// A request text with exactly the given parts; each call changes it and returns it.
class Outgoing {
public:
    explicit Outgoing(std::string_view method, std::string_view target);

    Outgoing& add(std::string_view name, std::string_view value); // after all others
    Outgoing& set(std::string_view name, std::string_view value); // replaces all of that name
    Outgoing& without(std::string_view name);
    Outgoing& authorization(std::string_view value) { return set("Authorization", value); }
    Outgoing& target(std::string_view target);
    Outgoing& method(std::string_view method);
    /// With Content-Type and Content-Length.
    Outgoing& body(std::string_view body, std::string_view media_type = "application/json");
    /// With Content-Type and Transfer-Encoding, in chunks of `chunk` bytes.
    Outgoing& chunked_body(std::string_view body, std::size_t chunk);
    /// Adds these bytes after the head, without a field for them.
    Outgoing& bytes(std::string_view bytes);

    [[nodiscard]] std::string head() const;
    [[nodiscard]] std::string text() const { return head() + body_; }

private:
    std::string method_;
    std::string target_;
    Fields fields_; // begins with Host: localhost
    std::string body_;
};

struct Operation {
    std::string api;
    std::string id;
    std::string method;
    std::string target;
    std::string body; // a valid one; empty: the operation has none
};

std::vector<Operation> const& all_operations();
Operation const& operation(std::string_view id); // by operationId; throws if it is unknown

/// A valid request of an operation with the credentials of the caller with all permissions.
Outgoing request_for(std::string_view operation_id);
Outgoing request_for(Operation const& operation);

} // namespace sallyport::test
