//! threadping.h, threadping_barrier.h and threadping_checks.h, line by line as far as they are used here; and what the C library has for both.

use std::ffi::{c_char, c_int, c_void};

pub const VERSION: u32 = 1;
pub const STOPPED: u64 = 1 << 62;

/// What the library alone looks into.
pub enum Opaque {}

#[repr(C)]
pub struct Failure { pub size: usize, pub code: u32, pub sentence: [c_char; 512] }

#[repr(C)]
pub struct Setup {
    pub size: usize,
    pub mechanism: *const c_char,
    pub lines: u32, pub threads: u32,
    pub seed: u64,
    pub params: *const c_char,
    pub home: *const c_int,
    pub homes: usize,
}

#[repr(C)]
pub struct Stage {
    pub size: usize,
    pub context: *mut c_void,
    pub make: extern "C" fn(*mut c_void, *const Setup, *mut Failure) -> *mut c_void,
    pub free: extern "C" fn(*mut c_void),
    pub role_of: extern "C" fn(*mut c_void, u32) -> u32,
    pub compares_clocks: extern "C" fn(*mut c_void, u32, u32) -> c_int,
    pub stop: extern "C" fn(*mut c_void, u32, *mut Failure),
    pub progress: extern "C" fn(*mut c_void, u32, *mut Failure) -> u64,
    pub count: extern "C" fn(*mut c_void, *const u64, *mut Opaque, *mut Failure),
    pub memory: extern "C" fn(*mut c_void) -> *const c_void,
}

#[repr(C)]
pub struct Task { pub line: u32, pub every: u32, pub count: u64, pub opened_ns: u64 }

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Timing { pub from_ns: u64, pub to_ns: u64 }

#[repr(C)]
pub struct Loops {
    pub size: usize,
    pub description: *const c_char,
    pub stage: *const Stage,
    pub player: extern "C" fn(*mut c_void, u32, *mut Failure) -> *mut c_void,
    pub free_player: extern "C" fn(*mut c_void),
    pub run: extern "C" fn(*mut c_void, *const Task, *mut Opaque, *mut Failure) -> u64,
    pub leave: extern "C" fn(*mut c_void, *mut Opaque, *mut Failure) -> u64,
}

#[repr(C)]
pub struct Signal {
    pub size: usize,
    pub description: *const c_char,
    pub open: extern "C" fn(*mut c_void, *const Setup, *mut Failure),
    pub close: extern "C" fn(*mut c_void),
    pub publish: extern "C" fn(*mut c_void, u64),
    pub await_: extern "C" fn(*mut c_void, u64) -> u64,
    pub stop: extern "C" fn(*mut c_void),
    pub peek: extern "C" fn(*const c_void) -> u64,
}

#[repr(C)]
pub struct Queue {
    pub size: usize,
    pub description: *const c_char,
    pub open: extern "C" fn(u64, *const Setup, *mut Failure) -> *mut c_void,
    pub close: extern "C" fn(*mut c_void),
    pub send: extern "C" fn(*mut c_void, u64),
    pub take: extern "C" fn(*mut c_void, *mut u64, usize) -> usize,
    pub stop: extern "C" fn(*mut c_void),
}

type Round = extern "C" fn(*mut c_void, u64);
type RoundOf = extern "C" fn(*mut c_void, u32, u64);

#[repr(C)]
pub struct Barrier {
    pub size: usize,
    pub description: *const c_char,
    pub open: extern "C" fn(u32, c_int, *const Setup, *mut Failure) -> *mut c_void,
    pub close: extern "C" fn(*mut c_void),
    pub release: Option<Round>,
    pub await_: Option<RoundOf>, pub arrive: Option<RoundOf>,
    pub join: Option<Round>,
    pub stop: Option<extern "C" fn(*mut c_void)>,
    pub call: Option<extern "C" fn(*mut c_void, extern "C" fn(*mut c_void, u32), *mut c_void)>,
}

#[repr(C)]
pub struct CheckedSignal {
    pub size: usize,
    pub awaiting: *const c_char,
    pub make: extern "C" fn() -> *mut c_void,
    pub free: extern "C" fn(*mut c_void),
    pub publish: extern "C" fn(*mut c_void, u64),
    pub await_: extern "C" fn(*mut c_void, u64) -> u64,
    pub stop: extern "C" fn(*mut c_void),
    pub peek: extern "C" fn(*const c_void) -> u64,
}

