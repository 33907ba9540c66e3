// The tables of the program's own authenticators.
#pragma once

#include "config/tables.h"
#include "plugins/registry.h"

namespace sallyport::test {

inline config::Tables const& tables() {
    static config::Tables const tables{plugins::authenticators()};
    return tables;
}

} // namespace sallyport::test
