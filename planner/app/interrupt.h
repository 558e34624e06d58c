// planner/app/interrupt.h: the first Ctrl-C asks the search to stop and keep its best plan; the second ends
// the process.
#pragma once

namespace dfsim {

/// From now on the first SIGINT or SIGTERM is remembered; a second one ends the process as the system does by
/// default.
void catch_interrupts();
bool interrupted();

}  // namespace dfsim
