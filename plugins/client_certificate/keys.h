// The keys under which the credentials of certificates are found: the kind of a name, and the name.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::plugins::certificate_keys {

/// `digest`: the 32 bytes of SHA-256.
[[nodiscard]] inline std::string of_fingerprint(std::string_view digest) {
    return "f" + std::string{digest};
}
[[nodiscard]] inline std::string of_subject(std::string_view subject) {
    return "s" + std::string{subject};
}
[[nodiscard]] inline std::string of_dns(std::string_view name) {
    return "d" + std::string{name};
}
[[nodiscard]] inline std::string of_uri(std::string_view uri) {
    return "u" + std::string{uri};
}
[[nodiscard]] inline std::string of_email(std::string_view address) {
    return "e" + std::string{address};
}
/// One of the keys above, of a certificate that is shown to this listener, whose name has no colon.
[[nodiscard]] inline std::string at_listener(std::string_view listener, std::string_view key) {
    return "@" + std::string{listener} + ':' + std::string{key};
}

} // namespace sallyport::plugins::certificate_keys
