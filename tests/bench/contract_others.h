// Other validators over the same bodies and schemas.
#pragma once

#include "tests/bench/contract_bodies.h"

#include <cstdint>
#include <optional>

namespace sallyport::bench {

/// RapidJSON's SchemaValidator as the handler of its reader: the fastest way it has.
class RapidJson {
public:
    explicit RapidJson(Sample const& sample);
    ~RapidJson();
    RapidJson(RapidJson const&) = delete;
    RapidJson& operator=(RapidJson const&) = delete;
    [[nodiscard]] static bool is_here() noexcept;
    [[nodiscard]] bool is_valid(std::string const& body);

private:
    struct State;
    State* state_;
};

/// ajv behind JSON.parse, in node, which measures itself: nanoseconds for one body. None: there is
/// no node, or no ajv in build/ajv. `text`: the body is a string of JavaScript already, which no
/// server gets from a client; `bytes`: a Buffer, as from a socket.
enum class AjvInput : std::uint8_t { text, bytes };
[[nodiscard]] std::optional<double> measure_ajv(Sample const& sample, AjvInput input);

} // namespace sallyport::bench
