// Beast's parser as a second reader: what the policy took apart, it has to take apart alike.
#pragma once

#include "gateway/http/head.h"

namespace sallyport::http {

/// `head`: what the policy made of `bytes`. False: Beast refuses the head or reads it otherwise.
[[nodiscard]] bool beast_agrees(std::string_view bytes, RequestHead const& head);
[[nodiscard]] bool beast_agrees(std::string_view bytes, ResponseHead const& head);

} // namespace sallyport::http
