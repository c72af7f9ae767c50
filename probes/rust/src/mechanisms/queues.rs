//! The queues, in the order in which they are shown: each a library's, whose version is in contract/words.json.

use crossbeam_queue::{ArrayQueue, SegQueue};
use disruptor::{
    build_single_producer, BusySpin, EventPoller, Producer, SingleConsumerBarrier, SingleProducer,
    SingleProducerBarrier,
};
use std::sync::{mpsc, Arc};
use threadping::api::Probe;
use threadping::queue::{add_channel, add_queue, Channel, Content, Traits, TryQueue};

pub fn add_all(probe: &mut Probe) {
    add_channel::<StdSyncChannel>(probe);
    add_channel::<StdChannel>(probe);
    add_channel::<CrossbeamBounded>(probe);
    add_channel::<CrossbeamUnbounded>(probe);
    add_channel::<CrossbeamZero>(probe);
    add_channel::<Flume>(probe);
    add_channel::<FlumeUnbounded>(probe);
    add_channel::<Kanal>(probe);
    add_channel::<TokioMpsc>(probe);
    add_queue::<CrossbeamArrayQueue>(probe);
    add_queue::<CrossbeamSegQueue>(probe);
    add_queue::<Rtrb>(probe);
    add_queue::<DisruptorRs>(probe);
}

// When one of these is opened as many messages as it will hold go through it: its memory is touched by the thread that makes
// it, and not while measuring.

