//! Types of a user's own, one for each breach of the contract: each is tried in a process of its own, which ends with what
//! was seen.

use std::collections::VecDeque;
use std::process::{Command, Output};
use std::ptr::copy_nonoverlapping;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicU8, Ordering::*};
use std::sync::{mpsc, Arc, Condvar, Mutex};
use std::time::Duration;
use threadping::lock::Lock;
use threadping::queue::{Channel, Content, Traits, TryQueue};
use threadping::signal::Signal;
use threadping::Outcome;

/// What goes wrong, mostly at the 100th operation.
const AT: u64 = 100;
const WHOLE: u8 = 0;
const LOSES: u8 = 1;
const DOUBLES: u8 = 2;
const REORDERS: u8 = 3;
const TEARS: u8 = 4;
const IS_NEVER_FULL: u8 = 5;
const WAITS: u8 = 6;
const PANICS_AT_FIRST: u8 = 7;
const PANICS_SENDING: u8 = 8;
const PANICS_TAKING: u8 = 9;
const PANICS_AT_LAST: u8 = 10;
const DOES_NOT_STOP: u8 = 11;
const SLEEPS_ON: u8 = 12;
const RETURNS_EARLY: u8 = 13;
const LETS_ALL_IN: u8 = 14;

/// What is wrong in the process of this case. Types with it as a parameter would have all timed loops compiled for each case.
static WRONG: AtomicU8 = AtomicU8::new(WHOLE);

fn is_wrong(how: u8) -> bool {
    WRONG.load(Relaxed) == how
}

/// What hangs does so for seconds, and leaves the CPUs to the other cases meanwhile.
fn sleep() {
    std::thread::sleep(Duration::from_millis(1))
}

struct Shared<M> {
    messages: Mutex<VecDeque<M>>,
    size: usize,
    taken: AtomicU64,
}

impl<M> Drop for Shared<M> {
    fn drop(&mut self) {
        assert!(!is_wrong(PANICS_AT_LAST), "nothing to free")
    }
}

struct Queue;
impl<M: Content> TryQueue<M> for Queue {
    const TRAITS: Traits = Traits { many_producers: true, ..Traits::of("own") };
    type Sender = Arc<Shared<M>>;
    type Taker = Arc<Shared<M>>;

    fn open(size: usize, producers: usize) -> (Vec<Self::Sender>, Self::Taker) {
        assert!(!is_wrong(PANICS_AT_FIRST), "no space");
        let messages = Mutex::new(VecDeque::new());
        let shared = Arc::new(Shared { messages, size, taken: AtomicU64::new(0) });
        (vec![shared.clone(); producers], shared)
    }
    fn push(shared: &mut Self::Sender, message: M) -> bool {
        loop {
            let mut messages = shared.messages.lock().unwrap();
            if messages.len() < shared.size || is_wrong(IS_NEVER_FULL) {
                messages.push_back(message);
                assert!(!is_wrong(PANICS_SENDING) || messages.len() < 4, "nothing to push");
                return true;
            }
            if !is_wrong(WAITS) {
                return false;
            }
            drop(messages);
            sleep()
        }
    }
    fn pop(shared: &mut Self::Taker) -> Option<M> {
        let mut messages = shared.messages.lock().unwrap();
        let mut message = messages.pop_front()?;
        let at = shared.taken.fetch_add(1, Relaxed) + 1;
        match (WRONG.load(Relaxed), messages.front_mut()) {
            (REORDERS, Some(next)) if at >= AT => std::mem::swap(&mut message, next),
            (TEARS, Some(next)) if at >= AT => unsafe {
                copy_nonoverlapping((&raw const *next).cast::<u8>(), (&raw mut message).cast(), 32)
            },
            _ => {}
        }
        match WRONG.load(Relaxed) {
            LOSES if at == AT => return messages.pop_front(),
            DOUBLES if at == AT => messages.push_front(message),
            PANICS_TAKING => panic!("nothing to pop"),
            _ => {}
        }
        Some(message)
    }
}

struct Pipe;
impl<M: Content> Channel<M> for Pipe {
    type Sender = mpsc::SyncSender<M>;
    type Taker = mpsc::Receiver<M>;

