//! A queue's operations: for the engine's loops of `load`, and for the checks of its contract.

use super::ends::{Channel, Polled, Queue, TryQueue};
use super::loops::Gated;
use super::message::{producer_of, Bare, Content, Message, Small};
use super::shape::{Shape, Traits};
use super::sleeping::Sleeping;
use crate::api::{dropped, opened, operated, tried, Probe, Setup};
use crate::ffi;
use crate::waits::{with_spin_or_other, Rest, Wait, WithWait};
use std::ffi::{c_int, c_void, CStr};
use std::marker::PhantomData;
use std::mem::size_of;
use std::ptr::null_mut;

/// Messages from some threads to one, which another may stop.
trait Carrier<M>: Send + Sync {
    fn send(&self, producer: u64, message: M) -> bool;
    /// Has `handle` handle at most `most` that came, and gives how many: none where it was stopped.
    fn take(&self, most: u64, handle: &mut dyn FnMut(&M)) -> u64;
    fn stop(&self);
}

impl<const WORDS: usize, Q: Queue<Message<WORDS>>> Carrier<Message<WORDS>> for Gated<Message<WORDS>, Q> {
    fn send(&self, producer: u64, message: Message<WORDS>) -> bool {
        !self.queue.0.stopped() && self.queue.0.send(self.sender(producer), 1, |place, _| *place = message)
    }
    fn take(&self, most: u64, handle: &mut dyn FnMut(&Message<WORDS>)) -> u64 {
        if self.queue.0.stopped() {
            return 0;
        }
        let taken = self.taker.0.with::<_, Q, _>(|taker| self.queue.0.take(taker, most, handle));
        taken.map_or(0, |taken| taken.count)
    }
    fn stop(&self) {
        self.queue.0.stop(&self.taker.0)
    }
}

type Carried<M> = Box<dyn Carrier<M>>;

/// A queue of this size, from `producers` threads to one.
fn shape_for(size: u64, producers: u64) -> Shape {
    Shape { size, payload: 0, in_flight: 0, batch: 1, producers }
}

fn polled<const WORDS: usize, Q: TryQueue<Message<WORDS>>, W: Wait>(wait: W, shape: Shape) -> Carried<Message<WORDS>> {
    Box::new(Gated::new(shape, Polled::<_, Q, W>::open(wait, &shape)))
}

fn sleeping<const WORDS: usize, Q: Channel<Message<WORDS>>>(shape: Shape) -> Carried<Message<WORDS>> {
    Box::new(Gated::new(shape, Sleeping::<_, Q>::open(&shape, shape.size)))
}

fn handed<M>(carried: Carried<M>) -> *mut c_void {
    Box::into_raw(Box::new(carried)).cast()
}

fn carried_at<'a, M>(queue: *mut c_void) -> &'a dyn Carrier<M> {
    unsafe { &**queue.cast::<Carried<M>>() }
}

extern "C" fn close<M>(queue: *mut c_void) {
    dropped(queue.cast::<Carried<M>>())
}

extern "C" fn stop<M>(queue: *mut c_void) {
    operated((), || carried_at::<M>(queue).stop())
}

// --- numbers, for `load` ---

pub(super) type Open = extern "C" fn(u64, *const ffi::Setup, *mut ffi::Failure) -> *mut c_void;

pub(super) fn add_to_paced(probe: &mut Probe, name: &str, blocking: bool, open: Open) {
    let description = probe.described(name, blocking, if blocking { "" } else { crate::waits::PARAMS }).into_raw();
    let (size, close, stop) = (size_of::<ffi::Queue>(), close::<Bare>, stop::<Bare>);
    probe.add_queue(ffi::Queue { size, description, open, close, send, take, stop })
}

struct MakeNumbers<Q>(u64, PhantomData<Q>);

impl<Q: TryQueue<Bare>> WithWait for MakeNumbers<Q> {
    type Made = Carried<Bare>;
    fn make<W: Wait>(self, wait: W) -> Carried<Bare> {
        polled::<0, Q, W>(wait, shape_for(self.0, 1))
    }
}

