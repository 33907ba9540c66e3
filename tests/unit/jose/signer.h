// An issuer of the tests by the algorithms of the product.
#pragma once

#include "gateway/jose/algorithm.h"
#include "tests/support/token_signer.h"

#include <string>
#include <utility>

namespace sallyport::jose::test {

using sallyport::test::encode_base64url;
using sallyport::test::key_set;

class Signer : public sallyport::test::TokenSigner {
public:
    explicit Signer(Algorithm algorithm, std::string kid = "k1", unsigned bits = 2048)
        : TokenSigner{to_string(algorithm), std::move(kid), bits}, algorithm_{algorithm} {}

    [[nodiscard]] Algorithm algorithm() const { return algorithm_; }

private:
    Algorithm algorithm_;
};

} // namespace sallyport::jose::test
