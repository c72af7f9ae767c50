use crossbeam_queue::ArrayQueue;
use std::sync::Arc;
use threadping::queue::{Content, Traits, TryQueue};

/// Of several producers.
pub struct CrossbeamQueue;

impl<M: Content> TryQueue<M> for CrossbeamQueue {
    const TRAITS: Traits = Traits { many_producers: true, ..Traits::of("own") };
    type Sender = Arc<ArrayQueue<M>>;
    type Taker = Arc<ArrayQueue<M>>;

    fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let queue = Arc::new(ArrayQueue::new(size));
        (vec![queue.clone(); producers], queue)
    }
    fn push(queue: &mut Self::Sender, message: M) -> bool {
        queue.push(message).is_ok()
    }
    fn pop(queue: &mut Self::Taker) -> Option<M> {
        queue.pop()
    }
}
