//! Pins a bare program's threads, and refuses with one line what the program cannot do.

use std::fmt::Display;
use std::process::exit;
use std::str::FromStr;

/// Two adjacent lines, which Intel's prefetcher moves together.
#[repr(align(128))]
#[derive(Default)]
pub struct LinePair<T>(pub T);

pub fn refuse(why: impl Display) -> ! {
    eprintln!("{why}");
    exit(2)
}

/// The words of the command line, as many as `usage` has.
pub fn words(usage: &str) -> Vec<String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.len() + 1 != usage.split(' ').count() {
        refuse(format!("Usage: {usage}"))
    }
    words
}

pub fn number<N: FromStr>(word: &str) -> N {
    word.parse().unwrap_or_else(|_| refuse(format!("'{word}' is no number.")))
}

const CPUS: usize = 1024;
type CpuSet = [u64; CPUS / 64];

extern "C" {
    fn sched_setaffinity(thread: i32, bytes: usize, cpus: *const CpuSet) -> i32;
    fn sched_getaffinity(thread: i32, bytes: usize, cpus: *mut CpuSet) -> i32;
}

/// What was set may not be what holds: it is read back.
pub fn pin_this_thread(cpu: usize) {
    let (mut wanted, mut got): (CpuSet, CpuSet) = ([0; CPUS / 64], [0; CPUS / 64]);
    if let Some(word) = wanted.get_mut(cpu / 64) {
        *word = 1 << (cpu % 64);
    }
    let bytes = size_of::<CpuSet>();
    let set = unsafe { sched_setaffinity(0, bytes, &wanted) == 0 };
    let read = unsafe { sched_getaffinity(0, bytes, &mut got) == 0 };
    if !set || !read || got != wanted {
        refuse(format!("CPU {cpu} cannot be used here."))
    }
}
