//! A queue's operations, for the engine's loops of `paced`.

use super::loops::Gated;
use super::message::Bare;
use super::queue::{Channel, Polled, Queue, TryQueue};
use super::shape::Shape;
use super::sleeping::Sleeping;
use crate::ffi;
use crate::seam::{dropped, opened, operated, Probe, Setup};
use crate::waits::{with_wait, Wait, WithWait};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::size_of;

/// Numbers from one thread to another, which a third may stop.
pub(super) trait Numbers: Send + Sync {
    fn send(&self, number: u64);
    fn take(&self, numbers: &mut [u64]) -> usize;
    fn stop(&self);
}

impl<Q: Queue<Bare>> Numbers for Gated<Bare, Q> {
    fn send(&self, number: u64) {
        self.queue.0.send(self.sender(0), 1, |message, _| message.id = number);
    }
    fn take(&self, numbers: &mut [u64]) -> usize {
        let (most, mut places) = (numbers.len() as u64, numbers.iter_mut());
        let mut keep = |message: &Bare| {
            if let Some(place) = places.next() {
                *place = message.id
            }
        };
        let taken = self.taker.0.with::<Bare, Q, _>(|taker| self.queue.0.take(taker, most, &mut keep));
        taken.map_or(0, |taken| taken.count as usize)
    }
    fn stop(&self) {
        self.queue.0.stop(&self.taker.0)
    }
}

/// As many as there are, from one thread to one.
pub(super) fn for_numbers(size: u64) -> Shape {
    Shape { size, payload: 0, in_flight: 0, batch: 1, producers: 1 }
}

pub(super) type Carried = Box<dyn Numbers>;
pub(super) type Open = extern "C" fn(u64, *const ffi::Setup, *mut ffi::Failure) -> *mut c_void;

pub(super) fn add_to_paced(probe: &mut Probe, name: &str, blocking: bool, open: Open) {
    let description = probe.described(name, blocking, if blocking { "" } else { crate::waits::PARAMS }).into_raw();
    probe.add_queue(ffi::Queue { size: size_of::<ffi::Queue>(), description, open, close, send, take, stop })
}

pub(super) struct MakeNumbers<Q>(u64, PhantomData<Q>);

impl<Q: TryQueue<Bare>> WithWait for MakeNumbers<Q> {
    type Made = Carried;
    fn make<W: Wait>(self, wait: W) -> Carried {
        let shape = for_numbers(self.0);
        Box::new(Gated::new(shape, Polled::<Bare, Q, W>::open(wait, &shape)))
    }
}

pub(super) extern "C" fn open_polled<Q: TryQueue<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    carried(setup, why, |setup| with_wait(setup, MakeNumbers::<Q>(size, PhantomData)))
}

pub(super) extern "C" fn open_channel<Q: Channel<Bare>>(
    size: u64,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    let shape = for_numbers(size);
    carried(setup, why, |_| Box::new(Gated::new(shape, Sleeping::<Bare, Q>::open(&shape, size))))
}

pub(super) fn carried(
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
    open: impl FnOnce(&Setup) -> Carried,
) -> *mut c_void {
    opened(why, setup, std::ptr::null_mut(), |setup| Ok(Box::into_raw(Box::new(open(setup))).cast()))
}

pub(super) fn carried_at<'a>(queue: *mut c_void) -> &'a dyn Numbers {
    unsafe { &**queue.cast::<Carried>() }
}

pub(super) extern "C" fn close(queue: *mut c_void) {
    dropped(queue.cast::<Carried>())
}

pub(super) extern "C" fn send(queue: *mut c_void, number: u64) {
    operated((), || carried_at(queue).send(number))
}

pub(super) extern "C" fn take(queue: *mut c_void, numbers: *mut u64, most: usize) -> usize {
    operated(0, || carried_at(queue).take(unsafe { std::slice::from_raw_parts_mut(numbers, most) }))
}

pub(super) extern "C" fn stop(queue: *mut c_void) {
    operated((), || carried_at(queue).stop())
}
