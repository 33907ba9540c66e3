// The two services: one request in, one response out, with the database between them.
#pragma once

#include "deploy/sandbox/credentials.h"
#include "deploy/sandbox/database.h"
#include "deploy/sandbox/message.h"

namespace sallyport::sandbox {

/// The response to any request, by its credential, path and method, and body. A full database or a
/// query that takes too long has a response too; other DatabaseErrors are thrown.
Reply respond(Database& database, Credentials const& credentials, Request const& request);

} // namespace sallyport::sandbox
