//! Mechanisms that are wrong, each in another way: what a trial of them answers. The loops are those of every mechanism.

mod requests; // which are wrong themselves

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{mpsc, Condvar, Mutex};
use threadping::api::{Counts, Experiment, Mechanism, Player, Probe, Stage};
use threadping::barrier::{add_barrier, add_fork, Barrier, Fork};
use threadping::lock::{add_counter, add_lock, Lock, UnlockedCounter};
use threadping::queue::{add_channel, add_queue, Channel, Content, Traits, TryQueue};
use threadping::signal::{add_signal, Signal};
use threadping::{Code, Error, Outcome};

/// Early enough for a machine where trials are cut to a few operations.
const AT: u64 = 7;

/// The answer of a quick trial: its result, or its error.
fn measured(probe: &Probe, experiment: &str, mechanism: &str, windows: &str, threads: usize) -> String {
    measured_with("", probe, experiment, mechanism, windows, threads)
}

fn measured_with(
    params: &str,
    probe: &Probe,
    experiment: &str,
    mechanism: &str,
    windows: &str,
    threads: usize,
) -> String {
    let threads = vec![r#"{"cpu":null}"#; threads].join(",");
    let sizes = if windows == "ops" { 50 } else { 1_000_000 };
    let request = format!(
        r#"{{"schema":4,"experiment":"{experiment}","mechanism":"{mechanism}","params":{{{params}}},"threads":[{threads}],
        "pin":"thread","home":null,"lines":1,"outliers":null,"seed":7,
        "warmup":{{"rounds":1,"ops":20,"steady":null,"limit_ns":50000000,"look_ns":100000,"uninterrupted":false}},
        "windows":{{"unit":"{windows}","throughput":{sizes},"sampling":{sizes},"visits":2,"chunk_ns":20000,"clock_share":0.5}},
        "measure_ns":50000000,"bound_ns":1000000000,"patience_ns":500000000}}"#
    );
    probe.run(&request).unwrap_or_else(|sentence| sentence)
}

fn probe() -> Probe {
    Probe::new("test", "1")
}

fn contains(answer: &str, part: &str) {
    assert!(answer.contains(part), "{answer}");
}

/// A number that both sides poll, whose publisher does `WRONG` once.
#[derive(Clone, Copy, Default)]
struct Word<const WRONG: u8>;
const LOSES: u8 = 1;
const DOUBLES: u8 = 2;
const PANICS_SENDING: u8 = 3;
const PANICS_WAITING: u8 = 4;

impl<const WRONG: u8> Signal for Word<WRONG> {
    const SLEEPS: bool = true; // so that all three experiments measure it
    type Cell = AtomicU64;

    fn cell(&self) -> Outcome<AtomicU64> {
        Ok(AtomicU64::new(0))
    }
    fn publish(&self, cell: &AtomicU64, number: u64) {
        match WRONG {
            LOSES if number == AT => return,
            DOUBLES if number == AT => return cell.store(number + 1, Ordering::Release),
            PANICS_SENDING if number == AT => panic!("nothing to publish"),
            _ => {}
        }
        cell.store(number, Ordering::Release)
    }
    fn wait(&self, cell: &AtomicU64, number: u64) -> u64 {
        assert!(WRONG != PANICS_WAITING || number < AT, "nothing to wait for");
        loop {
            let seen = cell.load(Ordering::Acquire);
            if seen >= number {
                return seen;
            }
            std::thread::yield_now();
        }
    }
    fn peek(&self, cell: &AtomicU64) -> u64 {
        cell.load(Ordering::Relaxed)
    }
}

fn signalled<S: Signal + Default>(experiment: &str) -> String {
    let mut probe = probe();
    add_signal::<S>(&mut probe, "made-up");
    measured(&probe, experiment, "made-up", if experiment == "signal" { "ops" } else { "ns" }, 2)
}

