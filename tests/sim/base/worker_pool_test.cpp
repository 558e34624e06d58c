#include "sim/base/worker_pool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

WorkerPool::HandlerFactory echo() {
  return [] { return [](const std::string& request) { return "<" + request + ">"; }; };
}

std::string temporary_file(const char* name) {
  const std::string path = testing::TempDir() + name + std::to_string(::getpid());
  ::unlink(path.c_str());
  return path;
}

TEST(WorkerPool, AnswersInTheOrderOfTheRequests) {
  WorkerPool pool(3, [] {
    return [](const std::string& request) {
      std::this_thread::sleep_for(std::chrono::milliseconds(request == "0" ? 30 : 1));
      return request + request;
    };
  });
  std::vector<std::string> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(std::to_string(i));
  std::vector<std::size_t> order;
  const auto answers = pool.run(requests, [&](std::size_t i, const std::string&) { order.push_back(i); });
  for (std::size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(answers[i], requests[i] + requests[i]);
  EXPECT_EQ(order.size(), 20u);
  EXPECT_NE(order.front(), 0u);  // the slow one is not first to be done
}

TEST(WorkerPool, CarriesEmptyAndLongMessages) {
  WorkerPool pool(2, echo());
  const std::string big(3'000'000, 'x');
  EXPECT_EQ(pool.run({"", big, std::string("\0a", 2)}),
            (std::vector<std::string>{"<>", "<" + big + ">", std::string("<\0a>", 4)}));
  EXPECT_TRUE(pool.run({}).empty());
}

TEST(WorkerPool, ReplacesAWorkerThatDiesAndRunsItsRequestAgain) {
  const std::string marker = temporary_file("worker_died");
  WorkerPool pool(2, [marker] {
    return [marker](const std::string& request) {
      if (request == "die" && ::access(marker.c_str(), F_OK) != 0) {
        std::ofstream{marker} << "once";
        ::raise(SIGKILL);
      }
      return request;
    };
  });
  EXPECT_EQ(pool.run({"a", "die", "b", "c"}), (std::vector<std::string>{"a", "die", "b", "c"}));
  ::unlink(marker.c_str());
}

TEST(WorkerPool, GivesUpOnARequestThatKillsThreeWorkersAndStaysUsable) {
  WorkerPool pool(2, [] {
    return [](const std::string& request) {
      if (request == "die") ::_exit(3);
      return request;
    };
  });
  try {
    pool.run({"a", "die", "b"});
    FAIL() << "no exception";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("request 2 of 3: die"), std::string::npos) << error.what();
  }
  EXPECT_EQ(pool.run({"x", "y"}), (std::vector<std::string>{"x", "y"}));
}

TEST(WorkerPool, StopsWhenInterrupted) {
  WorkerPool pool(1, [] {
    return [](const std::string& request) {
      if (request == "slow") std::this_thread::sleep_for(std::chrono::seconds(60));
      return request;
    };
  });
  bool stop = false;
  const auto answers = pool.run(
      {"a", "slow", "b"}, [&](std::size_t, const std::string&) { stop = true; }, [&] { return stop; });
  EXPECT_EQ(answers, (std::vector<std::string>{"a", "", ""}));
  EXPECT_EQ(pool.run({"again"}), (std::vector<std::string>{"again"}));
}

TEST(WorkerPool, MakesTheHandlerInsideTheWorker) {
  WorkerPool pool(1, [] {
    const std::string pid = std::to_string(::getpid());
    return [pid](const std::string&) { return pid; };
  });
  const auto answers = pool.run({"", ""});
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_NE(answers[0], std::to_string(::getpid()));
}

// Three workers share one place: one that starts while another is inside would see its file.
TEST(WorkerPool, TokensLimitHowManyWorkAtATime) {
  JobTokens tokens(1);
  const std::string path = temporary_file("inside");
  const auto alone = [path] {
    return [path](const std::string&) {
      const bool met = ::access(path.c_str(), F_OK) == 0;
      std::ofstream(path) << "x";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::unlink(path.c_str());
      return std::string(met ? "met" : "alone");
    };
  };
  WorkerPool pool(3, alone, &tokens);
  for (const std::string& answer : pool.run(std::vector<std::string>(12))) EXPECT_EQ(answer, "alone");
}

TEST(WorkerPool, AWorkerThatDiesGivesItsPlaceBack) {
  JobTokens tokens(1);
  const std::string path = temporary_file("died");
  WorkerPool pool(
      2,
      [path] {
        return [path](const std::string& request) {
          if (request == "die" && ::access(path.c_str(), F_OK) != 0) {
            std::ofstream(path) << "x";
            ::raise(SIGKILL);
          }
          return request;
        };
      },
      &tokens);
  const std::vector<std::string> requests{"a", "die", "b", "c"};
  EXPECT_EQ(pool.run(requests), requests);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace dfsim
