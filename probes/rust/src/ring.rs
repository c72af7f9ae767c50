//! `ring`: streams of messages through a queue; and `paced` of the same queues.

use crate::lines::{refuse_excess, LinePair};
use crate::lock::Steps;
use crate::seam::{
    described, now_ns, opened, operated, Counts, Experiment, Mechanism, Player, Probe, Samples, Setup, Stage,
};
use crate::seam::{Task, Timing};
use crate::waits::{with_wait, Wait, WithWait};
use crate::{ffi, Code, Outcome, Trouble};
use std::cell::UnsafeCell;
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::sync::atomic::{fence, AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What is sent: its id, when it was sent if the id says so, and words that all hold the id.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Message<const WORDS: usize> {
    id: u64,
    stamp: u64,
    words: [MaybeUninit<u64>; WORDS],
}

/// What a queue carries, by value.
pub trait Content: Copy + Send + Sync + 'static {
    const EMPTY: Self;
}

impl<const WORDS: usize> Content for Message<WORDS> {
    const EMPTY: Self = Message { id: 0, stamp: 0, words: [MaybeUninit::uninit(); WORDS] };
}

type Bare = Message<0>; // 16 bytes
type Small = Message<6>; // 64
type Large = Message<126>; // 1024

// An id is its producer, the number of the message among that producer's, and what is to be done with it: 16, 46 and 2
// bits. Of one producer the next id is four more.
const STAMPED: u64 = 1; // it says when it was sent
const MARKED: u64 = 2; // its consumer reports how far it has come
const MARKS: u64 = STAMPED | MARKED;
const NEXT: u64 = 4;
const END: u64 = (1 << 46) - 1; // the number of a producer's last message

const fn id_of(producer: u64, number: u64) -> u64 {
    producer << 48 | number << 2
}
const fn producer_of(id: u64) -> u64 {
    id >> 48
}
const fn number_of(id: u64) -> u64 {
    id >> 2 & END
}

fn out_of_order(due: u64, id: u64) -> Trouble {
    let of =
        if producer_of(id) == producer_of(due) { String::new() } else { format!(" of producer {}", producer_of(id)) };
    let (due, producer, came) = (number_of(due), producer_of(due), number_of(id));
    let fate = "one was lost, doubled or overtaken";
    Trouble::new(
        Code::SequenceBroken,
        format!("Message {due} of producer {producer} was due, but {came}{of} came: {fate}."),
    )
}

fn torn(id: u64) -> Trouble {
    let (number, producer, fate) = (number_of(id), producer_of(id), "it was torn or overwritten");
    let what = "came with a payload that is not its own";
    Trouble::new(Code::SequenceBroken, format!("Message {number} of producer {producer} {what}: {fate}."))
}

/// What is asked of a queue.
#[derive(Clone, Copy)]
pub struct Shape {
    pub size: u64,
    payload: u64,
    in_flight: u64, // at most so many of a producer's are not taken yet; 0 leaves it to the size
    batch: u64,
    pub producers: u64,
}

/// What a queue can do, and how it is called.
#[derive(Clone, Copy)]
pub struct Traits {
    pub name: &'static str,
    pub batches: bool,
    pub many_producers: bool,
    pub power_of_two: bool,
    /// Whether it is full by itself. Otherwise its producers keep within the size, and that is no part of its cost.
    pub bounded: bool,
}

impl Traits {
    pub const fn of(name: &'static str) -> Self {
        Traits { name, batches: false, many_producers: false, power_of_two: false, bounded: true }
    }
}

fn shape_of(traits: &Traits, setup: &Setup) -> Outcome<Shape> {
    let at_least_1 = |name: &CStr| setup.number(name).max(1);
    let shape = Shape {
        size: setup.number(c"size"),
        payload: setup.number(c"payload"),
        in_flight: setup.number(c"in-flight"),
        batch: at_least_1(c"batch"),
        producers: at_least_1(c"producers"),
    };
    let bad = |why: String| Err(Trouble::new(Code::BadRequest, why));
    let parameter = |name: &str| format!("The parameter '{name}' of {} must be", traits.name);
    if traits.power_of_two && !shape.size.is_power_of_two() {
        let (such, size) = (shape.size.next_power_of_two(), shape.size);
        return bad(format!("{} a power of two, such as {such}, not {size}.", parameter("size")));
    }
    let flies = if shape.in_flight > 0 { shape.in_flight } else { shape.size };
    for (name, number, within, most) in [
        ("batch", shape.batch, "size", shape.size),
        ("in-flight", shape.in_flight, "size", shape.size),
        ("batch", shape.batch, "in-flight", flies),
    ] {
        if number > most {
            return bad(format!("{} at most its '{within}', {most}, not {number}.", parameter(name)));
        }
    }
    if setup.threads() as u64 != shape.producers + 1 {
        let several = if shape.producers == 1 { "" } else { "s" };
        let (producers, wanted, threads) = (shape.producers, shape.producers + 1, setup.threads());
        return bad(format!("{producers} producer{several} and 1 consumer are {wanted} threads, not {threads}."));
    }
    Ok(shape)
}

