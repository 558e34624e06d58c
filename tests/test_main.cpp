// One entry point for every test executable. libsystemc brings a main of its own and wants a symbol sc_main,
// so both are defined here; the test cases drive the kernel themselves where they need it. Every DRAM channel
// of a test, and of a dfsim that a test starts, is watched: a command that breaks a timing constraint ends
// the run.
#include <gtest/gtest.h>

#include <cstdlib>

extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  setenv("DFSIM_DRAM_MONITOR", "1", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
