// A caller and its permissions: the same for every way of authentication.
#pragma once

#include "gateway/contract/labels.h"
#include "gateway/pipeline/caller.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

/// A value that a restriction allows: compared after one percent-decoding, a uuid
/// case-insensitively.
class AllowedValue {
public:
    explicit AllowedValue(std::string value);

    /// `decoded`: a path parameter after one percent-decoding.
    [[nodiscard]] bool matches(std::string_view decoded) const;

private:
    std::string value_; // of a uuid: in lower case
    bool is_uuid_;
};

/// A path parameter that must have one of these values.
struct Restriction {
    std::string parameter;
    std::vector<AllowedValue> values;
};

/// The permissions of a caller at one API.
struct Permissions {
    enum class Scope : std::uint8_t { nothing, everything, listed_operations };

    Scope scope = Scope::nothing;
    std::vector<bool> operations; // by contract::Operation::index, for listed_operations
    std::vector<Restriction> restrictions;
    contract::Conditions conditions; // the contract's x-when rules that apply to this caller
};

/// A caller. Immutable. It outlives the exchanges that refer to it.
struct Identity {
    std::string name; // in the access log
    contract::Labels labels;
    std::vector<Permissions> permissions; // by Api::index
    CallerKey key = 0;                    // of its name
};

} // namespace sallyport::pipeline
