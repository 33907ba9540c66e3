// An overlay with which a document loads: removes what the gateway cannot load.
#pragma once

#include "gateway/contract/contract.h"

#include <functional>
#include <string>

namespace sallyport::contract {

/// What else is wrong with a contract that loads: errors with their places in the document.
using JudgeContract = std::function<config::yaml::Problems(Contract const&)>;

/// The text of an overlay (Overlay 1.0) with which the document of `file` loads, and `judge` finds
/// no error; it was tried. It removes the places of errors, so that their rules are not checked:
/// the same one at many places by one action. Empty: there is none without removing an operation,
/// or an error is in another file.
[[nodiscard]] std::string propose_overlay(std::string const& file, LoadOptions const& options,
                                          JudgeContract const& judge);

} // namespace sallyport::contract
