#pragma once

#include "engine/experiment.hpp"
#include "mechanisms/queue.hpp"

namespace threadping::ring {

/// The shape that these parameters and threads make. Throws Failure(bad_request) for what does not fit together.
queues::Shape shape_of(const queues::Traits& traits, const engine::Setup& setup);

}  // namespace threadping::ring
