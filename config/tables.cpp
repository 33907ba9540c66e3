// The tables of both files, with what the authenticators add to them.
#include "config/tables.h"

#include <utility>

namespace sallyport::config {

Tables::Tables(std::vector<Authenticator const*> authenticators)
    : authenticators_{std::move(authenticators)}, api_{make_api_section(authenticators_)},
      config_{make_config_section(*api_, authenticators_)}, credential_{make_credential_section(
                                                                authenticators_)},
      credentials_{make_credentials_section(*credential_)}, discretion_{config_->info(),
                                                                        credentials_->info(),
                                                                        authenticators_} {}

} // namespace sallyport::config
