//! What the engine calls: where a panic ends, and is reported.

use super::{Counts, Mechanism, Player, Samples, Setup, Stage, Task};
use crate::{api::text, ffi, Code, Error, Outcome};
use std::any::Any;
use std::cell::RefCell;
use std::convert::identity;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a call gives, or why it panicked.
pub(crate) fn attempt<T>(call: impl FnOnce() -> T) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(call)).map_err(panicked)
}

/// What a call gives; `otherwise` where it fails or panics, which is reported.
fn guarded<T>(report: impl FnOnce(u32, *const c_char), otherwise: T, call: impl FnOnce() -> Outcome<T>) -> T {
    attempt(call).and_then(identity).unwrap_or_else(|error| {
        report(error.code as u32, text(&error.sentence).as_ptr());
        otherwise
    })
}

/// Whether mechanisms are only tried: what fails then ends the process with its sentence.
static TRIES: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Where this thread panicked last while mechanisms were tried: that is said with the rest, which is the last line then.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Tries a mechanism: comes back, or ends the process.
pub(crate) fn trying(deed: impl FnOnce()) {
    TRIES.store(true, Ordering::Relaxed);
    set_hook(Box::new(|panic| {
        let at = panic.location().map(|at| format!(" ({}, line {})", at.file(), at.line()));
        PANICKED_AT.set(at.unwrap_or_default())
    }));
    tried((), || {
        deed();
        Ok(())
    });
}

/// What a call gives that is made while a mechanism is tried.
pub(crate) fn tried<T>(otherwise: T, call: impl FnOnce() -> Outcome<T>) -> T {
    guarded(|_, sentence| unsafe { ffi::threadping_refuse(sentence) }, otherwise, call)
}

/// Drops what was made, which may panic: where a trial is over what it says is on standard error.
pub(crate) fn dropped<T>(made: *mut T) {
    if made.is_null() {
        return;
    }
    let gone = attempt(|| drop(unsafe { Box::from_raw(made) }));
    if TRIES.load(Ordering::Relaxed) {
        tried((), || gone)
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> Error {
    let message = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    Error::new(
        Code::Internal,
        format!(
            "A thread of the mechanism panicked: {}{}.",
            message.unwrap_or("it did not say why"),
            PANICKED_AT.take()
        ),
    )
}

fn reported<T>(why: *mut ffi::Failure, otherwise: T, call: impl FnOnce() -> Outcome<T>) -> T {
    guarded(|code, sentence| unsafe { ffi::threadping_fail(why, code, sentence) }, otherwise, call)
}

/// Like `tried`, for an operation, which is handed no place for its failure.
pub(crate) fn operated<T>(otherwise: T, call: impl FnOnce() -> T) -> T {
    achieved(otherwise, || Ok(call()))
}

/// Like `operated`, for an operation that may fail.
pub(crate) fn achieved<T>(otherwise: T, call: impl FnOnce() -> Outcome<T>) -> T {
    let report = |code, sentence| match TRIES.load(Ordering::Relaxed) {
        true => unsafe { ffi::threadping_refuse(sentence) },
        false => unsafe { ffi::threadping_operation_failed(code, sentence) },
    };
    guarded(report, otherwise, call)
}

pub(crate) fn opened<T>(
    why: *mut ffi::Failure,
    setup: *const ffi::Setup,
    otherwise: T,
    open: impl FnOnce(&Setup) -> Outcome<T>,
) -> T {
    reported(why, otherwise, || open(&Setup(setup)))
}

struct Made {
    stage: Box<dyn Stage>,
    threads: usize,
    first: Mutex<Option<Error>>, // of those that had no place
}
type Part = Box<dyn Player>;

fn made_at<'a>(stage: *mut c_void) -> &'a Made {
    unsafe { &*stage.cast::<Made>() }
}

fn stage_at<'a>(stage: *mut c_void) -> &'a dyn Stage {
    &*made_at(stage).stage
}

/// Like `guarded`, for a call that is handed no place for its failure: other calls report it.
fn answered<T>(stage: *mut c_void, otherwise: T, call: impl FnOnce(&dyn Stage) -> T) -> T {
    attempt(|| call(stage_at(stage))).unwrap_or_else(|error| {
        made_at(stage).first().get_or_insert(error);
        otherwise
    })
}

impl Made {
    fn first(&self) -> MutexGuard<'_, Option<Error>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn report(&self) -> Outcome<()> {
        self.first().clone().map_or(Ok(()), Err)
    }
}

pub(super) extern "C" fn make(context: *mut c_void, setup: *const ffi::Setup, why: *mut ffi::Failure) -> *mut c_void {
    let mechanism = unsafe { &*context.cast::<Mechanism>() };
    opened(why, setup, null_mut(), |setup| {
        let made = Made { stage: (mechanism.make)(setup)?, threads: setup.threads(), first: Mutex::default() };
        Ok(Box::into_raw(Box::new(made)).cast())
    })
}

pub(super) extern "C" fn free(stage: *mut c_void) {
    dropped(stage.cast::<Made>())
}

pub(super) extern "C" fn role_of(stage: *mut c_void, thread: u32) -> u32 {
    answered(stage, 0, |stage| stage.role_of(thread))
}

pub(super) extern "C" fn compares_clocks(stage: *mut c_void, one: u32, other: u32) -> c_int {
    answered(stage, false, |stage| stage.compares_clocks(one, other)).into()
}

pub(super) extern "C" fn stop(stage: *mut c_void, line: u32, why: *mut ffi::Failure) {
    reported(why, (), || {
        stage_at(stage).stop(line as usize);
        Ok(())
    })
}

pub(super) extern "C" fn progress(stage: *mut c_void, line: u32, why: *mut ffi::Failure) -> u64 {
    reported(why, 0, || Ok(stage_at(stage).progress(line as usize)))
}

pub(super) extern "C" fn count(
    stage: *mut c_void,
    operations: *const u64,
    counts: *mut ffi::Opaque,
    why: *mut ffi::Failure,
) {
    reported(why, (), || {
        let made = made_at(stage);
        made.report()?;
        made.stage.count(unsafe { std::slice::from_raw_parts(operations, made.threads) }, &mut Counts(counts));
        Ok(())
    })
}

pub(super) extern "C" fn memory(stage: *mut c_void) -> *const c_void {
    answered(stage, null(), |stage| stage.memory()).cast()
}

pub(super) extern "C" fn player(stage: *mut c_void, thread: u32, why: *mut ffi::Failure) -> *mut c_void {
    reported(why, null_mut(), || {
        made_at(stage).report()?;
        let part: Part = stage_at(stage).player(thread)?;
        Ok(Box::into_raw(Box::new(part)).cast())
    })
}

pub(super) extern "C" fn free_player(player: *mut c_void) {
    dropped(player.cast::<Part>())
}

fn player_at<'a>(player: *mut c_void) -> &'a mut Part {
    unsafe { &mut *player.cast::<Part>() }
}

pub(super) extern "C" fn run(
    player: *mut c_void,
    task: *const Task,
    samples: *mut ffi::Opaque,
    why: *mut ffi::Failure,
) -> u64 {
    reported(why, 0, || player_at(player).run(unsafe { &*task }, &mut Samples(samples)))
}

pub(super) extern "C" fn leave(player: *mut c_void, samples: *mut ffi::Opaque, why: *mut ffi::Failure) -> u64 {
    reported(why, 0, || player_at(player).leave(&mut Samples(samples)))
}
