//! `barrier`: one thread releases others and waits for all of them, in the engine's own loops.

use crate::api::{achieved, dropped, opened, operated, Probe};
use crate::{ffi, Outcome};
use std::ffi::{c_int, c_void};
use std::mem::size_of;
use std::ptr::null_mut;

/// A fork-join: one thread, the coordinator, releases others, its workers, and waits until all have done their part: round
/// by round, from 1 on.
pub trait Barrier: Send + Sync + Sized + 'static {
    /// Whether a waiting thread sleeps.
    const SLEEPS: bool = true;
    /// Whether `stop` ends its waits. Otherwise the coordinator ends those of its workers by one more release.
    const STOPS: bool = true;
    /// `workers`: their number; crowded: there are more threads than CPUs, and a spinning one yields now and then.
    fn open(workers: usize, crowded: bool) -> Outcome<Self>;
    /// The coordinator's. Releases all workers; it may wait until they have come to wait for this round. Release.
    fn release(&self, round: u64);
    /// Returns when this worker is released for this round. Acquire.
    fn wait(&self, worker: usize, round: u64);
    /// This worker has done its part. Release.
    fn arrive(&self, worker: usize, round: u64);
    /// The coordinator's. Returns when all have arrived. Acquire.
    fn join(&self, round: u64);
    /// Ends every wait, now and later. Any thread, again and again.
    fn stop(&self) {}
}

/// One that brings its workers: threads of a library.
pub trait Fork: Send + Sync + Sized + 'static {
    const SLEEPS: bool = true;
    /// `workers`: their number. Not by the coordinator's thread: what has to be made by that is made by its first call.
    fn open(workers: usize) -> Outcome<Self>;
    /// Has each of its threads, and the coordinator, which is 0, call it with its number; returns when all have.
    fn call(&self, body: impl Fn(usize) + Sync) -> Outcome<()>;
}

type Open = extern "C" fn(u32, c_int, *const ffi::Setup, *mut ffi::Failure) -> *mut c_void;

fn barrier_at<'a, C>(barrier: *mut c_void) -> &'a C {
    unsafe { &*barrier.cast() }
}

fn made<C>(setup: *const ffi::Setup, why: *mut ffi::Failure, open: impl FnOnce() -> Outcome<C>) -> *mut c_void {
    opened(why, setup, null_mut(), |_| Ok(Box::into_raw(Box::new(open()?)).cast()))
}

extern "C" fn open<C: Barrier>(
    n: u32,
    crowded: c_int,
    setup: *const ffi::Setup,
    why: *mut ffi::Failure,
) -> *mut c_void {
    made(setup, why, || C::open(n as usize, crowded != 0))
}

extern "C" fn open_fork<F: Fork>(n: u32, _: c_int, setup: *const ffi::Setup, why: *mut ffi::Failure) -> *mut c_void {
    made(setup, why, || F::open(n as usize))
}

extern "C" fn close<C>(barrier: *mut c_void) {
    dropped(barrier.cast::<C>())
}

extern "C" fn release<C: Barrier>(barrier: *mut c_void, round: u64) {
    operated((), || barrier_at::<C>(barrier).release(round))
}

extern "C" fn wait<C: Barrier>(barrier: *mut c_void, worker: u32, round: u64) {
    operated((), || barrier_at::<C>(barrier).wait(worker as usize, round))
}

extern "C" fn arrive<C: Barrier>(barrier: *mut c_void, worker: u32, round: u64) {
    operated((), || barrier_at::<C>(barrier).arrive(worker as usize, round))
}

extern "C" fn join<C: Barrier>(barrier: *mut c_void, round: u64) {
    operated((), || barrier_at::<C>(barrier).join(round))
}

extern "C" fn stop<C: Barrier>(barrier: *mut c_void) {
    operated((), || barrier_at::<C>(barrier).stop())
}

struct Of(*mut c_void); // what all threads of a call are handed: the library says that they may
unsafe impl Sync for Of {}

extern "C" fn call<F: Fork>(barrier: *mut c_void, body: extern "C" fn(*mut c_void, u32), of: *mut c_void) {
    let of = Of(of);
    let of = &of;
    achieved((), || barrier_at::<F>(barrier).call(move |thread| body(of.0, thread as u32)))
}

/// Without its operations.
fn described<C>(probe: &Probe, name: &str, sleeps: bool, open: Open) -> ffi::Barrier {
    let description = probe.described(name, sleeps, "").into_raw();
    let (size, close) = (size_of::<ffi::Barrier>(), close::<C>);
    let (release, await_, arrive, join, stop, call) = Default::default();
    ffi::Barrier { size, description, open, close, release, await_, arrive, join, stop, call }
}

pub fn add_barrier<C: Barrier>(probe: &mut Probe, name: &str) {
    probe.add_barrier(ffi::Barrier {
        release: Some(release::<C>),
        await_: Some(wait::<C>),
        arrive: Some(arrive::<C>),
        join: Some(join::<C>),
        stop: C::STOPS.then_some(stop::<C>),
        ..described::<C>(probe, name, C::SLEEPS, open::<C>)
    })
}

pub fn add_fork<F: Fork>(probe: &mut Probe, name: &str) {
    probe.add_barrier(ffi::Barrier { call: Some(call::<F>), ..described::<F>(probe, name, F::SLEEPS, open_fork::<F>) })
}
