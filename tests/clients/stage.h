// The real gateway over TLS, in front of the real sandbox with its recorder.
#pragma once

#include "tests/clients/record.h"
#include "tests/support/gateway.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <memory>
#include <string>

namespace sallyport::test {

/// `sallyport-sandbox` (SALLYPORT_SANDBOX of the environment) on a port of its own, with example
/// data in memory. Throws with its output if it does not start.
class Sandbox {
public:
    Sandbox();

    [[nodiscard]] std::string authority() const; // 127.0.0.1:PORT
    Record& record() { return record_; }

private:
    TemporaryFolder folder_;
    Record record_;
    std::unique_ptr<Process> process_;
};

/// The gateway replaces the credentials of its callers by these, which the sandbox accepts.
std::string sandbox_basic();  // Authorization of the management API
std::string sandbox_bearer(); // of the observability API

/// Which version of HTTP the clients of a stage speak.
enum class ClientVersion : bool { http_1_1, http_2 };

struct ClientStage {
    explicit ClientStage(ClientVersion its_version = ClientVersion::http_1_1);

    Sandbox sandbox;
    ClientVersion version;
    Gateway gateway;

    [[nodiscard]] std::uint16_t port() const { return gateway.port(); }
};

} // namespace sallyport::test
