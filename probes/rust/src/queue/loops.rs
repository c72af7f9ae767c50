//! The timed loops, once for all queues.

use super::ends::{Parts, Place, Queue};
use super::message::{id_of, number_of, out_of_order, producer_of, torn, Message, END, MARKS, NEXT, STAMPED};
use super::shape::Shape;
use crate::api::{now_ns, Samples, Timing};
use crate::lines::LinePair;
use crate::lock::Steps;
use crate::{Error, Outcome};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

/// A queue with its ends, and of each producer how many of its messages were taken.
pub(super) struct Gated<M, Q: Queue<M>> {
    pub(super) shape: Shape,
    pub(super) in_flight: u64, // 0: the queue itself says when it is full
    pub(super) queue: LinePair<Q>,
    pub(super) senders: Vec<LinePair<UnsafeCell<Q::Sender>>>, // each its producer's alone
    pub(super) taker: LinePair<Place<Q::Taker>>,
    pub(super) taken: Vec<LinePair<AtomicU64>>,
    pub(super) _message: PhantomData<fn() -> M>,
}

unsafe impl<M, Q: Queue<M>> Sync for Gated<M, Q> {}

impl<M, Q: Queue<M>> Gated<M, Q> {
    pub(super) fn new(shape: Shape, parts: Parts<Q, Q::Sender, Q::Taker>) -> Self {
        let in_flight = if shape.in_flight > 0 || Q::TRAITS.bounded { shape.in_flight } else { shape.size };
        Gated {
            shape,
            in_flight,
            queue: LinePair(parts.0),
            senders: parts.1.into_iter().map(|sender| LinePair(UnsafeCell::new(sender))).collect(),
            taker: LinePair(Place::of(parts.2)),
            taken: (0..shape.producers).map(|_| LinePair(AtomicU64::new(0))).collect(),
            _message: PhantomData,
        }
    }

    /// Its producer's alone.
    #[allow(clippy::mut_from_ref)]
    pub(super) fn sender(&self, producer: u64) -> &mut Q::Sender {
        unsafe { &mut *self.senders[producer as usize].0.get() }
    }

    /// Waits until a producer may send up to the id `wanted`: gives the id up to which it may; none where it was stopped.
    #[inline(never)]
    pub(super) fn claim(&self, wanted: u64) -> Option<u64> {
        let producer = producer_of(wanted);
        let mut until = 0;
        let may = self.queue.0.gate(|| {
            until = id_of(producer, self.taken[producer as usize].0.load(Ordering::Acquire) + self.in_flight);
            wanted <= until
        });
        may.then_some(until)
    }
}

/// How far a producer has come: the id of its next message, and up to which it may send, as far as it knows.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) next: u64,
    pub(super) until: u64,
}

/// Sends batches until `count` messages are sent, or the queue was stopped; gives how many. The first message of each
/// batch says, if they are stamped, when the producer had it: before it waits for space, once.
#[inline(always)]
pub(super) fn send_batches<const WORDS: usize, Q: Queue<Message<WORDS>>, const STAMPS: bool, const WORKS: bool>(
    gated: &Gated<Message<WORDS>, Q>,
    kept: &mut Sent,
    steps: u64,
    count: u64,
    mut mark: u64,
) -> u64 {
    let mut at = *kept;
    let sender = gated.sender(producer_of(at.next));
    let Shape { payload, in_flight, .. } = gated.shape;
    let batch = if Q::TRAITS.batches { gated.shape.batch } else { 1 };
    let (first, end) = (at.next, at.next + count * NEXT);
    if gated.in_flight == 0 {
        at.until = u64::MAX;
    }
    let mut work = Steps::new();
    while at.next < end {
        if WORKS {
            work.take(steps * batch);
        }
        let mut stamp = if STAMPS && in_flight == 0 { now_ns() } else { 0 };
        let wanted = at.next + batch * NEXT;
        if wanted > at.until {
            match gated.claim(wanted) {
                Some(until) => at.until = until,
                None => break,
            }
        }
        if STAMPS && in_flight > 0 {
            stamp = now_ns();
        }
        let sent = gated.queue.0.send(sender, batch, |message, index| {
            let mut id = at.next + index * NEXT;
            if index == 0 {
                id |= mark;
                if STAMPS {
                    message.stamp = stamp;
                }
            }
            message.id = id;
            for word in message.words.iter_mut().take(payload as usize) {
                word.write(id);
            }
        });
        if !sent {
            break;
        }
        at.next = wanted;
        if !STAMPS {
            mark = 0;
        }
    }
    *kept = at;
    (at.next - first) / NEXT
}

