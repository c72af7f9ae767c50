//! A queue's operations, for the checks of its promises.

use super::loops::Gated;
use super::message::{producer_of, Content, Small};
use super::numbers::for_numbers;
use super::queue::{Channel, Polled, Queue, TryQueue};
use super::shape::{Shape, Traits};
use super::sleeping::Sleeping;
use crate::ffi;
use crate::seam::{dropped, operated, tried};
use crate::waits::Rest;
use std::ffi::{c_int, c_void, CStr};
use std::mem::size_of;
use std::ptr::null_mut;

/// Messages from some threads to one, which another may stop.
trait Letters: Send + Sync {
    fn send(&self, letter: Small) -> bool;
    fn take(&self) -> Option<Small>;
    fn stop(&self);
}

impl<Q: Queue<Small>> Letters for Gated<Small, Q> {
    fn send(&self, letter: Small) -> bool {
        let sender = self.sender(producer_of(letter.id));
        !self.queue.0.stopped() && self.queue.0.send(sender, 1, |message, _| *message = letter)
    }
    fn take(&self) -> Option<Small> {
        if self.queue.0.stopped() {
            return None;
        }
        let mut came = None;
        self.taker.0.with::<Small, Q, _>(|taker| self.queue.0.take(taker, 1, |message| came = Some(*message)));
        came
    }
    fn stop(&self) {
        self.queue.0.stop(&self.taker.0)
    }
}

type Carried = Box<dyn Letters>;

fn made(messages: usize, producers: usize, open: impl FnOnce(Shape) -> Carried) -> *mut c_void {
    let shape = Shape { producers: producers as u64, ..for_numbers(messages as u64) };
    tried(null_mut(), || Ok(Box::into_raw(Box::new(open(shape))).cast()))
}

fn carried_at<'a>(queue: *mut c_void) -> &'a dyn Letters {
    unsafe { &**queue.cast::<Carried>() }
}

extern "C" fn unmade(queue: *mut c_void) {
    dropped(queue.cast::<Carried>())
}

extern "C" fn send(queue: *mut c_void, letter: *const u64) -> c_int {
    operated(false, || carried_at(queue).send(unsafe { *letter.cast::<Small>() })).into()
}

extern "C" fn take(queue: *mut c_void, letter: *mut u64) -> c_int {
    let came = operated(None, || carried_at(queue).take());
    came.map(|came| unsafe { *letter.cast::<Small>() = came }).is_some().into()
}

extern "C" fn stop(queue: *mut c_void) {
    operated((), || carried_at(queue).stop())
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
        free: unmade,
        send,
        take,
        stop,
        fill,
    };
    unsafe { ffi::threadping_check_queue(&queue) }
}

/// Sees whether it keeps its promises; otherwise that ends the process.
pub(crate) fn check_queue<Q: TryQueue<Small>>() {
    extern "C" fn make<Q: TryQueue<Small>>(messages: usize, producers: usize) -> *mut c_void {
        made(messages, producers, |shape| {
            Box::new(Gated::new(shape, Polled::<Small, Q, Rest>::open(Rest::Yield, &shape)))
        })
    }
    extern "C" fn fill<Q: TryQueue<Small>>(messages: usize, most: usize) -> usize {
        tried(0, || {
            let (mut senders, _taker) = Q::open(messages, 1);
            Ok((0..most)
                .take_while(|_| Q::try_send(&mut senders[0], 1, |message, _| *message = Small::empty()))
                .count())
        })
    }
    check(Q::TRAITS, c"push()", c"pop()", make::<Q>, Some(fill::<Q>))
}

/// The same of a channel.
pub(crate) fn check_channel<Q: Channel<Small>>() {
    extern "C" fn make<Q: Channel<Small>>(messages: usize, producers: usize) -> *mut c_void {
        made(messages, producers, |shape| Box::new(Gated::new(shape, Sleeping::<Small, Q>::open(&shape, shape.size))))
    }
    check(Q::TRAITS, c"send()", c"receive()", make::<Q>, None)
}
