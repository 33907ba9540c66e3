// Fuzzes key sets, of a file and fetched: each is used, or refused with sentences, and a key that
// is used verifies no signature that nobody has made.
#include "check.h"

#include "gateway/jose/key_set.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace {

using namespace sallyport::jose;
using sallyport::fuzz::check;
using sallyport::fuzz::Copy;
using sallyport::fuzz::view_of;

constexpr std::array algorithms{Algorithm::rs256, Algorithm::es256, Algorithm::es384,
                                Algorithm::eddsa, Algorithm::hs256};

// The sentences of messages: they have no place for anything of the input.
bool is_sentence(std::string_view message) {
    return !message.empty() && message.size() < 100
           && std::all_of(message.begin(), message.end(),
                          [](char c) { return c >= ' ' && c <= '~'; });
}

// A file may have lost its last key; then it verifies nothing.
bool is_emptied_file(ReadKeySet const& read, KeySetOrigin origin) {
    return origin == KeySetOrigin::file && read.keys != nullptr && read.keys->all().empty();
}

void check_set(ReadKeySet const& read, KeySetOrigin origin) {
    check((read.keys == nullptr) == !read.problems.empty(), "a set is used, or has problems");
    for (auto const* const list : {&read.problems, &read.ignored, &read.not_understood}) {
        for (auto const& message : *list)
            check(is_sentence(message), "a message is a sentence");
    }
    if (read.keys == nullptr) return;
    auto const& keys = read.keys->all();
    check(is_emptied_file(read, origin) || !keys.empty(), "a set has keys");
    check(keys.size() <= most_keys, "within the limit");
    for (auto const& key : keys) {
        auto const algorithm = key.algorithm();
        check(std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end(),
              "a key is of one of the algorithms");
        auto const parts = algorithm == Algorithm::es384 ? 96UL : 64UL;
        auto const length = algorithm == Algorithm::rs256   ? 256UL
                            : algorithm == Algorithm::hs256 ? 32UL
                                                            : parts;
        check(!key.verifies("a", {}), "no signature is none");
        check(!key.verifies("a", std::string(length, '\0')), "zeros are no signature");
        check(!key.verifies("a", std::string(length, '\x01')), "bytes are no signature");
        auto const found = read.keys->find(algorithm, key.kid());
        check(key.kid().empty() || (found.count == 1 && found.keys[0] == &key),
              "a `kid` leads to its key");
    }
}

} // namespace

namespace {

// OpenSSL looks at the modulus of an RSA key with random numbers (SP 800-56B, 6.4.2.2): that it has
// a factor such as 811 is found by chance.
bool is_file_no_less_strict(std::string_view text) {
    for (int times = 0; times < 20; ++times) {
        auto const of_file = read_key_set(text, algorithms, KeySetOrigin::file);
        auto const fetched = read_key_set(text, algorithms, KeySetOrigin::fetched);
        if (fetched.keys != nullptr || of_file.keys == nullptr) return true;
    }
    return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Copy const input{view_of(data, size)};
    auto const of_file = read_key_set(input.view(), algorithms, KeySetOrigin::file);
    auto const fetched = read_key_set(input.view(), algorithms, KeySetOrigin::fetched);
    check_set(of_file, KeySetOrigin::file);
    check_set(fetched, KeySetOrigin::fetched);
    check(fetched.keys != nullptr || of_file.keys == nullptr
              || is_emptied_file(of_file, KeySetOrigin::file)
              || is_file_no_less_strict(input.view()),
          "a file is no less strict");
    return 0;
}
