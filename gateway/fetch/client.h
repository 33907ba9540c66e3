// How the gateway proves who it is to an authorization server: as a client of OAuth 2.0.
#pragma once

#include "config/types.h"

#include <string>
#include <string_view>

namespace sallyport::fetch {

/// Appends a name or value of an application/x-www-form-urlencoded body, which has every byte but
/// letters, digits and `-._` escaped.
void append_form_value(std::string& to, std::string_view text);

/// The value of Authorization with which a client authenticates by Basic: id and secret are written
/// as in a form first (RFC 6749, 2.3.1). Empty: they are too long for a field.
[[nodiscard]] config::Secret client_authorization(std::string_view id, std::string_view secret);

} // namespace sallyport::fetch