#[test]
fn a_signal_that_is_whole_is_measured() {
    for experiment in ["signal", "wakeup", "load"] {
        contains(&signalled::<Word<0>>(experiment), r#""measured""#);
    }
}

#[test]
fn a_signal_that_loses_or_doubles_is_found_out() {
    contains(&signalled::<Word<LOSES>>("signal"), "No handoff arrives any more");
    contains(&signalled::<Word<DOUBLES>>("signal"), "one was lost or doubled.");
}

#[test]
fn a_signal_that_panics_is_the_trials_failure_in_a_sentence() {
    for experiment in ["signal", "wakeup", "load"] {
        let published = signalled::<Word<PANICS_SENDING>>(experiment);
        assert_eq!(published, "A thread of the mechanism panicked: nothing to publish.");
        let awaited = signalled::<Word<PANICS_WAITING>>(experiment);
        assert_eq!(awaited, "A thread of the mechanism panicked: nothing to wait for.");
    }
}

/// Loses its first increment. (A lock that keeps nobody out loses some by chance alone.)
#[derive(Default)]
struct Lossy(AtomicU64);
impl UnlockedCounter for Lossy {
    fn add(&self) {
        self.fetch();
    }
    fn fetch(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
    fn sum(&self) -> u64 {
        self.0.load(Ordering::Relaxed).saturating_sub(1)
    }
}

/// Keeps all others out.
#[derive(Default)]
struct Sound(Mutex<()>);
impl Lock for Sound {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        let _held = self.0.lock();
        critical()
    }
}

/// Panics once while it is held.
#[derive(Default)]
struct Poisoned(Mutex<u64>);
impl Lock for Poisoned {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        let mut holds = self.0.lock().expect("the lock is poisoned");
        *holds += 1;
        assert!(*holds != AT, "its holder panicked");
        critical()
    }
}

/// Panics when it is dropped.
#[derive(Default)]
struct Undroppable(Mutex<()>);
impl Lock for Undroppable {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        let _held = self.0.lock();
        critical()
    }
}
impl Drop for Undroppable {
    fn drop(&mut self) {
        panic!("nothing to drop")
    }
}

/// Nobody knows its roles.
struct Unknown;
impl Stage for Unknown {
    fn role_of(&self, _thread: u32) -> u32 {
        panic!("no role")
    }
    fn count(&self, _operations: &[u64], _counts: &mut Counts) {}
    fn player(&self, _thread: u32) -> Outcome<Box<dyn Player + '_>> {
        unreachable!()
    }
}

fn locked<L: Lock>() -> String {
    let mut probe = probe();
    add_lock::<L>(&mut probe, "made-up");
    measured(&probe, "lock", "made-up", "ns", 2)
}

#[test]
fn a_counter_that_loses_an_increment_is_found_out() {
    let mut probe = probe();
    add_counter::<Lossy>(&mut probe, "made-up");
    contains(&measured(&probe, "lock", "made-up", "ns", 2), " were found: 1 lost.");
}

