// Compiles the code of Boost.Asio and Boost.Beast once for the whole program.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
#pragma GCC diagnostic pop
