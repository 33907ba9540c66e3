// When the secrets of credentials were last used: see last_uses.h.
#include "gateway/commands/last_uses.h"

#include "gateway/commands/admin_client.h"

#include <boost/json/parse.hpp>

#include <ostream>
#include <string_view>

namespace sallyport::commands {

namespace {

namespace json = boost::json;

std::string text_of(json::value const& value) {
    auto const& text = value.as_string();
    return {text.data(), text.size()};
}

// `started` of the page is that of the process which responds.
LastUsesPage read_page(json::value const& page) {
    LastUsesPage out;
    out.since = text_of(page.at("started"));
    for (auto const& one : page.at("credentials").at("used").as_array()) {
        auto& times = out.by_name[text_of(one.at("name"))];
        for (auto const& time : one.at("last_use").as_array())
            times.push_back(time.is_null() ? std::nullopt : std::optional{text_of(time)});
    }
    return out;
}

} // namespace

std::optional<LastUsesPage> fetch_last_uses(config::Address const& address, std::ostream& err) {
    auto const [page, problem] = get_admin_page(address, "/status?last_use");
    if (!problem.empty()) {
        err << "the gateway does not respond at " << address.ip << " port " << address.port << ": "
            << problem << '\n';
        return std::nullopt;
    }
    try {
        return read_page(json::parse(page));
    } catch (std::exception const& exception) {
        err << "what responds there is not a gateway of this version: " << exception.what() << '\n';
        return std::nullopt;
    }
}

} // namespace sallyport::commands