/// The producer's loop, whose first message is marked.
#[inline(never)]
pub(super) fn perform_sends<const WORDS: usize, Q: Queue<Message<WORDS>>, const WORKS: bool>(
    gated: &Gated<Message<WORDS>, Q>,
    at: &mut Sent,
    steps: u64,
    count: u64,
    mark: u64,
) -> u64 {
    send_batches::<WORDS, Q, false, WORKS>(gated, at, steps, count, mark)
}

/// One batch, stamped: the consumer times it.
#[inline(never)]
pub(super) fn send_stamped<const WORDS: usize, Q: Queue<Message<WORDS>>>(
    gated: &Gated<Message<WORDS>, Q>,
    at: &mut Sent,
    steps: u64,
) -> u64 {
    send_batches::<WORDS, Q, true, true>(gated, at, steps, 1, STAMPED)
}

/// How far a consumer has come: the id that is due from the producer whose message came last; how many have ended.
#[derive(Clone, Copy)]
pub(super) struct Received {
    pub(super) due: u64,
    pub(super) ended: u64,
}

/// The consumer's loop: takes until it has taken `count` messages, or there is nothing to take any more; gives how many,
/// or what was wrong. It holds every message against the id that is due, and its payload against the id; times those
/// that are stamped; and works a number of steps for each.
#[inline(never)]
pub(super) fn perform_takes<const WORDS: usize, Q: Queue<Message<WORDS>>, const WORKS: bool>(
    gated: &Gated<Message<WORDS>, Q>,
    taker: &mut Q::Taker,
    kept: &mut Received,
    steps: u64,
    count: u64,
    records: bool, // how many came at once: not in throughput windows, where nobody keeps it
    samples: &mut Samples,
) -> Outcome<u64> {
    let mut at = *kept;
    let Shape { payload, size, producers, .. } = gated.shape;
    let publish = |due: u64| gated.taken[producer_of(due) as usize].0.store(number_of(due), Ordering::Release);
    let mut work = Steps::new();
    let mut wrong: Option<Error> = None;
    let mut others_wait = true;
    let mut taken = 0;
    while taken < count && at.ended < producers {
        let before = taken;
        let came = gated.queue.0.take(taker, size, |message| {
            let id = message.id;
            if id != at.due {
                if wrong.is_some() {
                    return;
                }
                if producer_of(id) != producer_of(at.due) {
                    if producer_of(id) >= producers {
                        wrong = Some(out_of_order(at.due, id));
                        return;
                    }
                    publish(at.due);
                    let producer = producer_of(id);
                    at.due = id_of(producer, gated.taken[producer as usize].0.load(Ordering::Relaxed));
                }
                if number_of(id) == END {
                    at.ended += 1;
                    return;
                }
                if id & !MARKS != at.due {
                    wrong = Some(out_of_order(at.due, id));
                    return;
                }
                if id & STAMPED != 0 {
                    samples.add(Timing { from_ns: message.stamp, to_ns: now_ns() });
                    samples.read_clock(1);
                }
                if id & MARKS != 0 {
                    samples.progress(taken);
                }
            }
            at.due += NEXT;
            taken += 1;
            let differs = |word: &MaybeUninit<u64>| unsafe { word.assume_init() } ^ id;
            if message.words.iter().take(payload as usize).fold(0, |all, word| all | differs(word)) != 0 {
                wrong.get_or_insert_with(|| torn(id));
            }
            if WORKS {
                work.take(steps)
            }
        });
        if let Some(error) = wrong {
            return Err(error);
        }
        if came.count == 0 {
            break;
        }
        publish(at.due);
        gated.queue.0.open_gate(came.count);
        if others_wait == came.found_none {
            others_wait = !others_wait;
            samples.others_wait(others_wait);
        }
        if records && taken > before {
            samples.record(0, taken - before);
        }
    }
    *kept = at;
    Ok(taken)
}
