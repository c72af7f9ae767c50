#pragma once

#include <tuple>

#include "lock/mechanisms/adaptive_mutex.hpp"
#include "lock/mechanisms/cas_loop.hpp"
#include "lock/mechanisms/false_sharing.hpp"
#include "lock/mechanisms/fetch_add.hpp"
#include "lock/mechanisms/mcs_lock.hpp"
#include "lock/mechanisms/mutex.hpp"
#include "lock/mechanisms/pthread_spinlock.hpp"
#include "lock/mechanisms/shared_mutex.hpp"
#include "lock/mechanisms/single_writer_release.hpp"
#include "lock/mechanisms/test_and_test_and_set.hpp"
#include "lock/mechanisms/ticket_lock.hpp"
#include "lock/mechanisms/unprotected.hpp"

namespace threadping::lock {

/// Every mechanism of `lock`: a new one is a file in mechanisms/ and a line here.
using Locks = std::tuple<  //
    Mutex,                 //
    AdaptiveMutex,         //
    PthreadSpinlock,       //
    TestAndTestAndSet,     //
    TicketLock,            //
    McsLock,               //
    SharedMutex>;

using Counters = std::tuple<  //
    FetchAdd,                 //
    CasLoop,                  //
    SingleWriterRelease,      //
    FalseSharing,             //
    Unprotected>;

}  // namespace threadping::lock
