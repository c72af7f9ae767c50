#pragma once

#include <gtest/gtest.h>

#include "signal/loops.hpp"
#include "signal/mechanisms/add_one_line.hpp"
#include "signal/mechanisms/atomic_wait.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/condition.hpp"
#include "signal/mechanisms/eventfd.hpp"
#include "signal/mechanisms/lock_free.hpp"
#include "signal/mechanisms/park.hpp"
#include "signal/mechanisms/pipe.hpp"
#include "signal/mechanisms/relaxed_one_line.hpp"
#include "signal/mechanisms/release_one_line.hpp"
#include "signal/mechanisms/release_two_lines.hpp"
#include "signal/mechanisms/semaphore.hpp"
#include "signal/mechanisms/seqcst_one_line.hpp"
#include "signal/mechanisms/seqcst_two_lines.hpp"
#include "signal/mechanisms/sockets.hpp"
#include "signal/mechanisms/spin_then_park.hpp"

namespace threadping::signal {

/// The types of all mechanisms, for what cannot be asked through crew::Loops; a test holds them against the list.
template <class Protocol>
using Spinning = LockFree<Protocol, waits::Spin>;
using Every = testing::Types<Spinning<CasOneLine>, Spinning<AddOneLine>, Spinning<SeqcstOneLine>,
                             Spinning<ReleaseOneLine>, Spinning<RelaxedOneLine>, Spinning<SeqcstTwoLines>,
                             Spinning<ReleaseTwoLines>, Condition, ConditionReleased, Park, AtomicWait, Semaphore,
                             SpinThenPark, Eventfd, Pipe, Socketpair, TcpLoopback>;

}  // namespace threadping::signal
