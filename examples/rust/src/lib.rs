//! Mechanisms of one's own, a file for each: docs/how-to/custom-mechanism.md says what they have to do.

mod array_queue;
mod atomic_flag;
mod condition;
mod flume_channel;
mod parking_lot_mutex;
mod ring_buffer;
mod ticket_lock;

pub use array_queue::CrossbeamQueue;
pub use atomic_flag::AtomicFlag;
pub use condition::Condition;
pub use flume_channel::FlumeChannel;
pub use parking_lot_mutex::ParkingLotMutex;
pub use ring_buffer::RtrbRing;
pub use ticket_lock::TicketLock;