/// What a take came to: the messages taken, and whether it found none at first.
#[derive(Default)]
pub struct Taken {
    count: u64,
    found_none: bool,
}

/// A queue that waits for nothing, by its two ends.
pub trait TryQueue<M: Content>: 'static {
    const TRAITS: Traits;
    type Sender: Send;
    type Taker: Send;
    fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker);
    /// Has `write` write so many messages, more than one only where it batches; false if there is no room for them.
    fn try_send(sender: &mut Self::Sender, count: u64, write: impl FnMut(&mut M, u64)) -> bool;
    /// Has `handle` handle what is there, `most` messages at most, and gives how many.
    fn try_take(taker: &mut Self::Taker, most: u64, handle: impl FnMut(&M)) -> u64;
}

/// A channel at whose ends threads sleep. Once the receiver is gone, sending fails.
pub trait Channel<M: Content>: 'static {
    const TRAITS: Traits;
    type Sender: Send + Clone;
    type Taker: Send;
    fn open(size: usize) -> (Self::Sender, Self::Taker);
    /// False where it is disconnected.
    fn send(sender: &mut Self::Sender, message: M) -> bool;
    /// Sends it if there is room.
    fn nudge(sender: &Self::Sender, message: M);
    fn receive(taker: &mut Self::Taker) -> Option<M>;
    fn try_receive(taker: &mut Self::Taker) -> Option<M>;
}

/// A way for producers to send messages to a consumer: a queue and how one waits at it. Every wait ends when it is
/// stopped.
trait Queue<M>: Sync + Sized + 'static {
    const TRAITS: Traits;
    type Sender: Send;
    type Taker: Send;
    fn send(&self, sender: &mut Self::Sender, count: u64, write: impl FnMut(&mut M, u64)) -> bool;
    fn take(&self, taker: &mut Self::Taker, most: u64, handle: impl FnMut(&M)) -> Taken;
    /// Waits likewise until that holds.
    fn gate(&self, until: impl FnMut() -> bool) -> bool;
    /// So many were taken: threads that wait at the gate ask again.
    fn open_gate(&self, taken: u64);
    fn stop(&self, taker: &Mutex<Option<Self::Taker>>);
    fn stopped(&self) -> bool;
}

/// A queue at which both sides keep polling, and what they do between two polls.
struct Polled<M, Q, W> {
    wait: W,
    stopped: AtomicBool,
    _queue: PhantomData<fn() -> (M, Q)>,
}

impl<M: Content, Q: TryQueue<M>, W: Wait> Polled<M, Q, W> {
    fn open(wait: W, shape: &Shape) -> Parts<Self, Q::Sender, Q::Taker> {
        let (senders, taker) = Q::open(shape.size as usize, shape.producers as usize);
        (Polled { wait, stopped: AtomicBool::new(false), _queue: PhantomData }, senders, taker)
    }
}

impl<M: Content, Q: TryQueue<M>, W: Wait> Queue<M> for Polled<M, Q, W> {
    const TRAITS: Traits = Q::TRAITS;
    type Sender = Q::Sender;
    type Taker = Q::Taker;