/// A channel of a library: what it can do; its two ends, and what opens them; how its sender sends, also
/// without waiting; how its taker receives, also without waiting.
macro_rules! channel {
    ($(#[$doc:meta])* $type:ident, $traits:expr, $sender:ty => $taker:ty, $open:expr,
     $tx:ident, $m:ident: $send:expr, $try_send:expr; $rx:ident: $receive:expr, $try_receive:expr) => {
        $(#[$doc])*
        struct $type;
        impl<M: Content> Channel<M> for $type {
            const TRAITS: Traits = $traits;
            type Sender = $sender;
            type Taker = $taker;
            fn open(size: usize) -> (Self::Sender, Self::Taker) {
                let open: fn(usize) -> (Self::Sender, Self::Taker) = $open;
                let (sender, mut taker) = open(size);
                for _ in 0..size {
                    <Self as Channel<M>>::nudge(&sender, M::empty());
                }
                while <Self as Channel<M>>::try_receive(&mut taker).is_some() {}
                (sender, taker)
            }
            #[inline(always)]
            fn send($tx: &mut Self::Sender, $m: M) -> bool {
                $send.is_ok()
            }
            fn nudge($tx: &Self::Sender, $m: M) {
                let _ = $try_send;
            }
            #[inline(always)]
            fn receive($rx: &mut Self::Taker) -> Option<M> {
                $receive.ok()
            }
            #[inline(always)]
            fn try_receive($rx: &mut Self::Taker) -> Option<M> {
                $try_receive.ok()
            }
        }
    };
}

const fn bounded(name: &'static str, least_size: u32) -> Traits {
    Traits { many_producers: true, least_size, ..Traits::of(name) }
}

const fn unbounded(name: &'static str) -> Traits {
    Traits { many_producers: true, bounded: false, ..Traits::of(name) }
}

channel!(StdSyncChannel, bounded("std-sync-channel", 0), mpsc::SyncSender<M> => mpsc::Receiver<M>,
    mpsc::sync_channel, tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv());
channel!(StdChannel, unbounded("std-channel"), mpsc::Sender<M> => mpsc::Receiver<M>,
    |_| mpsc::channel(), tx, m: tx.send(m), tx.send(m); rx: rx.recv(), rx.try_recv());
channel!(CrossbeamBounded, bounded("crossbeam-bounded", 0), crossbeam_channel::Sender<M> => crossbeam_channel::Receiver<M>,
    crossbeam_channel::bounded, tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv());
channel!(CrossbeamUnbounded, unbounded("crossbeam-unbounded"), crossbeam_channel::Sender<M> => crossbeam_channel::Receiver<M>,
    |_| crossbeam_channel::unbounded(), tx, m: tx.send(m), tx.send(m); rx: rx.recv(), rx.try_recv());
channel!(
    /// Holds nothing, whatever its size: a sender waits for the receiver.
    CrossbeamZero, bounded("crossbeam-zero", 2), crossbeam_channel::Sender<M> => crossbeam_channel::Receiver<M>,
    |_| crossbeam_channel::bounded(0), tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv());
channel!(Flume, bounded("flume", 0), flume::Sender<M> => flume::Receiver<M>,
    flume::bounded, tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv());
channel!(FlumeUnbounded, unbounded("flume-unbounded"), flume::Sender<M> => flume::Receiver<M>,
    |_| flume::unbounded(), tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv());
channel!(Kanal, bounded("kanal", 0), kanal::Sender<M> => kanal::Receiver<M>,
    kanal::bounded, tx, m: tx.send(m), tx.try_send(m); rx: rx.recv(), rx.try_recv().ok().flatten().ok_or(()));
channel!(
    /// Uses its blocking ends, from threads that belong to no runtime.
    TokioMpsc, bounded("tokio-mpsc", 1), tokio::sync::mpsc::Sender<M> => tokio::sync::mpsc::Receiver<M>,
    tokio::sync::mpsc::channel, tx, m: tx.blocking_send(m), tx.try_send(m); rx: rx.blocking_recv().ok_or(()), rx.try_recv());

/// A queue of a library that takes one message at a time, by value, and gives one.
macro_rules! one_by_one {
    ($type:ident, $traits:expr, $sender:ty => $taker:ty, $open:expr, $tx:ident, $m:ident: $push:expr; $rx:ident: $pop:expr) => {
        struct $type;
        impl<M: Content> TryQueue<M> for $type {
            const TRAITS: Traits = $traits;
            type Sender = $sender;
            type Taker = $taker;
            fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
                let open: fn(usize, usize) -> (Vec<Self::Sender>, Self::Taker) = $open;
                let (mut senders, mut taker) = open(size, producers);
                for _ in 0..size {
                    <Self as TryQueue<M>>::try_send(&mut senders[0], 1, |_, _| {});
                }
                <Self as TryQueue<M>>::try_take(&mut taker, u64::MAX, |_| {});
                (senders, taker)
            }
            #[inline(always)]
            fn push($tx: &mut Self::Sender, $m: M) -> bool {
                $push
            }
            #[inline(always)]
            fn pop($rx: &mut Self::Taker) -> Option<M> {
                $pop
            }
        }
    };
}

one_by_one!(CrossbeamArrayQueue, Traits { many_producers: true, ..Traits::of("crossbeam-array-queue") },
    Arc<ArrayQueue<M>> => Arc<ArrayQueue<M>>, |size, producers| shared(ArrayQueue::new(size), producers),
    tx, m: tx.push(m).is_ok(); rx: rx.pop());
one_by_one!(CrossbeamSegQueue, Traits { many_producers: true, bounded: false, ..Traits::of("crossbeam-seg-queue") },
    Arc<SegQueue<M>> => Arc<SegQueue<M>>, |_, producers| shared(SegQueue::new(), producers),
    tx, m: { tx.push(m); true }; rx: rx.pop());
one_by_one!(Rtrb, Traits::of("rtrb"), rtrb::Producer<M> => rtrb::Consumer<M>, |size, _| {
        let (sender, taker) = rtrb::RingBuffer::new(size);
        (vec![sender], taker)
    }, tx, m: tx.push(m).is_ok(); rx: rx.pop().ok());

fn shared<Q>(queue: Q, producers: usize) -> (Vec<Arc<Q>>, Arc<Q>) {
    let queue = Arc::new(queue);
    (vec![queue.clone(); producers], queue)
}

/// The ring of disruptor-rs with one producer, whose consumer polls by itself: what was published is one batch.
struct DisruptorRs;

impl<M: Content> TryQueue<M> for DisruptorRs {
    const TRAITS: Traits = Traits { batches: true, power_of_two: true, ..Traits::of("disruptor-rs") };
    type Sender = SingleProducer<M, SingleConsumerBarrier>;
    type Taker = EventPoller<M, SingleProducerBarrier>;

    fn open(size: usize, _producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let (taker, building) = build_single_producer(size, M::empty, BusySpin).new_event_poller();
        (vec![building.build()], taker)
    }
    fn push(sender: &mut Self::Sender, message: M) -> bool {
        sender.try_publish(|slot| *slot = message).is_ok()
    }
    fn pop(taker: &mut Self::Taker) -> Option<M> {
        (&mut taker.take(1).ok()?).next().copied()
    }
    #[inline(always)]
    fn try_send(sender: &mut Self::Sender, count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        match count {
            1 => sender.try_publish(|message| write(message, 0)).is_ok(),
            _ => sender
                .try_batch_publish(count as usize, |all| {
                    all.zip(0..).for_each(|(message, index)| write(message, index))
                })
                .is_ok(),
        }
    }
    #[inline(always)]
    fn try_take(taker: &mut Self::Taker, most: u64, handle: impl FnMut(&M)) -> u64 {
        let Ok(mut there) = taker.take(most) else { return 0 };
        let events = &mut there;
        let count = events.len() as u64;
        events.for_each(handle);
        count
    }
}
