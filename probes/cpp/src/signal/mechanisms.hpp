#pragma once

#include <tuple>

#include "signal/mechanisms/add_one_line.hpp"
#include "signal/mechanisms/atomic_wait.hpp"
#include "signal/mechanisms/cas_one_line.hpp"
#include "signal/mechanisms/condition.hpp"
#include "signal/mechanisms/eventfd.hpp"
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

/// Every mechanism of `signal`: a new one is a file in mechanisms/ and a line here. The lock-free protocols are
/// measured with every wait.
using LockFreeProtocols = std::tuple<  //
    CasOneLine,                        //
    AddOneLine,                        //
    SeqcstOneLine,                     //
    ReleaseOneLine,                    //
    RelaxedOneLine,                    //
    SeqcstTwoLines,                    //
    ReleaseTwoLines>;

using BlockingMechanisms = std::tuple<  //
    Condition,                          //
    ConditionReleased,                  //
    Park,                               //
    AtomicWait,                         //
    Semaphore,                          //
    SpinThenPark,                       //
    Eventfd,                            //
    Pipe,                               //
    Socketpair,                         //
    TcpLoopback>;

}  // namespace threadping::signal
