// Beast's parser as a second reader: it must split a head exactly as the policy does.
#pragma once

#include "gateway/http/head.h"

namespace sallyport::http {

/// `head`: the result of the policy for `bytes`. False: Beast refuses the head or splits it
/// differently.
[[nodiscard]] bool beast_agrees(std::string_view bytes, RequestHead const& head);
/// The same for a response.
[[nodiscard]] bool beast_agrees(std::string_view bytes, ResponseHead const& head);

} // namespace sallyport::http
