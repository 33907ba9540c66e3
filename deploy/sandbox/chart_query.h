// A chart request as one SQL query.
#pragma once

#include "deploy/sandbox/chart_request.h"

namespace sallyport::sandbox {

/// Its rows, in ascending order of bucket and group: the start of the bucket in milliseconds, the
/// values of the group as a JSON array of strings, then a number for each series (for a ratio:
/// one). Without groups there is a row for every bucket of the range; a bucket that a series has
/// nothing in counts 0. A ratio has no row where its second series is 0. At most most_chart_rows +
/// 1 rows.
Sql make_chart_query(ChartRequest const& request);

} // namespace sallyport::sandbox
