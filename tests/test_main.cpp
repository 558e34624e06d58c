// One entry point for every test executable. libsystemc brings a main of its own and wants a symbol sc_main,
// so both are defined here; the test cases drive the kernel themselves where they need it.
#include <gtest/gtest.h>

extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
