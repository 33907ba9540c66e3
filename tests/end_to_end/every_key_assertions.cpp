// Every key of the assertions of APIs and upstreams, with its effect.
#include "tests/end_to_end/every_key.h"

#include "tests/support/encodings.h"

#include <algorithm>

namespace sallyport::test {

namespace {

using Put = std::function<void(Setup&, World&, std::string const&)>;
using Probe = std::function<std::string(World&)>;

// The next token that the upstream gets, in a field of that name.
std::string next_token(World& world, std::string const& field) {
    auto const before = world.up.requests().size();
    world.send(world.get());
    return world.up.request(before).fields.find(field).value_or("");
}

Probe claim(std::string const& name) {
    return [name](World& world) {
        auto const token = next_token(world, "X-Sallyport-Assertion");
        auto const begin = token.find('.') + 1;
        auto const claims =
            Json::parse(base64url_decoded(token.substr(begin, token.find('.', begin) - begin)));
        if (name != "exp") return claims.text(name);
        return std::to_string(static_cast<int>(claims["exp"].number - claims["iat"].number));
    };
}

std::string key_id(World& world) {
    auto const token = next_token(world, "X-Sallyport-Assertion");
    return token.substr(0, token.find('.'));
}

// Whether another key signs soon.
std::string whether_it_rotates(World& world) {
    auto const first = key_id(world);
    TimeLimit const soon{std::chrono::milliseconds{2500}};
    while (!soon.has_passed())
        if (key_id(world) != first) return "rotates";
    return "stays";
}

// At the upstream, or at the API.
void add_rows(std::vector<Row>& rows, std::string const& section,
              std::function<Put(std::string const& begin, std::string const& end)> const& put) {
    auto const in = [&](std::string const& begin, std::string const& end = {}) {
        return put("identity: { assertion: { " + begin, end + " } }");
    };
    std::string const named = "issuer: gateway, audience: things, ";
    auto const& made = certificates();
    auto const key = [&section](std::string const& name) {
        return section + ".identity.assertion." + name;
    };
    rows.push_back({key("header"),
                    {"X-Own", "X-Other"},
                    {"there", "missing"},
                    in(named + "header: "),
                    [](World& world) {
                        return std::string{next_token(world, "X-Own").empty() ? "missing"
                                                                              : "there"};
                    }});
    rows.push_back({key("issuer"),
                    {"one", "two"},
                    {"one", "two"},
                    in("audience: things, issuer: "),
                    claim("iss")});
    rows.push_back({key("audience"),
                    {"one", "two"},
                    {"one", "two"},
                    in("issuer: gateway, audience: "),
                    claim("aud")});
    rows.push_back(
        {key("lifetime"), {"30s", "2m"}, {"30", "120"}, in(named + "lifetime: "), claim("exp")});
    rows.push_back({key("key"),
                    {made.server.private_key.string(), made.rsa.private_key.string()},
                    {"caller", "does not start"}, // RSA
                    in(named + "key: "),
                    claim("sub")});
    rows.push_back({key("rotate_every"),
                    {"1s", "1h"},
                    {"rotates", "stays"},
                    in(named + "publish_ahead: 0ms, rotate_every: "),
                    whether_it_rotates});
    rows.push_back({key("publish_ahead"),
                    {"0ms", "1h"},
                    {"rotates", "stays"},
                    in(named + "rotate_every: 1s, publish_ahead: "),
                    whether_it_rotates});
}

} // namespace

std::vector<Row> rows_of_assertions() {
    std::vector<Row> rows;
    add_rows(rows, "upstreams.NAME", [](std::string const& begin, std::string const& end) -> Put {
        return [begin, end](Setup& setup, World& world, std::string const& value) {
            setup.configuration.upstreams =
                upstream_yaml("up", world.up.endpoint(), begin + value + end);
        };
    });
    add_rows(rows, "apis.NAME", [](std::string const& begin, std::string const& end) -> Put {
        return [begin, end](Setup& setup, World&, std::string const& value) {
            setup.configuration.apis = things_api(begin + value + end);
        };
    });
    return rows;
}

} // namespace sallyport::test
