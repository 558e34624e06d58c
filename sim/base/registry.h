// sim/base/registry.h: parts that can be swapped by name. Filled before main by `Registration` objects, then
// read-only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/errors.h"

namespace dfsim {

/// All registered implementations of `Interface`, by name, with the text that `dfsim list` shows.
/// Implementations are default-constructible and stateless; `Args` are passed to the constructor.
template <class Interface, class... Args>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(Args...)>;
  struct Entry {
    std::string description;
    Factory make;
  };

  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  void add(std::string name, std::string description, Factory make) {
    if (!entries_.emplace(std::move(name), Entry{std::move(description), std::move(make)}).second)
      throw SimulationError("registered twice");
  }
  const Entry* find(const std::string& name) const {
    const auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }
  /// Throws SimulationError for an unknown name: callers check user input first.
  std::unique_ptr<Interface> make(const std::string& name, Args... args) const {
    const Entry* entry = find(name);
    if (!entry) throw SimulationError("nothing registered under the name '" + name + "'");
    return entry->make(args...);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, entry] : entries_) result.push_back(name);
    return result;
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

/// Puts `Implementation` into the registry of `Interface`; define one as a constant at the end of its source
/// file.
template <class Interface, class Implementation, class... Args>
struct Registration {
  Registration(std::string name, std::string description) {
    Registry<Interface, Args...>::instance().add(
        std::move(name), std::move(description),
        [](Args... args) -> std::unique_ptr<Interface> { return std::make_unique<Implementation>(args...); });
  }
};

}  // namespace dfsim
