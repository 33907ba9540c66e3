// The headers that every file of these tests needs, parsed once.
#pragma once

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>
