use threadping::queue::{Content, TryQueue};

/// Whose two ends are two types: of one producer.
pub struct RtrbRing;

impl<M: Content> TryQueue<M> for RtrbRing {
    type Sender = rtrb::Producer<M>;
    type Taker = rtrb::Consumer<M>;

    fn open(size: usize, _producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let (sender, taker) = rtrb::RingBuffer::new(size);
        (vec![sender], taker)
    }
    fn push(sender: &mut Self::Sender, message: M) -> bool {
        sender.push(message).is_ok()
    }
    fn pop(taker: &mut Self::Taker) -> Option<M> {
        taker.pop().ok()
    }
}
