//! `ring`: streams of messages through a queue; and `paced` of the same queues.

mod loops;
mod message;
mod numbers;
mod queue;
mod shape;
mod sleeping;
mod stage;

pub use message::{Content, Message};
pub use queue::{Channel, TryQueue};
pub use shape::Traits;
pub use stage::{add_channel, add_queue};
