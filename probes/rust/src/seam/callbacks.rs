//! What the engine calls: where a panic ends, and is told.

use super::{Counts, Mechanism, Player, Samples, Setup, Stage, Task};
use crate::{ffi, seam::text, Code, Outcome, Trouble};
use std::any::Any;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;

/// What a deed gives; `otherwise` where it fails or panics, which is told.
fn guarded<T>(tell: impl FnOnce(u32, *const c_char), otherwise: T, deed: impl FnOnce() -> Outcome<T>) -> T {
    let trouble = match catch_unwind(AssertUnwindSafe(deed)) {
        Ok(Ok(given)) => return given,
        Ok(Err(trouble)) => trouble,
        Err(payload) => panicked(payload),
    };
    tell(trouble.code as u32, text(&trouble.sentence).as_ptr());
    otherwise
}

fn panicked(payload: Box<dyn Any + Send>) -> Trouble {
    let said = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    Trouble::new(
        Code::Internal,
        format!("A thread of the mechanism panicked: {}.", said.unwrap_or("it did not say why")),
    )
}

fn told<T>(why: *mut ffi::Failure, otherwise: T, deed: impl FnOnce() -> Outcome<T>) -> T {
    guarded(|code, sentence| unsafe { ffi::threadping_fail(why, code, sentence) }, otherwise, deed)
}

/// The same of an operation, which has no place to tell it.
pub(crate) fn operated<T>(otherwise: T, deed: impl FnOnce() -> T) -> T {
    guarded(|code, sentence| unsafe { ffi::threadping_operation_failed(code, sentence) }, otherwise, || Ok(deed()))
}

pub(crate) fn opened<T>(
    why: *mut ffi::Failure,
    setup: *const ffi::Setup,
    otherwise: T,
    open: impl FnOnce(&Setup) -> Outcome<T>,
) -> T {
    told(why, otherwise, || open(&Setup(setup)))
}

struct Made {
    stage: Box<dyn Stage>,
    threads: usize,
}
type Part = Box<dyn Player>;

fn stage_at<'a>(stage: *mut c_void) -> &'a dyn Stage {
    unsafe { &*(*stage.cast::<Made>()).stage }
}

pub(super) extern "C" fn make(context: *mut c_void, setup: *const ffi::Setup, why: *mut ffi::Failure) -> *mut c_void {
    let mechanism = unsafe { &*context.cast::<Mechanism>() };
    opened(why, setup, null_mut(), |setup| {
        let made = Made { stage: (mechanism.make)(setup)?, threads: setup.threads() };
        Ok(Box::into_raw(Box::new(made)).cast())
    })
}

pub(super) extern "C" fn free(stage: *mut c_void) {
    if !stage.is_null() {
        drop(unsafe { Box::from_raw(stage.cast::<Made>()) });
    }
}

pub(super) extern "C" fn role_of(stage: *mut c_void, thread: u32) -> u32 {
    stage_at(stage).role_of(thread)
}

pub(super) extern "C" fn compares_clocks(stage: *mut c_void, one: u32, other: u32) -> c_int {
    stage_at(stage).compares_clocks(one, other).into()
}

pub(super) extern "C" fn stop(stage: *mut c_void, line: u32, why: *mut ffi::Failure) {
    told(why, (), || {
        stage_at(stage).stop(line as usize);
        Ok(())
    })
}

pub(super) extern "C" fn progress(stage: *mut c_void, line: u32, why: *mut ffi::Failure) -> u64 {
    told(why, 0, || Ok(stage_at(stage).progress(line as usize)))
}

pub(super) extern "C" fn count(
    stage: *mut c_void,
    operations: *const u64,
    counts: *mut ffi::Opaque,
    why: *mut ffi::Failure,
) {
    told(why, (), || {
        let made = unsafe { &*stage.cast::<Made>() };
        made.stage.count(unsafe { std::slice::from_raw_parts(operations, made.threads) }, &mut Counts(counts));
        Ok(())
    })
}

pub(super) extern "C" fn memory(stage: *mut c_void) -> *const c_void {
    stage_at(stage).memory().cast()
}

pub(super) extern "C" fn player(stage: *mut c_void, thread: u32, why: *mut ffi::Failure) -> *mut c_void {
    told(why, null_mut(), || {
        let part: Part = stage_at(stage).player(thread)?;
        Ok(Box::into_raw(Box::new(part)).cast())
    })
}

pub(super) extern "C" fn free_player(player: *mut c_void) {
    if !player.is_null() {
        drop(unsafe { Box::from_raw(player.cast::<Part>()) });
    }
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
    told(why, 0, || player_at(player).run(unsafe { &*task }, &mut Samples(samples)))
}

pub(super) extern "C" fn leave(player: *mut c_void, samples: *mut ffi::Opaque, why: *mut ffi::Failure) -> u64 {
    told(why, 0, || player_at(player).leave(&mut Samples(samples)))
}
