// The metrics of each operation.
#pragma once

#include "gateway/admin/metric_family.h"

namespace sallyport::admin {

void add_operations(Families& families, Totals const& totals);

} // namespace sallyport::admin
