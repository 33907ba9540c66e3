// The two services: one request in, one answer out, with the database between them.
#pragma once

#include "deploy/sandbox/credentials.h"
#include "deploy/sandbox/database.h"
#include "deploy/sandbox/message.h"

namespace sallyport::sandbox {

// Answers any request: its credential, its path and method, its body. What the database cannot do
// for lack of room or time is an answer too; other DatabaseErrors are thrown.
Reply answer(Database& database, Credentials const& credentials, Request const& request);

} // namespace sallyport::sandbox