#[repr(C)]
pub struct CheckedLock {
    pub size: usize,
    pub make: extern "C" fn() -> *mut c_void,
    pub free: extern "C" fn(*mut c_void),
    pub hold: extern "C" fn(*mut c_void, extern "C" fn(*mut c_void), *mut c_void),
}

#[repr(C)]
pub struct CheckedQueue {
    pub size: usize,
    pub sending: *const c_char, pub taking: *const c_char, pub unbounded: *const c_char,
    pub many_producers: c_int, pub bounded: c_int,
    pub make: extern "C" fn(usize, usize) -> *mut c_void,
    pub free: extern "C" fn(*mut c_void),
    pub send: extern "C" fn(*mut c_void, *const u64) -> c_int,
    pub take: extern "C" fn(*mut c_void, *mut u64) -> c_int,
    pub stop: extern "C" fn(*mut c_void),
    pub fill: Option<extern "C" fn(usize, usize) -> usize>,
}

pub const PROT_READ: c_int = 1;
pub const PROT_WRITE: c_int = 2;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_ANONYMOUS: c_int = 32;
pub const MAP_FAILED: *mut c_void = usize::MAX as *mut c_void;
pub const MADV_NOHUGEPAGE: c_int = 15;

extern "C" {
    pub fn mmap(at: *mut c_void, bytes: usize, access: c_int, flags: c_int, file: c_int, from: i64) -> *mut c_void;
    pub fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    pub fn munmap(start: *mut c_void, bytes: usize) -> c_int;
    pub fn free(text: *mut c_void);
    pub fn threadping_refuse(sentence: *const c_char);
    pub fn threadping_check_signal(signal: *const CheckedSignal);
    pub fn threadping_check_lock(lock: *const CheckedLock);
    pub fn threadping_check_queue(queue: *const CheckedQueue);
    pub fn threadping_fail(why: *mut Failure, code: u32, sentence: *const c_char);
    pub fn threadping_operation_failed(code: u32, sentence: *const c_char);
    pub fn threadping_probe_new(version: u32, identity: *const c_char) -> *mut Opaque;
    pub fn threadping_main(probe: *mut Opaque, argc: c_int, argv: *mut *mut c_char) -> c_int;
    pub fn threadping_describe(probe: *const Opaque, why: *mut Failure) -> *mut c_char;
    pub fn threadping_run(probe: *const Opaque, request: *const c_char, why: *mut Failure) -> *mut c_char;
    pub fn threadping_now_ns() -> u64;
    pub fn threadping_param_number(setup: *const Setup, name: *const c_char) -> i64;
    pub fn threadping_param_text(setup: *const Setup, name: *const c_char) -> *const c_char;
    pub fn threadping_claim(bytes: usize, what: *const c_char, remedy: *const c_char, why: *mut Failure);
    pub fn threadping_count(counts: *mut Opaque, name: *const c_char, made: u64, found: u64, must_be_equal: c_int);
    pub fn threadping_add(samples: *mut Opaque, from_ns: u64, to_ns: u64);
    pub fn threadping_places(samples: *mut Opaque, count: *mut usize) -> *mut Timing;
    pub fn threadping_filled(samples: *mut Opaque, count: usize);
    pub fn threadping_record(samples: *mut Opaque, index: usize, value: u64);
    pub fn threadping_tally(samples: *mut Opaque, index: usize, made: u64, found: u64);
    pub fn threadping_progress(samples: *mut Opaque, done: u64);
    pub fn threadping_read_clock(samples: *mut Opaque, times: u64);
    pub fn threadping_others_wait(samples: *mut Opaque, wait: c_int);
    pub fn threadping_add_loops(probe: *mut Opaque, loops: *const Loops);
    pub fn threadping_add_signal(probe: *mut Opaque, signal: *const Signal);
    pub fn threadping_add_queue(probe: *mut Opaque, queue: *const Queue);
    pub fn threadping_add_barrier(probe: *mut Opaque, barrier: *const Barrier);
}
