// What problems may repeat of the text around secrets: nothing but where it stands.
#pragma once

#include "config/yaml.h"

namespace sallyport::config {

// A secret whose key was forgotten is a key itself, `basic: { key_id: k, SECRET }`, and its name a
// part of the path of every problem with it. From each path that leads to or through credentials
// all is cut that is no key of the tables.
void hide_secrets_in_config(yaml::Problems& problems);
// The same; only below `allow` and `labels` are names free there.
void hide_secrets_in_credentials(yaml::Problems& problems);

} // namespace sallyport::config
