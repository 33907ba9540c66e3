// The text that `sallyport status` prints for people.
#include "gateway/commands/status.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <cstdint>
#include <sstream>

namespace sallyport::commands {

namespace {

namespace json = boost::json;

// A text without its quotes.
std::string shown(json::value const& value) {
    if (auto const* const text = value.if_string()) return {text->data(), text->size()};
    return json::serialize(value);
}

std::string list(json::value const& values) {
    std::string text;
    for (auto const& value : values.as_array()) {
        if (!text.empty()) text += ", ";
        text += shown(value);
    }
    return text;
}

// "3 d 4 h", the two largest units.
std::string duration(std::int64_t seconds) {
    struct Unit {
        std::int64_t seconds;
        char const* name;
    };
    constexpr std::array<Unit, 4> units{{{86'400, " d"}, {3'600, " h"}, {60, " min"}, {1, " s"}}};
    for (std::size_t i = 0; i + 1 < units.size(); ++i) {
        if (seconds < units[i].seconds) continue;
        auto const rest = seconds % units[i].seconds / units[i + 1].seconds;
        return std::to_string(seconds / units[i].seconds) + units[i].name + " "
               + std::to_string(rest) + units[i + 1].name;
    }
    return std::to_string(seconds) + " s";
}

void put_configuration(std::ostream& out, json::value const& page) {
    auto const& configuration = page.at("configuration");
    out << "configuration  " << shown(configuration.at("file")) << ", generation "
        << shown(configuration.at("generation")) << ", loaded " << shown(configuration.at("loaded"))
        << '\n';
    auto const& last = configuration.at("last_attempt");
    if (!last.at("adopted").as_bool())
        out << "  REJECTED is what is on disk, tried " << shown(last.at("time")) << ":\n";
    for (auto const& problem : last.at("problems").as_array())
        out << "    " << shown(problem) << '\n';
}

void put_listeners(std::ostream& out, json::value const& page) {
    out << "listeners\n";
    for (auto const& listener : page.at("listeners").as_array()) {
        out << "  " << shown(listener.at("name")) << "  " << shown(listener.at("address")) << '\n';
        auto const* const certificates = listener.as_object().if_contains("certificates");
        if (certificates == nullptr) continue;
        for (auto const& certificate : certificates->as_array()) {
            out << "    " << shown(certificate.at("subject")) << " until "
                << shown(certificate.at("expires")) << '\n';
        }
    }
}

void put_apis(std::ostream& out, json::value const& page) {
    out << "APIs\n";
    for (auto const& api : page.at("apis").as_array()) {
        out << "  " << shown(api.at("name")) << " -> " << shown(api.at("upstream")) << " ("
            << list(api.at("authenticate")) << ", " << shown(api.at("level")) << "): ";
        char const* separator = "";
        for (auto const& [reason, count] : api.at("requests").as_object()) {
            out << separator << shown(count) << ' '
                << std::string_view{reason.data(), reason.size()};
            separator = ", ";
        }
        out << '\n';
        auto const* const places = api.as_object().if_contains("unchecked_places");
        if (places != nullptr && !places->is_null() && places->to_number<std::uint64_t>() != 0)
            out << "    " << shown(*places) << " places of the contract are unchecked\n";
    }
}

void put_endpoint(std::ostream& out, json::value const& endpoint) {
    auto const& state = endpoint.at("state").as_string();
    out << "    " << shown(endpoint.at("endpoint")) << "  ";
    if (endpoint.at("since").is_null()) {
        out << "not tried yet";
    } else {
        out << (state == "down" ? "DOWN" : std::string_view{state.data(), state.size()})
            << " since " << shown(endpoint.at("since"));
    }
    out << ", " << shown(endpoint.at("connections")) << " open, " << shown(endpoint.at("failures"))
        << " of " << shown(endpoint.at("attempts")) << " attempts failed";
    if (auto const* const last = endpoint.at("last_error").if_object())
        out << ", the last one " << shown(last->at("time")) << ": " << shown(last->at("error"));
    out << '\n';
}

void put_upstreams(std::ostream& out, json::value const& page) {
    out << "upstreams\n";
    for (auto const& upstream : page.at("upstreams").as_array()) {
        auto const& connections = upstream.at("connections");
        out << "  " << shown(upstream.at("name")) << ": " << shown(connections.at("active"))
            << " active, " << shown(connections.at("idle")) << " idle, "
            << shown(connections.at("waiting")) << " waiting; " << shown(connections.at("failures"))
            << " failed\n";
        for (auto const& endpoint : upstream.at("endpoints").as_array())
            put_endpoint(out, endpoint);
    }
}

void put_rest(std::ostream& out, json::value const& page) {
    auto const& credentials = page.at("credentials");
    out << "credentials    " << shown(credentials.at("count")) << '\n';
    for (auto const& credential : credentials.at("expiring").as_array()) {
        out << "  " << shown(credential.at("name"))
            << (credential.at("expired").as_bool() ? "  EXPIRED " : "  until ")
            << shown(credential.at("expires")) << '\n';
    }
    for (auto const& credential : credentials.at("rotating").as_array()) {
        auto const& times = credential.at("last_use").as_array();
        auto const time = [](json::value const& one) {
            return one.is_null() ? std::string{"not used yet"} : "last used " + shown(one);
        };
        out << "  " << shown(credential.at("name")) << "  ROTATING: the older secret "
            << time(times.at(0)) << ", the newer " << time(times.at(1)) << '\n';
    }
    auto const& connections = page.at("connections");
    out << "connections    " << shown(connections.at("open")) << " of "
        << shown(connections.at("limit")) << ", " << shown(connections.at("refused"))
        << " refused\n";
    auto const& log = page.at("access_log");
    out << "access log     " << shown(log.at("output")) << ", " << shown(log.at("dropped_lines"))
        << " lines lost";
    char const* separator = ": ";
    for (auto const& [why, lines] : log.at("dropped").as_object()) {
        if (lines.to_number<std::uint64_t>() == 0) continue;
        out << separator << shown(lines) << ' ' << std::string_view{why.data(), why.size()};
        separator = ", ";
    }
    out << '\n';
    if (log.at("losing_lines").as_bool()) out << "  LINES ARE BEING LOST\n";
    if (!log.at("error").is_null())
        out << "  CANNOT BE WRITTEN: " << shown(log.at("error")) << '\n';
}

} // namespace

std::string status_text(std::string_view text) {
    auto const page = json::parse({text.data(), text.size()});
    std::ostringstream out;
    out << "sallyport " << shown(page.at("version")) << ": " << shown(page.at("state")) << ", up "
        << duration(page.at("uptime_seconds").to_number<std::int64_t>()) << " (pid "
        << shown(page.at("pid")) << ", " << shown(page.at("workers")) << " workers)\n";
    put_configuration(out, page);
    put_listeners(out, page);
    put_apis(out, page);
    put_upstreams(out, page);
    put_rest(out, page);
    return out.str();
}

} // namespace sallyport::commands
