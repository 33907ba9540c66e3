// The fields of a form as JSON, for the log.
#pragma once

#include "gateway/contract/contract.h"
#include "gateway/contract/validator.h"

#include <string>

namespace sallyport::contract {

/// Writes the fields of a form or a multipart body to `out` as one JSON object, in which every
/// value is below its name: a text is a string, several values of one name are a list, `a[b]=c` is
/// {"a":{"b":"c"}}, a text that is a JSON object or list is that. What has no names, or is no text,
/// is {"bytes":n}: a file, an object in one value (`a=b,c`), a text that only begins like JSON.
/// False: the body is malformed, and `out` has no meaning.
[[nodiscard]] bool write_fields_as_json(MediaType const& type, SentBody const& body,
                                        std::string& out);

} // namespace sallyport::contract