fn open(setup: *const ffi::Setup, why: *mut ffi::Failure, open: impl FnOnce(&Setup) -> Carried<Bare>) -> *mut c_void {
    opened(why, setup, null_mut(), |setup| Ok(handed(open(setup))))
}

pub(super) extern "C" fn open_polled<Q: TryQueue<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    open(setup, why, |setup| with_spin_or_other(setup, MakeNumbers::<Q>(size, PhantomData)))
}

pub(super) extern "C" fn open_channel<Q: Channel<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    open(setup, why, |_| sleeping::<0, Q>(shape_for(size, 1)))
}

extern "C" fn send(queue: *mut c_void, number: u64) {
    operated((), || {
        carried_at(queue).send(0, Bare { id: number, ..Bare::empty() });
    })
}

extern "C" fn take(queue: *mut c_void, numbers: *mut u64, most: usize) -> usize {
    let mut places = unsafe { std::slice::from_raw_parts_mut(numbers, most) }.iter_mut();
    let mut keep = |message: &Bare| {
        if let Some(place) = places.next() {
            *place = message.id
        }
    };
    operated(0, || carried_at(queue).take(most as u64, &mut keep)) as usize
}

// --- letters, for the checks ---

extern "C" fn send_letter(queue: *mut c_void, letter: *const u64) -> c_int {
    let letter = unsafe { *letter.cast::<Small>() };
    operated(false, || carried_at(queue).send(producer_of(letter.id), letter)).into()
}

extern "C" fn take_letter(queue: *mut c_void, letter: *mut u64) -> c_int {
    let mut keep = |message: &Small| unsafe { *letter.cast() = *message };
    (operated(0, || carried_at(queue).take(1, &mut keep)) > 0).into()
}

fn made(open: impl FnOnce() -> Carried<Small>) -> *mut c_void {
    tried(null_mut(), || Ok(handed(open())))
}

type Make = extern "C" fn(usize, usize) -> *mut c_void;
type Fill = extern "C" fn(usize, usize) -> usize;

fn check(traits: Traits, sending: &CStr, taking: &CStr, make: Make, fill: Option<Fill>) {
    let queue = ffi::CheckedQueue {
        size: size_of::<ffi::CheckedQueue>(),
        sending: sending.as_ptr(),
        taking: taking.as_ptr(),
        unbounded: c"bounded: false".as_ptr(),
        many_producers: traits.many_producers.into(),
        bounded: traits.bounded.into(),
        make,
        free: close::<Small>,
        send: send_letter,
        take: take_letter,
        stop: stop::<Small>,
        fill,
    };
    unsafe { ffi::threadping_check_queue(&queue) }
}

/// Checks that it keeps its contract; ends the process where it does not.
pub(crate) fn check_queue<Q: TryQueue<Small>>() {
    extern "C" fn make<Q: TryQueue<Small>>(messages: usize, producers: usize) -> *mut c_void {
        made(|| polled::<6, Q, Rest>(Rest::Yield, shape_for(messages as u64, producers as u64)))
    }
    extern "C" fn fill<Q: TryQueue<Small>>(messages: usize, most: usize) -> usize {
        tried(0, || {
            let (mut senders, _taker) = Q::open(messages, 1);
            let mut sends = || Q::try_send(&mut senders[0], 1, |message, _| *message = Small::empty());
            Ok((0..most).take_while(|_| sends()).count())
        })
    }
    check(Q::TRAITS, c"push()", c"pop()", make::<Q>, Some(fill::<Q>))
}

/// Like `check_queue`, for a channel.
pub(crate) fn check_channel<Q: Channel<Small>>() {
    extern "C" fn make<Q: Channel<Small>>(messages: usize, producers: usize) -> *mut c_void {
        made(|| sleeping::<6, Q>(shape_for(messages as u64, producers as u64)))
    }
    check(Q::TRAITS, c"send()", c"receive()", make::<Q>, None)
}
