#include "planner/app/guarded.h"

#include <cstdio>
#include <exception>

#include "planner/app/exit_codes.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

int guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kWrongInput;
  } catch (const CommandFailure& failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
    return failure.code();
  } catch (const FileError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n  this is a mistake of dfsim, not of its input\n", error.what());
    return kFailed;
  }
}

}  // namespace dfsim