    fn open(size: usize) -> (Self::Sender, Self::Taker) {
        mpsc::sync_channel(if is_wrong(IS_NEVER_FULL) { 1 << 20 } else { size })
    }
    fn send(sender: &mut Self::Sender, message: M) -> bool {
        sender.send(message).is_ok()
    }
    fn nudge(sender: &Self::Sender, message: M) {
        if !is_wrong(DOES_NOT_STOP) {
            let _ = sender.try_send(message);
        }
    }
    fn receive(taker: &mut Self::Taker) -> Option<M> {
        assert!(!is_wrong(PANICS_TAKING), "nothing to receive");
        taker.recv().ok()
    }
    fn try_receive(taker: &mut Self::Taker) -> Option<M> {
        taker.try_recv().ok()
    }
}

#[derive(Clone, Copy, Default)]
struct Bell;
impl Signal for Bell {
    const SLEEPS: bool = true;
    type Cell = (Mutex<u64>, Condvar);

    fn cell(&self) -> Outcome<Self::Cell> {
        assert!(!is_wrong(PANICS_AT_FIRST), "no bell");
        Ok(Default::default())
    }
    fn publish(&self, (published, changed): &Self::Cell, number: u64) {
        assert!(!is_wrong(PANICS_SENDING), "nothing to publish");
        if is_wrong(LOSES) && number == AT {
            return;
        }
        let mut published = published.lock().unwrap();
        *published = number.max(*published);
        if !is_wrong(SLEEPS_ON) || number < AT {
            changed.notify_all();
        }
    }
    fn wait(&self, (published, changed): &Self::Cell, number: u64) -> u64 {
        let wanted = if is_wrong(RETURNS_EARLY) && number >= AT { number - 1 } else { number };
        *changed.wait_while(published.lock().unwrap(), |published| *published < wanted).unwrap()
    }
    fn stop(&self, cell: &Self::Cell) {
        if !is_wrong(DOES_NOT_STOP) {
            self.publish(cell, threadping::api::STOPPED)
        }
    }
    fn peek(&self, (published, _): &Self::Cell) -> u64 {
        *published.lock().unwrap()
    }
}

#[derive(Default)]
struct Door {
    held: AtomicBool,
    times: AtomicU64,
}
impl Drop for Door {
    fn drop(&mut self) {
        assert!(!is_wrong(PANICS_AT_LAST), "no hinge")
    }
}
impl Lock for Door {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        while !is_wrong(LETS_ALL_IN) && self.held.swap(true, Acquire) {
            if is_wrong(LOSES) {
                sleep()
            } else {
                std::thread::yield_now()
            }
        }
        let times = self.times.fetch_add(1, Relaxed);
        assert!(!is_wrong(PANICS_TAKING) || times < AT, "no key");
        let done = critical();
        self.held.store(is_wrong(LOSES) && times >= AT, Release);
        done
    }
}

/// Of two concepts, of a half, and of none.
#[derive(Clone, Copy, Default)]
struct Both;
impl Signal for Both {
    type Cell = AtomicU64;
    fn cell(&self) -> Outcome<AtomicU64> {
        Ok(AtomicU64::new(0))
    }
    fn publish(&self, _: &AtomicU64, _: u64) {}
    fn wait(&self, _: &AtomicU64, number: u64) -> u64 {
        number
    }
    fn peek(&self, _: &AtomicU64) -> u64 {
        0
    }
}
impl Lock for Both {
    fn hold<T>(&self, critical: impl FnOnce() -> T) -> T {
        critical()
    }
}

#[derive(Clone, Copy)]
struct NotDefault;
impl Signal for NotDefault {
    type Cell = AtomicU64;
    fn cell(&self) -> Outcome<Self::Cell> {
        Ok(AtomicU64::new(0))
    }
    fn publish(&self, _: &Self::Cell, _: u64) {}
    fn wait(&self, _: &Self::Cell, number: u64) -> u64 {
        number
    }
    fn peek(&self, _: &Self::Cell) -> u64 {
        0
    }
}

struct OfOneMessage;
impl TryQueue<threadping::queue::Message<0>> for OfOneMessage {
    type Sender = ();
    type Taker = ();
    fn open(_: usize, _: usize) -> (Vec<()>, ()) {
        (vec![()], ())
    }
    fn push(_: &mut (), _: threadping::queue::Message<0>) -> bool {
        false
    }
    fn pop(_: &mut ()) -> Option<threadping::queue::Message<0>> {
        None
    }
}

/// The program of a type, what is wrong in it, the exit status of its check, and a part of what that says last.
type Case = (&'static str, fn(), u8, i32, &'static str);