    #[inline(always)]
    fn send(&self, sender: &mut Q::Sender, count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        self.gate(|| Q::try_send(sender, count, &mut write))
    }
    #[inline(always)]
    fn take(&self, taker: &mut Q::Taker, most: u64, mut handle: impl FnMut(&M)) -> Taken {
        let mut taken = Taken::default();
        let mut polls = 0;
        loop {
            taken.count = Q::try_take(taker, most, &mut handle);
            if taken.count > 0 || self.stopped() {
                return taken;
            }
            taken.found_none = true;
            self.wait.idle(&mut polls);
        }
    }
    #[inline(always)]
    fn gate(&self, mut until: impl FnMut() -> bool) -> bool {
        let mut polls = 0;
        while !until() {
            if self.stopped() {
                return false;
            }
            self.wait.idle(&mut polls);
        }
        true
    }
    #[inline(always)]
    fn open_gate(&self, _taken: u64) {}
    fn stop(&self, _taker: &Mutex<Option<Q::Taker>>) {
        self.stopped.store(true, Ordering::Relaxed)
    }
    #[inline(always)]
    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// A channel, and a gate at which producers sleep that have too many in flight.
struct Sleeping<M: Content, Q: Channel<M>> {
    nudging: Mutex<Q::Sender>, // to wake a receiver that is to stop
    stopped: AtomicBool,
    gated: bool, // whether anybody may be at the gate
    sleepers: AtomicU64,
    asleep: Mutex<()>,
    opened: Condvar,
}

type Parts<Q, S, T> = (Q, Vec<S>, T);

impl<M: Content, Q: Channel<M>> Sleeping<M, Q> {
    fn open(shape: &Shape) -> Parts<Self, Q::Sender, Q::Taker> {
        let (sender, taker) = Q::open(shape.size as usize);
        let queue = Sleeping {
            nudging: Mutex::new(sender.clone()),
            stopped: AtomicBool::new(false),
            gated: shape.in_flight > 0 || !Q::TRAITS.bounded,
            sleepers: AtomicU64::new(0),
            asleep: Mutex::new(()),
            opened: Condvar::new(),
        };
        (queue, vec![sender; shape.producers as usize], taker)
    }
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Content, Q: Channel<M>> Queue<M> for Sleeping<M, Q> {
    const TRAITS: Traits = Q::TRAITS;
    type Sender = Q::Sender;
    type Taker = Q::Taker;

    #[inline(always)]
    fn send(&self, sender: &mut Q::Sender, _count: u64, mut write: impl FnMut(&mut M, u64)) -> bool {
        let mut message = M::EMPTY;
        write(&mut message, 0);
        if Q::send(sender, message) {
            return !self.stopped();
        }
        assert!(self.stopped(), "the channel is disconnected although its receiver is there");
        false
    }
    /// Waits for the first, and takes one by one until it finds it empty.
    #[inline(always)]
    fn take(&self, taker: &mut Q::Taker, most: u64, mut handle: impl FnMut(&M)) -> Taken {
        let mut taken = Taken::default();
        while taken.count < most {
            let message = match Q::try_receive(taker) {
                Some(message) => message,
                None if taken.count > 0 => break,
                None => {
                    taken.found_none = true;
                    match Q::receive(taker) {
                        Some(message) => message,
                        None => panic!("the channel is disconnected although its senders are there"),
                    }
                }
            };
            if self.stopped() {
                return Taken::default(); // it may be what stop() sent
            }
            handle(&message);
            taken.count += 1;
        }
        taken
    }
    /// Who waits says so and then asks; who takes tells how far it is and then looks who waits. Of two fences in one
    /// order at least one side sees what the other stored.
    fn gate(&self, mut until: impl FnMut() -> bool) -> bool {
        if until() {
            return true;
        }
        let mut asleep = held(&self.asleep);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut may = until();
        while !may && !self.stopped() {
            asleep = self.opened.wait(asleep).unwrap_or_else(PoisonError::into_inner);
            may = until();
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        may
    }
    #[inline(always)]
    fn open_gate(&self, _taken: u64) {
        if self.gated {
            fence(Ordering::SeqCst);
            if self.sleepers.load(Ordering::SeqCst) > 0 {
                drop(held(&self.asleep));
                self.opened.notify_all();
            }
        }
    }
    /// Without a receiver nobody can wait to send; one that is at work gets a message, unless it has enough of them.
    fn stop(&self, taker: &Mutex<Option<Q::Taker>>) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(held(&self.asleep));
        self.opened.notify_all();
        match taker.try_lock() {
            Ok(mut taker) => drop(taker.take()),
            Err(_) => Q::nudge(&held(&self.nudging), M::EMPTY),
        }
    }
    #[inline(always)]
    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// A queue with its ends, and of each producer how many of its messages were taken.
struct Gated<M, Q: Queue<M>> {
    shape: Shape,
    in_flight: u64, // 0: the queue itself says when it is full
    queue: LinePair<Q>,
    senders: Vec<LinePair<UnsafeCell<Q::Sender>>>, // each its producer's alone
    taker: Mutex<Option<Q::Taker>>, // held while its consumer is at work, and not from message to message
    taken: Vec<LinePair<AtomicU64>>,
    _message: PhantomData<fn() -> M>,
}

unsafe impl<M, Q: Queue<M>> Sync for Gated<M, Q> {}

impl<M, Q: Queue<M>> Gated<M, Q> {
    fn new(shape: Shape, parts: Parts<Q, Q::Sender, Q::Taker>) -> Self {
        let in_flight = if shape.in_flight > 0 || Q::TRAITS.bounded { shape.in_flight } else { shape.size };
        Gated {
            shape,
            in_flight,
            queue: LinePair(parts.0),
            senders: parts.1.into_iter().map(|sender| LinePair(UnsafeCell::new(sender))).collect(),
            taker: Mutex::new(Some(parts.2)),
            taken: (0..shape.producers).map(|_| LinePair(AtomicU64::new(0))).collect(),
            _message: PhantomData,
        }
    }

    /// Its producer's alone.
    #[allow(clippy::mut_from_ref)]
    fn sender(&self, producer: u64) -> &mut Q::Sender {
        unsafe { &mut *self.senders[producer as usize].0.get() }
    }

    /// Waits until a producer may send up to the id `wanted`: gives the id up to which it may; none where it was stopped.
    #[inline(never)]
    fn claim(&self, wanted: u64) -> Option<u64> {
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
struct Sent {
    next: u64,
    until: u64,
}

/// Sends batches until `count` messages are sent, or the queue was stopped; gives how many. The first message of each
/// batch says, if they are stamped, when the producer had it: before it waits for room, once.
#[inline(always)]
fn send_batches<const WORDS: usize, Q: Queue<Message<WORDS>>, const STAMPS: bool, const WORKS: bool>(
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
fn perform_sends<const WORDS: usize, Q: Queue<Message<WORDS>>, const WORKS: bool>(
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
fn send_stamped<const WORDS: usize, Q: Queue<Message<WORDS>>>(
    gated: &Gated<Message<WORDS>, Q>,
    at: &mut Sent,
    steps: u64,
) -> u64 {
    send_batches::<WORDS, Q, true, true>(gated, at, steps, 1, STAMPED)
}

/// Whether to go by the loop that works. Beside a payload to ask how long costs nothing, and the other is not compiled.
#[inline(always)]
fn works(words: usize, steps: u64) -> bool {
    words > 0 || steps > 0
}

struct Producer<'a, const WORDS: usize, Q: Queue<Message<WORDS>>> {
    gated: &'a Gated<Message<WORDS>, Q>,
    steps: u64,
    at: Sent,
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

/// How far a consumer has come: of the producer whose message came last the id that is due; so many have ended.
#[derive(Clone, Copy)]
struct Received {
    due: u64,
    ended: u64,
}

/// The consumer's loop: takes until it has taken `count` messages, or there is nothing to take any more; gives how many,
/// or what was wrong. It holds every message against the id that is due, and its payload against the id; times those
/// that are stamped; and works so many steps for each.
#[inline(never)]
fn perform_takes<const WORDS: usize, Q: Queue<Message<WORDS>>, const WORKS: bool>(
    gated: &Gated<Message<WORDS>, Q>,
    taker: &mut Q::Taker,
    kept: &mut Received,
    steps: u64,
    count: u64,
    samples: &mut Samples,
) -> Outcome<u64> {
    let mut at = *kept;
    let Shape { payload, size, producers, .. } = gated.shape;
    let publish = |due: u64| gated.taken[producer_of(due) as usize].0.store(number_of(due), Ordering::Release);
    let mut work = Steps::new();
    let mut wrong: Option<Trouble> = None;
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
        if let Some(trouble) = wrong {
            return Err(trouble);
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
        if taken > before {
            samples.record(0, taken - before);
        }
    }
    *kept = at;
    Ok(taken)
}

struct Consumer<'a, const WORDS: usize, Q: Queue<Message<WORDS>>> {
    gated: &'a Gated<Message<WORDS>, Q>,
    steps: u64,
    at: Received,
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Consumer<'_, WORDS, Q> {
    fn take(&mut self, count: u64, samples: &mut Samples) -> Outcome<u64> {
        let mut taker = held(&self.gated.taker);
        let Some(taker) = taker.as_mut() else { return Ok(0) };
        samples.others_wait(true);
        match works(WORDS, self.steps) {
            true => perform_takes::<WORDS, Q, true>(self.gated, taker, &mut self.at, self.steps, count, samples),
            false => perform_takes::<WORDS, Q, false>(self.gated, taker, &mut self.at, 0, count, samples),
        }
    }
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Player for Consumer<'_, WORDS, Q> {
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64> {
        self.take(task.count, samples)
    }
    /// All that was sent.
    fn leave(&mut self, samples: &mut Samples) -> Outcome<u64> {
        self.take(u64::MAX, samples)
    }
}

struct RingStage<const WORDS: usize, Q: Queue<Message<WORDS>>> {
    produce: u64, // steps that a producer takes for each message,
    work: u64,    // and the consumer
    gated: Gated<Message<WORDS>, Q>,
}

/// Thread 1 is the consumer; all others are producers.
const CONSUMER: u32 = 1;

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Stage for RingStage<WORDS, Q> {
    fn role_of(&self, thread: u32) -> u32 {
        (thread == CONSUMER).into()
    }
    fn compares_clocks(&self, one: u32, other: u32) -> bool {
        self.role_of(one) != self.role_of(other)
    }
    fn stop(&self, _line: usize) {
        self.gated.queue.0.stop(&self.gated.taker)
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

type Staged = Outcome<Box<dyn Stage>>;

fn staged<const WORDS: usize, Q: Queue<Message<WORDS>>>(
    setup: &Setup,
    open: impl FnOnce(&Shape) -> Parts<Q, Q::Sender, Q::Taker>,
) -> Staged {
    let shape = shape_of(&Q::TRAITS, setup)?;
    let bytes = size_of::<Message<WORDS>>() * shape.size as usize;
    refuse_excess(bytes, "the slots of the queue", "lower its size, payload or producers")?;
    let (produce, work) = (setup.number(c"produce"), setup.number(c"work"));
    Ok(Box::new(RingStage { produce, work, gated: Gated::new(shape, open(&shape)) }))
}

/// Opens a queue that polls with the wait that was asked for.
struct MakePolled<'a, const WORDS: usize, Q>(&'a Setup, PhantomData<Q>);

impl<const WORDS: usize, Q: TryQueue<Message<WORDS>>> WithWait for MakePolled<'_, WORDS, Q> {
    type Made = Staged;
    fn make<W: Wait>(self, wait: W) -> Staged {
        staged::<WORDS, Polled<Message<WORDS>, Q, W>>(self.0, |shape| Polled::open(wait, shape))
    }
}

const RING: Experiment = Experiment {
    head: r#""name":"ring","windows":"ns","threads":[2,4096],"stream":true,
"stalled":"No message arrives any more: one was lost, or the queue is full and nobody takes from it.",
"roles":[{"name":"producer","counts":false},{"name":"consumer","counts":true,"numbers":[{"name":"batch","unit":"messages"}]}]"#,
};

fn params_of(traits: &Traits, blocking: bool) -> String {
    let number = |name: &str, default: u32, least: u32, most: u32| {
        format!(r#"{{"name":"{name}","default":{default},"range":[{least},{most}]}}"#)
    };
    let mut all = vec![
        number("size", 65_536, 2, 1_048_576),
        number("payload", 0, 0, 126),
        number("in-flight", 0, 0, 1_048_576),
        number("produce", 0, 0, 1_000),
        number("work", 0, 0, 1_000),
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

fn add(probe: &mut Probe, traits: Traits, blocking: bool, make: fn(&Setup) -> Staged) {
    let params = params_of(&traits, blocking);
    probe.add(&RING, Mechanism { name: traits.name, blocking, timed: "latency", lines: 1, params, make });
}

/// A queue at which both sides poll.
pub fn add_queue<Q: TryQueue<Bare> + TryQueue<Small> + TryQueue<Large>>(probe: &mut Probe) {
    let traits = <Q as TryQueue<Bare>>::TRAITS;
    add(probe, traits, false, |setup| match setup.number(c"payload") {
        0 => with_wait(setup, MakePolled::<0, Q>(setup, PhantomData)),
        1..=6 => with_wait(setup, MakePolled::<6, Q>(setup, PhantomData)),
        _ => with_wait(setup, MakePolled::<126, Q>(setup, PhantomData)),
    });
    add_to_paced(probe, traits.name, false, open_polled::<Q>);
}

/// A channel at whose ends threads sleep.
pub fn add_channel<Q: Channel<Bare> + Channel<Small> + Channel<Large>>(probe: &mut Probe) {
    fn open<const WORDS: usize, Q: Channel<Message<WORDS>>>(setup: &Setup) -> Staged {
        staged::<WORDS, Sleeping<_, Q>>(setup, Sleeping::open)
    }
    let traits = <Q as Channel<Bare>>::TRAITS;
    add(probe, traits, true, |setup| match setup.number(c"payload") {
        0 => open::<0, Q>(setup),
        1..=6 => open::<6, Q>(setup),
        _ => open::<126, Q>(setup),
    });
    add_to_paced(probe, traits.name, true, open_channel::<Q>);
}

// --- a queue's operations, for the engine's loops of `paced` ---

/// Numbers from one thread to another.
trait Numbers {
    fn send(&self, number: u64);
    fn take(&self, numbers: &mut [u64]) -> usize;
    fn stop(&self);
}

impl<Q: Queue<Bare>> Numbers for Gated<Bare, Q> {
    fn send(&self, number: u64) {
        self.queue.0.send(self.sender(0), 1, |message, _| message.id = number);
    }
    fn take(&self, numbers: &mut [u64]) -> usize {
        let mut taker = held(&self.taker);
        let Some(taker) = taker.as_mut() else { return 0 };
        let (most, mut places) = (numbers.len() as u64, numbers.iter_mut());
        let taken = self.queue.0.take(taker, most, |message| {
            if let Some(place) = places.next() {
                *place = message.id
            }
        });
        taken.count as usize
    }
    fn stop(&self) {
        self.queue.0.stop(&self.taker)
    }
}

/// As many as there are, from one thread to one.
fn for_numbers(size: u64) -> Shape {
    Shape { size, payload: 0, in_flight: 0, batch: 1, producers: 1 }
}

type Carried = Box<dyn Numbers>;
type Open = extern "C" fn(u64, *const ffi::Setup, *mut ffi::Failure) -> *mut c_void;

fn add_to_paced(probe: &mut Probe, name: &str, blocking: bool, open: Open) {
    let description = described(name, blocking, if blocking { "" } else { crate::waits::PARAMS }).into_raw();
    probe.add_queue(ffi::Queue { size: size_of::<ffi::Queue>(), description, open, close, send, take, stop })
}

struct MakeNumbers<Q>(u64, PhantomData<Q>);

impl<Q: TryQueue<Bare>> WithWait for MakeNumbers<Q> {
    type Made = Carried;
    fn make<W: Wait>(self, wait: W) -> Carried {
        let shape = for_numbers(self.0);
        Box::new(Gated::new(shape, Polled::<Bare, Q, W>::open(wait, &shape)))
    }
}

extern "C" fn open_polled<Q: TryQueue<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    carried(setup, why, |setup| with_wait(setup, MakeNumbers::<Q>(size, PhantomData)))
}

extern "C" fn open_channel<Q: Channel<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    let shape = for_numbers(size);
    carried(setup, why, |_| Box::new(Gated::new(shape, Sleeping::<Bare, Q>::open(&shape))))
}

fn carried(setup: *const ffi::Setup, why: *mut ffi::Failure, open: impl FnOnce(&Setup) -> Carried) -> *mut c_void {
    opened(why, setup, std::ptr::null_mut(), |setup| Ok(Box::into_raw(Box::new(open(setup))).cast()))
}

fn carried_at<'a>(queue: *mut c_void) -> &'a dyn Numbers {
    unsafe { &**queue.cast::<Carried>() }
}

extern "C" fn close(queue: *mut c_void) {
    if !queue.is_null() {
        drop(unsafe { Box::from_raw(queue.cast::<Carried>()) })
    }
}

extern "C" fn send(queue: *mut c_void, number: u64) {
    operated((), || carried_at(queue).send(number))
}

extern "C" fn take(queue: *mut c_void, numbers: *mut u64, most: usize) -> usize {
    operated(0, || carried_at(queue).take(unsafe { std::slice::from_raw_parts_mut(numbers, most) }))
}

extern "C" fn stop(queue: *mut c_void) {
    operated((), || carried_at(queue).stop())
}
