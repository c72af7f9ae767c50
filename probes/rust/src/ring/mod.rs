//! `ring`: streams of messages through a queue; and `paced` of the same queues.

mod letters;
mod loops;
mod message;
mod numbers;
mod queue;
mod shape;
mod sleeping;
mod stage;

pub(crate) use letters::{check_channel, check_queue};
pub use message::{Content, Message};
pub use queue::{Channel, TryQueue};
pub use shape::Traits;
pub use stage::{add_channel, add_queue, AnyChannel, AnyTryQueue};
pub(crate) use stage::{add_channel_as, add_queue_as};