macro_rules! cases {
    ($($type:ident $wrong:ident: $status:literal $said:expr;)*) => {
        &[$((
            concat!(stringify!($type), " ", stringify!($wrong)),
            || threadping::own!("my_crate", $type),
            $wrong,
            $status,
            $said
        )),*]
    };
}

const CASES: &[Case] = cases! {
    Queue WHOLE: 0 "";
    Queue LOSES: 1 "Lost: message ";
    Queue DOUBLES: 1 "Doubled: message ";
    Queue REORDERS: 1 "Reordered: message ";
    Queue TEARS: 1 "Torn: a message came whose words are not all of one message.";
    Queue IS_NEVER_FULL: 1 "it is never full. Say `bounded: false` in it.";
    Queue WAITS: 1 "push() to a full queue has not returned";
    Queue PANICS_AT_FIRST: 1 "panicked: no space (tests/contracts.rs, line ";
    Queue PANICS_SENDING: 1 "panicked: nothing to push (tests/contracts.rs, line ";
    Queue PANICS_TAKING: 1 "panicked: nothing to pop (tests/contracts.rs, line ";
    Queue PANICS_AT_LAST: 1 "panicked: nothing to free (tests/contracts.rs, line ";
    Pipe WHOLE: 0 "";
    Pipe IS_NEVER_FULL: 1 "it is never full. Say `bounded: false` in it.";
    Pipe PANICS_TAKING: 1 "panicked: nothing to receive (tests/contracts.rs, line ";
    Pipe DOES_NOT_STOP: 1 "A wait was not ended by stop(): receive() of an empty queue";
    Bell WHOLE: 0 "";
    Bell LOSES: 1 "Lost: publish(100) has returned, and peek() gives 99.";
    Bell RETURNS_EARLY: 1 "wait(100) gave 99: it returned too early.";
    Bell SLEEPS_ON: 1 "A wake-up was lost: ";
    Bell DOES_NOT_STOP: 1 "A wait was not ended by stop(): wait() has not returned";
    Bell PANICS_AT_FIRST: 1 "panicked: no bell (tests/contracts.rs, line ";
    Bell PANICS_SENDING: 1 "panicked: nothing to publish (tests/contracts.rs, line ";
    Door WHOLE: 0 "";
    Door LETS_ALL_IN: 1 "Two threads were inside at once";
    Door LOSES: 1 "No thread gets the lock any more";
    Door PANICS_TAKING: 1 "panicked: no key (tests/contracts.rs, line ";
    Door PANICS_AT_LAST: 1 "panicked: no hinge (tests/contracts.rs, line ";
    Both WHOLE: 2 "'Both' of 'my_crate' is both a Signal and a Lock. Leave one of them out.";
    NotDefault WHOLE: 2 "'NotDefault' of 'my_crate' is a Signal, but lacks Default: write #[derive(Clone, Copy, Default)] above it.";
    OfOneMessage WHOLE: 2 "'OfOneMessage' of 'my_crate' is a TryQueue, but lacks the other messages: write impl<M: Content> ... for it.";
    String WHOLE: 2 "'String' of 'my_crate' implements none of Signal, Lock, TryQueue and Channel of the crate threadping.";
};

const CHOSEN: &str = "THREADPING_CASE";

/// Cases at once: those that hang sleep for three seconds each.
const AT_ONCE: usize = 8;

/// Without the name of a case: all of them, some at once.
fn main() {
    if let Ok(chosen) = std::env::var(CHOSEN) {
        let Some(&(_, program, wrong, ..)) = CASES.iter().find(|case| case.0 == chosen) else { return };
        WRONG.store(wrong, Relaxed);
        return program();
    }
    let next = AtomicU64::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = CASES.get(next.fetch_add(1, Relaxed) as usize) {
                    let sentence = what_is_wrong(case); // before the lock, which would have the cases wait for each other
                    wrong.lock().unwrap().extend(sentence)
                }
            });
        }
    });
    assert!(wrong.lock().unwrap().is_empty(), "{}", wrong.lock().unwrap().join("\n"));
}

fn what_is_wrong(&(name, _, _, status, said): &Case) -> Option<String> {
    let program = std::env::current_exe().unwrap();
    let Output { status: ended, stderr, .. } =
        Command::new(program).args(["--name", "own", "check"]).env(CHOSEN, name).output().unwrap();
    let log = String::from_utf8_lossy(&stderr);
    let last = log.lines().last().unwrap_or("");
    let as_due = ended.code() == Some(status) && last.contains(said);
    (!as_due).then(|| format!("{name}: {ended}: {last}"))
}
