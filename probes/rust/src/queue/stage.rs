//! `queue` as an experiment: who takes part, and what is added to it.

use super::carried::{add_to_paced, open_channel, open_polled};
use super::ends::{Channel, Parts, Polled, Queue, TryQueue};
use super::loops::{perform_sends, perform_takes, send_stamped, Gated, Received, Sent};
use super::message::{id_of, producer_of, Bare, Large, Message, Small, END, MARKED};
use super::shape::{shape_of, words_in, Shape, Traits};
use super::sleeping::Sleeping;
use crate::api::{Counts, Experiment, Mechanism, Player, Probe, Samples, Setup, Stage, Task};
use crate::waits::{with_spin_or_other, Wait, WithWait};
use crate::Outcome;
use std::marker::PhantomData;
use std::mem::size_of;
use std::sync::atomic::Ordering;

/// Whether to use the loop that works. With a payload the check for steps is free, and the other loop is not compiled.
#[inline(always)]
pub(super) fn works(words: usize, steps: u64) -> bool {
    words > 0 || steps > 0
}

pub(super) struct Producer<'a, const WORDS: usize, Q: Queue<Message<WORDS>>> {
    pub(super) gated: &'a Gated<Message<WORDS>, Q>,
    pub(super) steps: u64,
    pub(super) at: Sent,
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Producer<'_, WORDS, Q> {
    /// Where one message of a group is stamped its batch is in the middle of the group.
    fn run_as<const WORKS: bool>(&mut self, task: &Task, samples: &mut Samples) -> u64 {
        let (gated, at, steps) = (self.gated, &mut self.at, self.steps);
        if task.every == 0 {
            return perform_sends::<WORDS, Q, WORKS>(gated, at, steps, task.count, MARKED);
        }
        let batch = if Q::TRAITS.batches { gated.shape.batch } else { 1 };
        let every = u64::from(task.every);
        let before = every / 2 / batch * batch;
        let after = every.saturating_sub(before + batch);
        let mut done = 0;
        while done < task.count && !gated.queue.0.stopped() {
            done += perform_sends::<WORDS, Q, WORKS>(gated, at, steps, before, 0);
            done += send_stamped(gated, at, steps);
            samples.read_clock(1);
            done += perform_sends::<WORDS, Q, WORKS>(gated, at, steps, after, 0);
        }
        done
    }
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Player for Producer<'_, WORDS, Q> {
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        Ok(match works(WORDS, self.steps) {
            true => self.run_as::<true>(task, samples),
            false => self.run_as::<false>(task, samples),
        })
    }
    /// The last message, which wakes a consumer that sleeps.
    fn leave(&mut self, _samples: &mut Samples) -> Outcome<u64> {
        let producer = producer_of(self.at.next);
        self.gated.queue.0.send(self.gated.sender(producer), 1, |message, _| message.id = id_of(producer, END));
        Ok(0)
    }
}

pub(super) struct Consumer<'a, const WORDS: usize, Q: Queue<Message<WORDS>>> {
    pub(super) gated: &'a Gated<Message<WORDS>, Q>,
    pub(super) steps: u64,
    pub(super) at: Received,
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Consumer<'_, WORDS, Q> {
    fn take(&mut self, count: u64, records: bool, samples: &mut Samples) -> Outcome<u64> {
        let (gated, at, steps) = (self.gated, &mut self.at, self.steps);
        let taken = gated.taker.0.with::<_, Q, _>(|taker| {
            samples.others_wait(true);
            match works(WORDS, steps) {
                true => perform_takes::<WORDS, Q, true>(gated, taker, at, steps, count, records, samples),
                false => perform_takes::<WORDS, Q, false>(gated, taker, at, 0, count, records, samples),
            }
        });
        taken.unwrap_or(Ok(0))
    }
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Player for Consumer<'_, WORDS, Q> {
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        self.take(task.count, task.every > 0, samples)
    }
    /// All that was sent.
    fn leave(&mut self, samples: &mut Samples) -> Outcome<u64> {
        self.take(u64::MAX, false, samples)
    }
}

pub(super) struct QueueStage<const WORDS: usize, Q: Queue<Message<WORDS>>> {
    pub(super) produce: u64, // steps that a producer takes for each message,
    pub(super) work: u64,    // and the consumer
    pub(super) gated: Gated<Message<WORDS>, Q>,
}

/// Thread 1 is the consumer; all others are producers.
pub(super) const CONSUMER: u32 = 1;

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Stage for QueueStage<WORDS, Q> {
    fn role_of(&self, thread: u32) -> u32 {
        (thread == CONSUMER).into()
    }
    fn compares_clocks(&self, one: u32, other: u32) -> bool {
        self.role_of(one) != self.role_of(other)
    }
    fn stop(&self, _line: usize) {
        self.gated.queue.0.stop(&self.gated.taker.0)
    }
    fn progress(&self, _line: usize) -> u64 {
        self.gated.taken.iter().map(|taken| taken.0.load(Ordering::Relaxed)).sum()
    }
    /// What was not followed to its end has none.
    fn count(&self, operations: &[u64], counts: &mut Counts) {
        if !self.gated.queue.0.stopped() {
            let found = operations[CONSUMER as usize];
            counts.count(c"messages", operations.iter().sum::<u64>() - found, found, true)
        }
    }
    fn player(&self, thread: u32) -> Outcome<Box<dyn Player + '_>> {
        let gated = &self.gated;
        if thread == CONSUMER {
            return Ok(Box::new(Consumer { gated, steps: self.work, at: Received { due: 0, ended: 0 } }));
        }
        let producer = u64::from(thread.saturating_sub(1));
        Ok(Box::new(Producer { gated, steps: self.produce, at: Sent { next: id_of(producer, 0), until: 0 } }))
    }
}

