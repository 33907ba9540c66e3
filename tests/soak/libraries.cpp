// Compiles the code of Asio's TLS once; no other source of the soak may include it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <boost/asio/ssl/impl/src.hpp>
#pragma GCC diagnostic pop
