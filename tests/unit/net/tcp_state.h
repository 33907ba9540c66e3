// What the kernel says of a TCP socket.
#pragma once

namespace sallyport::net::test {

// Bytes that the kernel has taken and not sent yet: tcp(7), SIOCOUTQNSD.
int held_back(int tcp_socket);

// Segments with data, however often they were cut on their way.
unsigned segments_sent(int tcp_socket);

} // namespace sallyport::net::test