pub(super) type Staged = Outcome<Box<dyn Stage>>;

pub(super) fn staged<const WORDS: usize, Q: Queue<Message<WORDS>>>(
    setup: &Setup,
    open: impl FnOnce(&Shape) -> Parts<Q, Q::Sender, Q::Taker>,
) -> Staged {
    let shape = shape_of(&Q::TRAITS, setup)?;
    let queues = if Q::TRAITS.bounded { 1 } else { shape.producers }; // each may have as many in flight as fit into one
    let bytes = size_of::<Message<WORDS>>() as u64 * shape.size * queues;
    setup.claim(bytes as usize, c"the slots of the queue", c"lower its size, message-bytes or producers")?;
    let (produce, work) = (setup.number(c"producer-work"), setup.number(c"consumer-work"));
    Ok(Box::new(QueueStage { produce, work, gated: Gated::new(shape, open(&shape)) }))
}

/// Opens a queue that polls with the wait that was asked for.
pub(super) struct MakePolled<'a, const WORDS: usize, Q>(&'a Setup, PhantomData<Q>);

impl<const WORDS: usize, Q: TryQueue<Message<WORDS>>> WithWait for MakePolled<'_, WORDS, Q> {
    type Made = Staged;
    fn make<W: Wait>(self, wait: W) -> Staged {
        staged::<WORDS, Polled<Message<WORDS>, Q, W>>(self.0, |shape| Polled::open(wait, shape))
    }
}

pub(super) const QUEUE: Experiment = Experiment {
    head: r#""name":"queue","windows":"ns","threads":[2,4096],"stream":true,
"stalled":"No message arrives any more: one was lost, or the queue is full and nobody takes from it.",
"roles":[{"name":"producer","counts":false},{"name":"consumer","counts":true,"numbers":[{"name":"batch","unit":"messages"}]}]"#,
};

pub(super) fn params_of(traits: &Traits, blocking: bool) -> String {
    let number = |name: &str, default: u32, least: u32, most: u32| {
        format!(r#"{{"name":"{name}","default":{default},"range":[{least},{most}]}}"#)
    };
    let mut all = vec![
        number("size", 65_536, traits.least_size, 1_048_576),
        number("message-bytes", 16, 16, 1_024),
        number("depth", 0, 0, 1_048_576),
        number("producer-work", 0, 0, 1_000),
        number("consumer-work", 0, 0, 1_000),
    ];
    if traits.batches {
        all.push(number("batch", 1, 1, 65_536));
    }
    if traits.many_producers {
        all.push(number("producers", 1, 1, 4_095));
    }
    if !blocking {
        all.push(crate::waits::PARAMS.into());
    }
    all.join(",")
}

pub(super) fn add(probe: &mut Probe, traits: Traits, blocking: bool, make: fn(&Setup) -> Staged) {
    let params = params_of(&traits, blocking);
    probe.add(&QUEUE, Mechanism { name: traits.name, blocking, timed: "latency", lines: 1, params, make });
}

/// A queue for every message that there is; one written for any message is one.
pub trait AnyTryQueue: TryQueue<Bare> + TryQueue<Small> + TryQueue<Large> {}
impl<Q: TryQueue<Bare> + TryQueue<Small> + TryQueue<Large>> AnyTryQueue for Q {}
pub trait AnyChannel: Channel<Bare> + Channel<Small> + Channel<Large> {}
impl<Q: Channel<Bare> + Channel<Small> + Channel<Large>> AnyChannel for Q {}

/// A queue at which both sides poll.
pub fn add_queue<Q: AnyTryQueue>(probe: &mut Probe) {
    add_queue_as::<Q>(probe, <Q as TryQueue<Bare>>::TRAITS.name)
}

pub(crate) fn add_queue_as<Q: AnyTryQueue>(probe: &mut Probe, name: &'static str) {
    let traits = Traits { name, ..<Q as TryQueue<Bare>>::TRAITS };
    add(probe, traits, false, |setup| match words_in(setup) {
        0 => with_spin_or_other(setup, MakePolled::<0, Q>(setup, PhantomData)),
        1..=6 => with_spin_or_other(setup, MakePolled::<6, Q>(setup, PhantomData)),
        _ => with_spin_or_other(setup, MakePolled::<126, Q>(setup, PhantomData)),
    });
    add_to_paced(probe, traits.name, false, open_polled::<Q>);
}

/// A channel at whose ends threads sleep.
pub fn add_channel<Q: AnyChannel>(probe: &mut Probe) {
    add_channel_as::<Q>(probe, <Q as Channel<Bare>>::TRAITS.name)
}

pub(crate) fn add_channel_as<Q: AnyChannel>(probe: &mut Probe, name: &'static str) {
    fn open<const WORDS: usize, Q: Channel<Message<WORDS>>>(setup: &Setup) -> Staged {
        staged::<WORDS, Sleeping<_, Q>>(setup, |shape| Sleeping::open(shape, setup.number(c"size")))
    }
    let traits = Traits { name, ..<Q as Channel<Bare>>::TRAITS };
    add(probe, traits, true, |setup| match words_in(setup) {
        0 => open::<0, Q>(setup),
        1..=6 => open::<6, Q>(setup),
        _ => open::<126, Q>(setup),
    });
    add_to_paced(probe, traits.name, true, open_channel::<Q>);
}
