use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use threadping::lines::LinePair;
use threadping::queue::{Content, Traits, TryQueue};

/// A queue of messages, first in, first out, of one producer and one consumer.
pub struct MyQueue;

pub struct Slots<M> {
    slots: Vec<UnsafeCell<MaybeUninit<M>>>,
    pushed: LinePair<AtomicUsize>,
    popped: LinePair<AtomicUsize>,
}

unsafe impl<M: Send> Sync for Slots<M> {}

impl<M: Content> TryQueue<M> for MyQueue {
    /// Whether several threads may push at once; `bounded: false` of one that is never full.
    const TRAITS: Traits = Traits { many_producers: false, ..Traits::of("own") };
    type Sender = Arc<Slots<M>>;
    type Taker = Arc<Slots<M>>;

    /// A queue for this number of messages: its two ends, and the sending one for each producer.
    fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let slots = (0..size).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect();
        let queue = Arc::new(Slots { slots, pushed: LinePair::default(), popped: LinePair::default() });
        (vec![queue.clone(); producers], queue)
    }

    /// Puts a message in; false, at once, if the queue is full. What was written before is seen by the thread that pops it.
    fn push(queue: &mut Self::Sender, message: M) -> bool {
        let pushed = queue.pushed.0.load(Ordering::Relaxed);
        if pushed - queue.popped.0.load(Ordering::Acquire) == queue.slots.len() {
            return false;
        }
        unsafe { (*queue.slots[pushed % queue.slots.len()].get()).write(message) };
        queue.pushed.0.store(pushed + 1, Ordering::Release);
        true
    }

    /// Takes the oldest message out; none, at once, if there is none.
    fn pop(queue: &mut Self::Taker) -> Option<M> {
        let popped = queue.popped.0.load(Ordering::Relaxed);
        if popped == queue.pushed.0.load(Ordering::Acquire) {
            return None;
        }
        let message = unsafe { (*queue.slots[popped % queue.slots.len()].get()).assume_init() };
        queue.popped.0.store(popped + 1, Ordering::Release);
        Some(message)
    }
}
