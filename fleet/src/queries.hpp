// The queries of fleet/sql, as they stand there.
#pragma once

namespace snapscope {

extern const char* const trend_sql;
extern const char* const outliers_sql;

} // namespace snapscope
