// `sallyport status`: see status.h.
#include "gateway/commands/status.h"

#include "gateway/commands/admin_client.h"

#include <boost/json/parse.hpp>

#include <ostream>

namespace sallyport::commands {

namespace {

bool is_well(boost::json::value const& page) {
    return page.at("state").as_string() == "ready"
           && page.at("configuration").at("last_attempt").at("adopted").as_bool()
           && !page.at("access_log").at("losing_lines").as_bool();
}

} // namespace

int run_status(StatusOptions const& options, config::Tables const& tables, std::ostream& out,
               std::ostream& err) {
    auto const address = find_admin({options.address, options.config}, tables, err);
    if (!address) return options.config.empty() ? 2 : 1;
    bool const is_health = options.query == StatusQuery::health;
    auto const [page, problem] = get_admin_page(*address, is_health ? "/healthz" : "/status");
    if (!problem.empty()) {
        err << "the gateway does not respond at " << address->ip << " port " << address->port
            << ": " << problem << '\n';
        return 1;
    }
    if (is_health) {
        out << page;
        return 0;
    }
    try {
        out << (options.format == Format::json ? page : status_text(page));
        return is_well(boost::json::parse(page)) ? 0 : 1;
    } catch (std::exception const& exception) {
        err << "what responds there is not a gateway of this version: " << exception.what() << '\n';
        return 1;
    }
}

} // namespace sallyport::commands
