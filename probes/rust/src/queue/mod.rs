//! `queue`: streams of messages through a queue; and `load` of the same queues.

mod carried;
mod ends;
mod loops;
mod message;
mod shape;
mod sleeping;
mod stage;

pub(crate) use carried::{check_channel, check_queue};
pub use ends::{Channel, TryQueue};
pub use message::{Content, Message};
pub use shape::Traits;
pub use stage::{add_channel, add_queue, AnyChannel, AnyTryQueue};
pub(crate) use stage::{add_channel_as, add_queue_as};
