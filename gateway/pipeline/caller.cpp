// The key by which the use of shared resources is counted per caller.
#include "gateway/pipeline/caller.h"

#include "gateway/pipeline/known_callers.h"

#include <openssl/rand.h>

#include <arpa/inet.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace sallyport::pipeline {

namespace {

SipKey make_key() {
    SipKey key{};
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), sizeof key) != 1)
        throw std::runtime_error{"OpenSSL has no random numbers"};
    return key;
}

CallerKey key_of(char kind, std::string_view text) {
    static SipKey const key = make_key();
    return siphash(key, kind + std::string{text})[0];
}

} // namespace

CallerKey caller_of_credential(std::string_view name) {
    return key_of('c', name);
}

CallerKey caller_of_key_id(std::string_view key_id) {
    return key_of('i', key_id);
}

CallerKey caller_of_address(std::string_view address) {
    std::array<char, sizeof(in6_addr)> bytes{};
    constexpr std::size_t network = 8;
    if (::inet_pton(AF_INET6, std::string{address}.c_str(), bytes.data()) != 1)
        return key_of('4', address);
    return key_of('6', {bytes.data(), network});
}

} // namespace sallyport::pipeline
