// Changes of the fields of messages, as an API configures them.
#pragma once

#include "config/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::config {

/// What a part of a field's value stands for; the list is closed.
enum class Variable : std::uint8_t {
    none,       // the part is a text
    request_id, // as in X-Request-Id
    credential, // the name of the caller's credential
    client,     // the client's address
    operation,  // the operationId of the contract
    label,      // a label of the caller's credential
};

/// A text, or a variable.
struct ValuePart {
    std::string text; // of a label: its name; of other variables: empty
    Variable variable = Variable::none;
};

struct WrittenField {
    std::string name; // a token (RFC 9110, 5.6.2)
    std::vector<ValuePart> value;
    Origin origin;
};

struct RemovedField {
    std::string name;
    Origin origin;
};

/// No name is in two of the lists, or twice in one.
struct FieldChanges {
    std::vector<WrittenField> set; // instead of what was received
    std::vector<WrittenField> add; // beside what was received
    std::vector<RemovedField> remove;
};

struct Headers {
    FieldChanges request;
    FieldChanges response;
};

} // namespace sallyport::config