#[test]
fn a_lock_that_is_whole_loses_no_write_between_reads_and_tears_no_read() {
    let mut probe = probe();
    add_lock::<Sound>(&mut probe, "made-up");
    let answer = measured_with(r#""writes":50"#, &probe, "lock", "made-up", "ns", 2);
    contains(&answer, r#""whole reads":{"made""#);
}

#[test]
fn a_poisoned_lock_is_the_trials_failure_in_a_sentence() {
    let answer = locked::<Poisoned>();
    contains(&answer, "A thread of the mechanism panicked: ");
    assert!(answer.contains("its holder panicked") || answer.contains("the lock is poisoned"), "{answer}");
}

#[test]
fn what_panics_when_it_is_dropped_does_not_end_the_process() {
    contains(&locked::<Undroppable>(), r#""measured""#);
}

#[test]
fn a_stage_that_panics_is_the_trials_failure_in_a_sentence() {
    const HEAD: &str = r#""name":"own","windows":"ns","threads":[1,2],"stalled":"Nothing happens.","roles":[{"name":"any","counts":true}]"#;
    let (name, params) = ("made-up", String::new());
    let mechanism =
        Mechanism { name, blocking: false, timed: "call", lines: 1, params, make: |_| Ok(Box::new(Unknown)) };
    let mut probe = probe();
    probe.add(&Experiment { head: HEAD }, mechanism);
    assert_eq!(measured(&probe, "own", name, "ns", 2), "A thread of the mechanism panicked: no role.");
}

/// A channel of the standard library whose receiver does `WRONG` once.
struct Pipe<const WRONG: u8>;
const REORDERS: u8 = 5;
const DISCONNECTS: u8 = 6;
const UNBOUNDED: u8 = 7; // wrong in nothing
const PANICS_WHILE_FULL: u8 = 8;

struct Receiver<M> {
    end: Option<mpsc::Receiver<M>>,
    kept: Option<M>,
    received: u64,
    _gone: Gone,
}

/// Set when it is dropped.
struct Gone(&'static AtomicBool);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed)
    }
}

/// Whether a receiver of a channel that is so wrong was freed: not while a thread may still wait at it.
static GONE: [AtomicBool; 9] = [const { AtomicBool::new(false) }; 9];

fn is_gone<const WRONG: u8>() -> bool {
    GONE[WRONG as usize].load(Ordering::Relaxed)
}

impl<M: Content, const WRONG: u8> Channel<M> for Pipe<WRONG> {
    const TRAITS: Traits = Traits {
        bounded: WRONG != UNBOUNDED,
        many_producers: WRONG == UNBOUNDED,
        least_size: 0,
        ..Traits::of("made-up")
    };
    type Sender = (mpsc::SyncSender<M>, u64);
    type Taker = Receiver<M>;

    fn open(size: usize) -> (Self::Sender, Self::Taker) {
        let (sender, end) = mpsc::sync_channel(size);
        ((sender, 0), Receiver { end: Some(end), kept: None, received: 0, _gone: Gone(&GONE[WRONG as usize]) })
    }
    fn send((end, sent): &mut Self::Sender, message: M) -> bool {
        *sent += 1;
        assert!(WRONG != PANICS_SENDING || *sent < AT, "nothing to send");
        end.send(message).is_ok()
    }
    fn nudge((end, _): &Self::Sender, message: M) {
        let _ = end.try_send(message);
    }
    fn receive(taker: &mut Self::Taker) -> Option<M> {
        taker.received += 1;
        if taker.received != AT {
            return taker.kept.take().or_else(|| taker.end.as_ref()?.recv().ok());
        }
        let message = taker.end.as_ref()?.recv().ok();
        match WRONG {
            LOSES => taker.end.as_ref()?.recv().ok(),
            DOUBLES => {
                taker.kept = message;
                message
            }
            REORDERS => {
                taker.kept = message;
                taker.end.as_ref()?.recv().ok()
            }
            DISCONNECTS => {
                taker.end = None;
                message
            }
            PANICS_WAITING | PANICS_WHILE_FULL => panic!("nothing to receive"),
            _ => message,
        }
    }
    fn try_receive(_taker: &mut Self::Taker) -> Option<M> {
        None
    }
}

fn sent<const WRONG: u8>() -> String {
    sent_with::<WRONG>("", 2)
}

fn sent_with<const WRONG: u8>(params: &str, threads: usize) -> String {
    let mut probe = probe();
    add_channel::<Pipe<WRONG>>(&mut probe);
    measured_with(params, &probe, "queue", "made-up", "ns", threads)
}

#[test]
fn a_channel_that_is_whole_is_measured() {
    contains(&sent::<0>(), r#""messages":{"made""#);
}

#[test]
fn a_channel_that_holds_one_or_none_is_measured() {
    for size in [0, 1] {
        contains(&sent_with::<0>(&format!(r#""size":{size}"#), 2), r#""messages":{"made""#);
    }
}

#[test]
fn a_channel_that_loses_doubles_or_reorders_is_found_out() {
    for answer in [sent::<LOSES>(), sent::<DOUBLES>(), sent::<REORDERS>()] {
        contains(&answer, "came: one was lost, doubled or overtaken.");
    }
}

#[test]
fn a_channel_that_disconnects_or_panics_is_the_trials_failure_in_a_sentence() {
    contains(&sent::<DISCONNECTS>(), "A thread of the mechanism panicked: the channel is disconnected although its");
    assert_eq!(sent::<PANICS_WAITING>(), "A thread of the mechanism panicked: nothing to receive.");
    assert_eq!(sent::<PANICS_SENDING>(), "A thread of the mechanism panicked: nothing to send.");
    assert!(is_gone::<PANICS_SENDING>(), "its receiver, which waits for more, was not signalled to stop");
}

#[test]
fn a_sender_that_waits_for_space_is_freed_where_the_receiver_panics() {
    let answer = sent_with::<PANICS_WHILE_FULL>(r#""size":2"#, 2);
    assert_eq!(answer, "A thread of the mechanism panicked: nothing to receive.");
    assert!(is_gone::<PANICS_WHILE_FULL>(), "its sender, which waits for space, was not signalled to stop");
}

/// A bound that is ours is each producer's: together they may have 4 TiB in flight.
#[test]
fn what_all_producers_may_have_in_flight_is_claimed() {
    let answer = sent_with::<UNBOUNDED>(r#""size":1048576,"message-bytes":1024,"producers":4095"#, 4096);
    contains(&answer, "lower its size, message-bytes or producers");
}

/// A queue that takes nothing any more after a while.
struct Full;
static IS_FULL: AtomicBool = AtomicBool::new(false);
static IS_FREED: AtomicBool = AtomicBool::new(false);

impl<M: Content> TryQueue<M> for Full {
    const TRAITS: Traits = Traits::of("made-up");
    type Sender = mpsc::Sender<M>;
    type Taker = (mpsc::Receiver<M>, Gone);

    fn open(_size: usize, _producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let (sender, taker) = mpsc::channel();
        (vec![sender], (taker, Gone(&IS_FREED)))
    }
    fn push(sender: &mut Self::Sender, message: M) -> bool {
        !IS_FULL.load(Ordering::Relaxed) && sender.send(message).is_ok()
    }
    fn pop((taker, _): &mut Self::Taker) -> Option<M> {
        taker.try_recv().ok().inspect(|_| IS_FULL.store(true, Ordering::Relaxed))
    }
}

#[test]
fn a_queue_that_stays_full_has_stalled() {
    let mut probe = probe();
    add_queue::<Full>(&mut probe);
    contains(&measured(&probe, "queue", "made-up", "ns", 2), "No message arrives any more");
    assert!(IS_FREED.load(Ordering::Relaxed), "its two sides, which poll it, were not signalled to stop");
}

/// A queue that writes half of a later message over an earlier one.
struct Torn;

impl<M: Content> TryQueue<M> for Torn {
    const TRAITS: Traits = Traits::of("made-up");
    type Sender = mpsc::SyncSender<M>;
    type Taker = (mpsc::Receiver<M>, Option<M>);

    fn open(size: usize, _producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        let (sender, taker) = mpsc::sync_channel(size);
        (vec![sender], (taker, None))
    }
    fn push(sender: &mut Self::Sender, message: M) -> bool {
        sender.try_send(message).is_ok()
    }
    fn pop((taker, before): &mut Self::Taker) -> Option<M> {
        let mut message = taker.try_recv().ok()?;
        if let Some(before) = before.replace(message) {
            let half = size_of::<M>() / 2;
            unsafe {
                let from = (&raw const before).cast::<u8>().add(half);
                std::ptr::copy_nonoverlapping(from, (&raw mut message).cast::<u8>().add(half), half)
            }
        }
        Some(message)
    }
}

#[test]
fn a_queue_that_tears_a_payload_is_found_out() {
    let mut probe = probe();
    add_queue::<Torn>(&mut probe);
    let answer = measured_with(r#""message-bytes":64"#, &probe, "queue", "made-up", "ns", 2);
    contains(&answer, "came with a payload that is not its own: it was torn or overwritten.");
}

/// A barrier at a lock and a condition, which is `WRONG` in one round.
struct Circle<const WRONG: u8> {
    workers: u64,
    rounds: Mutex<(u64, u64, bool)>, // the latest, the arrivals in all, and whether it is stopped
    changed: Condvar,
}
const GOES_EARLY: u8 = 9;
const ENDS_EARLY: u8 = 10;

impl<const WRONG: u8> Circle<WRONG> {
    fn change(&self, change: impl FnOnce(&mut (u64, u64, bool))) {
        change(&mut self.rounds.lock().unwrap());
        self.changed.notify_all()
    }
    fn until(&self, until: impl Fn(u64, u64) -> bool) {
        let rounds = self.rounds.lock().unwrap();
        drop(self.changed.wait_while(rounds, |rounds| !until(rounds.0, rounds.1) && !rounds.2).unwrap())
    }
}

impl<const WRONG: u8> Barrier for Circle<WRONG> {
    fn open(workers: usize, _crowded: bool) -> Outcome<Self> {
        Ok(Circle { workers: workers as u64, rounds: Mutex::default(), changed: Condvar::new() })
    }
    fn release(&self, round: u64) {
        assert!(WRONG != PANICS_SENDING || round < AT, "nobody to release");
        if WRONG != LOSES || round != AT {
            self.change(|rounds| rounds.0 = round)
        }
    }
    fn wait(&self, _worker: usize, round: u64) {
        assert!(WRONG != PANICS_WAITING || round < AT, "nothing to wait for");
        self.until(|latest, _| latest >= round || WRONG == GOES_EARLY && latest + 1 >= round)
    }
    fn arrive(&self, _worker: usize, _round: u64) {
        self.change(|rounds| rounds.1 += 1)
    }
    fn join(&self, round: u64) {
        self.until(|_, arrived| arrived >= round * self.workers || WRONG == ENDS_EARLY && round >= AT)
    }
    fn stop(&self) {
        self.change(|rounds| rounds.2 = true)
    }
}

fn joined<const WRONG: u8>() -> String {
    let mut probe = probe();
    add_barrier::<Circle<WRONG>>(&mut probe, "made-up");
    measured(&probe, "barrier", "made-up", "ns", 3)
}

#[test]
fn a_barrier_that_is_whole_is_measured() {
    contains(&joined::<0>(), r#""rounds":{"made""#);
}

#[test]
fn a_barrier_whose_workers_or_coordinator_go_too_early_is_found_out() {
    contains(&joined::<GOES_EARLY>(), "orker "); // it ran before the coordinator had begun a round, or did one too many
    contains(&joined::<ENDS_EARLY>(), "When the coordinator knew that round ");
}

#[test]
fn a_barrier_that_loses_a_round_has_stalled() {
    contains(&joined::<LOSES>(), "No round ends any more: a worker was not woken, or one is missing.");
}

#[test]
fn a_barrier_that_panics_is_the_trials_failure_in_a_sentence() {
    assert_eq!(joined::<PANICS_SENDING>(), "A thread of the mechanism panicked: nobody to release.");
    assert_eq!(joined::<PANICS_WAITING>(), "A thread of the mechanism panicked: nothing to wait for.");
}

/// It would bring threads, and has none.
struct Nobody;

impl Fork for Nobody {
    fn open(_workers: usize) -> Outcome<Self> {
        Ok(Nobody)
    }
    fn call(&self, _body: impl Fn(usize) + Sync) -> Outcome<()> {
        Err(Error::new(Code::Unsupported, "There are no threads here."))
    }
}

#[test]
fn what_brings_no_threads_is_the_trials_failure_in_a_sentence() {
    let mut probe = probe();
    add_fork::<Nobody>(&mut probe, "made-up");
    assert_eq!(measured(&probe, "barrier", "made-up", "ns", 3), "There are no threads here.");
}

#[test]
fn what_is_added_twice_is_refused() {
    let mut probe = probe();
    add_counter::<Lossy>(&mut probe, "made-up");
    add_counter::<Lossy>(&mut probe, "made-up");
    assert_eq!(probe.describe(), Err("made-up of lock is added twice.".into()));
}
