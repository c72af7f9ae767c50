//! What queues carry, and what is wrong with it.

use crate::{Code, Error};
use std::mem::MaybeUninit;

/// What is sent: its id, when it was sent if the id says so, and words that all hold the id.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Message<const WORDS: usize> {
    pub(super) id: u64,
    pub(super) stamp: u64,
    pub(super) words: [MaybeUninit<u64>; WORDS],
}

/// What a queue carries, by value.
pub trait Content: Copy + Send + Sync + 'static {
    /// Writes no more of it than must be: its words are not.
    fn empty() -> Self;
}

impl<const WORDS: usize> Content for Message<WORDS> {
    #[inline(always)]
    fn empty() -> Self {
        let mut message = MaybeUninit::<Self>::uninit();
        let place = message.as_mut_ptr();
        unsafe {
            (&raw mut (*place).id).write(0);
            (&raw mut (*place).stamp).write(0);
            message.assume_init() // words may be of any value, or none
        }
    }
}

pub(super) type Bare = Message<0>; // 16 bytes
pub(super) type Small = Message<6>; // 64
pub(super) type Large = Message<126>; // 1024

// An id is its producer, the number of the message among that producer's, and what is to be done with it: 16, 46 and 2
// bits. Of one producer the next id is four more.
pub(super) const STAMPED: u64 = 1; // it says when it was sent
pub(super) const MARKED: u64 = 2; // its consumer reports how far it has come
pub(super) const MARKS: u64 = STAMPED | MARKED;
pub(super) const NEXT: u64 = 4;
pub(super) const END: u64 = (1 << 46) - 1; // the number of a producer's last message

pub(super) const fn id_of(producer: u64, number: u64) -> u64 {
    producer << 48 | number << 2
}
pub(super) const fn producer_of(id: u64) -> u64 {
    id >> 48
}
pub(super) const fn number_of(id: u64) -> u64 {
    id >> 2 & END
}

pub(super) fn out_of_order(due: u64, id: u64) -> Error {
    let of =
        if producer_of(id) == producer_of(due) { String::new() } else { format!(" of producer {}", producer_of(id)) };
    let (due, producer, came) = (number_of(due), producer_of(due), number_of(id));
    let fate = "one was lost, doubled or overtaken";
    Error::new(
        Code::SequenceBroken,
        format!("Message {due} of producer {producer} was due, but {came}{of} came: {fate}."),
    )
}

pub(super) fn torn(id: u64) -> Error {
    let (number, producer, fate) = (number_of(id), producer_of(id), "it was torn or overwritten");
    let what = "came with a payload that is not its own";
    Error::new(Code::SequenceBroken, format!("Message {number} of producer {producer} {what}: {fate}."))
}
