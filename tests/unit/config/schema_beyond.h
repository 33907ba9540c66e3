// What the gateway refuses and a schema cannot: the one list of it.
#pragma once

#include "config/yaml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::config::test {

enum class Beyond : std::uint8_t {
    duplicates, // things that must differ in a part
    other_keys, // the value of one key has to fit another
    other_file, // the other file has to have the same
    addresses,  // which addresses are this machine's, or nowhere
    parameters, // of a hash, which is one text
    references, // what `${...}` stands for
    pointers,   // a `~` matters only behind a slash in front, which takes looking back
};

struct BeyondRow {
    std::string_view words; // in the message
    Beyond why;
};

inline constexpr std::array beyond_rows{
    BeyondRow{"the name \"", Beyond::duplicates},
    BeyondRow{"has this address too", Beyond::duplicates},
    BeyondRow{"this rule is given twice", Beyond::duplicates},
    BeyondRow{"the field is named twice", Beyond::duplicates},
    BeyondRow{"the network is given twice", Beyond::duplicates},
    BeyondRow{"has the port of its scheme", Beyond::duplicates},
    BeyondRow{"no other beside it would count", Beyond::duplicates},
    BeyondRow{"has bits behind its length", Beyond::duplicates},
    BeyondRow{"its path is not that of the first endpoint", Beyond::duplicates},
    BeyondRow{"algorithms[1]: is given twice", Beyond::duplicates}, // Ed25519 and EdDSA: one by two names
    BeyondRow{"has this path too", Beyond::duplicates},
    BeyondRow{" has this key id too", Beyond::duplicates},
    BeyondRow{"has this token too", Beyond::duplicates},
    BeyondRow{"has this key too", Beyond::duplicates},
    BeyondRow{"has this name or fingerprint too", Beyond::duplicates},
    BeyondRow{"no certificate is asked for: verify is", Beyond::other_keys},
    BeyondRow{"no certificate could be verified", Beyond::other_keys},
    BeyondRow{"no proxy is trusted to send", Beyond::other_keys},
    BeyondRow{"needs to know who may send", Beyond::other_keys},
    BeyondRow{"no endpoint speaks TLS", Beyond::other_keys},
    BeyondRow{"no upstream is called", Beyond::other_keys},
    BeyondRow{"a WebSocket is opened with GET", Beyond::other_keys},
    BeyondRow{"no path of the API opens a WebSocket", Beyond::other_keys},
    BeyondRow{"a rule pointer is for a level", Beyond::other_keys},
    BeyondRow{"the API does not take", Beyond::other_keys},
    BeyondRow{"asks for the same as another", Beyond::duplicates},
    BeyondRow{" is enough; remove one of them", Beyond::other_keys},
    BeyondRow{" has an identity of ", Beyond::other_keys},
    BeyondRow{"is missing, and the API", Beyond::other_keys},
    BeyondRow{"has no effect: `authenticate`", Beyond::other_keys},
    BeyondRow{"is missing: `authenticate` names it", Beyond::other_keys},
    BeyondRow{"the credential would never be valid", Beyond::other_keys},
    BeyondRow{"no role is called", Beyond::other_keys},
    BeyondRow{"none of its roles has", Beyond::other_keys},
    BeyondRow{"the credential has no label", Beyond::other_keys},
    BeyondRow{"the label \"", Beyond::other_keys},
    BeyondRow{"the key comes from a file", Beyond::other_keys},
    BeyondRow{"does not fit into buffered_bodies", Beyond::other_keys},
    BeyondRow{"is longer than longest_block", Beyond::other_keys},
    BeyondRow{"is not a loopback address", Beyond::other_keys},
    BeyondRow{"the listener speaks TLS", Beyond::other_keys},
    BeyondRow{"h2 is selected within TLS", Beyond::other_keys},
    BeyondRow{"clients without ALPN speak http/1.1", Beyond::other_keys},
    BeyondRow{"every page could act", Beyond::other_keys},
    BeyondRow{"every page can have", Beyond::other_keys},
    BeyondRow{"browsers take \"*\" for a name", Beyond::other_keys},
    BeyondRow{"no API is called", Beyond::other_file},
    BeyondRow{"is no pointer", Beyond::pointers},
    BeyondRow{"is for keys that are fetched", Beyond::other_keys},
    BeyondRow{"is for on_failure: allow_cached", Beyond::other_keys},
    BeyondRow{"`keep` is less than `refresh`", Beyond::other_keys},
    BeyondRow{"HS256 needs a secret", Beyond::other_keys},
    BeyondRow{"is not on this machine", Beyond::addresses},
    BeyondRow{"is an address that nothing is sent to", Beyond::addresses},
    BeyondRow{"a hash of argon2id with", Beyond::parameters},
    BeyondRow{"a hash of bcrypt with", Beyond::parameters},
    BeyondRow{"token: not a bearer token", Beyond::references},
    BeyondRow{"the value of \"${", Beyond::references},
};

// The row of a problem; none: a schema can express it.
inline BeyondRow const* beyond_row(yaml::Problem const& problem) {
    std::string const text = yaml::describe(problem);
    for (BeyondRow const& row : beyond_rows) {
        if (text.find(row.words) != std::string::npos) return &row;
    }
    return nullptr;
}

// What a schema has to decide about a document: it refuses none that is valid.
enum class Duty : std::uint8_t { accept, refuse, none };

inline Duty duty_of(yaml::Problems const& problems) {
    for (auto const& problem : problems) {
        if (problem.severity == yaml::Severity::error && beyond_row(problem) == nullptr)
            return Duty::refuse;
    }
    if (yaml::has_errors(problems)) return Duty::none;
    // Nothing behind a key is read, with a warning: what an editor says of it is left to the schema.
    auto const is_left = [](auto const& problem) {
        return yaml::describe(problem).find("if that is not meant") != std::string::npos;
    };
    return std::any_of(problems.begin(), problems.end(), is_left) ? Duty::none : Duty::accept;
}

} // namespace sallyport::config::test
