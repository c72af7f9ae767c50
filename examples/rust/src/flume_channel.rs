use threadping::queue::{Channel, Content, Traits};

/// At whose ends threads sleep.
pub struct FlumeChannel;

impl<M: Content> Channel<M> for FlumeChannel {
    const TRAITS: Traits = Traits { many_producers: true, ..Traits::of("own") };
    type Sender = flume::Sender<M>;
    type Taker = flume::Receiver<M>;

    fn open(size: usize) -> (Self::Sender, Self::Taker) {
        flume::bounded(size)
    }
    fn send(sender: &mut Self::Sender, message: M) -> bool {
        sender.send(message).is_ok()
    }
    fn nudge(sender: &Self::Sender, message: M) {
        let _ = sender.try_send(message);
    }
    fn receive(taker: &mut Self::Taker) -> Option<M> {
        taker.recv().ok()
    }
    fn try_receive(taker: &mut Self::Taker) -> Option<M> {
        taker.try_recv().ok()
    }
}
