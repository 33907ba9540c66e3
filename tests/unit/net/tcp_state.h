// The kernel's information about a TCP socket.
#pragma once

namespace sallyport::net::test {

/// Bytes that the kernel has accepted and not sent yet: tcp(7), SIOCOUTQNSD.
int held_back(int tcp_socket);

/// Segments with data, after any segmentation.
unsigned segments_sent(int tcp_socket);

} // namespace sallyport::net::test
