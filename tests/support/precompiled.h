// The headers that nearly every file of the tests needs, parsed once for unit tests and once for
// programs that only drive the product.
#pragma once

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
