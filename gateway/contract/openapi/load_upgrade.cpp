// x-upgrade: operations that open a WebSocket.
#include "gateway/contract/openapi/load.h"

#include "config/text.h"
#include "gateway/text/origin.h"

#include <algorithm>
#include <string>

namespace sallyport::contract {

namespace yaml = config::yaml;

namespace {

constexpr std::size_t most_origins = 256;
constexpr std::string_view how_to_write =
    "write websocket, or {protocol: websocket, origins: [https://app.example.com]}";

constexpr std::string_view text_of(text::OriginFault fault) noexcept {
    switch (fault) {
    case text::OriginFault::none: break;
    case text::OriginFault::malformed: return "is not an origin";
    case text::OriginFault::has_path: return "has a path, which an origin never has";
    case text::OriginFault::bad_port: return "has no valid port";
    case text::OriginFault::default_port:
        return "has the port of its scheme, which browsers do not send";
    }
    return {};
}

} // namespace

void Loader::read_upgrade(Operation& operation, Node const& node, std::string const& path) {
    Node const* const value = node.find("x-upgrade");
    if (value == nullptr) return warn_of_switching(operation, node, path);
    auto const at = yaml::join_key(path, "x-upgrade");
    auto upgrade = read_upgrade_value(*value, at);
    // RFC 6455, 4.1: a GET. A body would stand in front of the frames.
    if (operation.method != "GET") {
        error(*value, at, "has no effect on " + operation.method, "a WebSocket is opened with GET");
    } else if (operation.request_body) {
        error(*value, at, "does not go with a requestBody: a WebSocket is opened without a body");
    } else if (upgrade) {
        operation.upgrade = std::make_shared<Upgrade const>(std::move(*upgrade));
    }
}

std::optional<Upgrade> Loader::read_upgrade_value(Node const& value, std::string const& path) {
    Node const* protocol = &value;
    auto at = path;
    if (value.is_mapping()) {
        Keys const keys{"x-upgrade", {"protocol", "origins"}, {}, {}, Others::refused};
        if (!check_keys(value, path, keys)) return std::nullopt;
        protocol = value.find("protocol");
        if (protocol == nullptr) {
            error(value, path, "has no protocol", std::string{how_to_write});
            return std::nullopt;
        }
        at = yaml::join_key(path, "protocol");
    }
    if (protocol->text() != "websocket") {
        error(*protocol, at, "must be websocket: no other protocol is known",
              std::string{how_to_write});
        return std::nullopt;
    }
    Upgrade upgrade;
    if (Node const* const origins = value.find("origins"))
        read_origins(upgrade, *origins, yaml::join_key(path, "origins"));
    return upgrade;
}

// Not `*`: a browser sends a user's own credentials with the handshake of any page, and no CORS
// stands between (RFC 6455, 10.2).
void Loader::read_origins(Upgrade& upgrade, Node const& value, std::string const& path) {
    if (!value.is_sequence() || value.items().empty() || value.items().size() > most_origins)
        return error(value, path, "must be a list of 1 to 256 origins",
                     "without origins no web page may open a WebSocket");
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        Node const& item = value.items()[i];
        auto const at = yaml::join_index(path, i);
        auto const origin = item.text();
        if (origin == "*") {
            error(item, at, "would let every web page use the credentials that browsers keep",
                  "write the origins of your own pages");
            continue;
        }
        auto const problem = text_of(text::judge_origin(origin));
        if (!item.is_string() || !problem.empty()) {
            error(item, at, std::string{problem.empty() ? "is not an origin" : problem},
                  "write it as browsers send it, as in https://app.example.com");
        } else {
            upgrade.origins.emplace_back(origin);
        }
    }
}

void Loader::warn_of_switching(Operation const& operation, Node const& node,
                               std::string const& path) {
    constexpr unsigned switching = 101;
    bool const is_declared = std::any_of(
        operation.responses.begin(), operation.responses.end(),
        [](Response const& one) { return one.first == switching && one.last == switching; });
    if (!is_declared) return;
    auto const key = std::to_string(switching);
    Node const* const responses = node.find("responses");
    warn(*responses->find(key), yaml::join_key(yaml::join_key(path, "responses"), key),
         "never passes: Upgrade is not passed on",
         "x-upgrade: websocket marks an operation that opens a WebSocket");
}

} // namespace sallyport::contract
