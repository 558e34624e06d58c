#include "planner/app/guarded.h"

#include <exception>

#include "planner/app/exit_codes.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

int exit_code_of(const std::function<int()>& work, std::string& message) try {
  return work();
} catch (const InputError& error) {
  message = error.what();
  return kWrongInput;
} catch (const CommandFailure& failure) {
  message = std::string("error: ") + failure.what();
  return failure.code();
} catch (const FileError& error) {
  message = std::string("error: ") + error.what();
  return kFailed;
} catch (const std::exception& error) {
  message = std::string("error: ") + error.what() + "\n  this is a mistake of dfsim, not of its input";
  return kFailed;
}

}  // namespace dfsim
