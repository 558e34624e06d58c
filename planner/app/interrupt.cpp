#include "planner/app/interrupt.h"

#include <csignal>

namespace dfsim {

namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t g_interrupted = 0;

void remember(int) { g_interrupted = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

}  // namespace dfsim
