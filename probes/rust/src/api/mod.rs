//! The C API of the engine (threadping.h): stages and players of Rust behind its callbacks. A panic ends here, and is the
//! trial's failure.

mod callbacks;

use crate::{ffi, Code, Error, Outcome};
use callbacks::{compares_clocks, count, free, free_player, leave, make, memory, player, progress, role_of, run, stop};
use std::ffi::{c_char, c_int, CStr, CString, OsString};
use std::mem::size_of;
use std::ptr::{null, null_mut};

pub(crate) use callbacks::{achieved, attempt, dropped, opened, operated, tried, trying};
pub use ffi::{Task, Timing};

/// What `stop` publishes, which no count reaches.
pub const STOPPED: u64 = ffi::STOPPED;

/// Nanoseconds, by the engine's clock.
#[inline]
pub fn now_ns() -> u64 {
    unsafe { ffi::threadping_now_ns() }
}

/// What a trial is made of.
pub struct Setup(*const ffi::Setup);

impl Setup {
    pub fn lines(&self) -> usize {
        unsafe { (*self.0).lines as usize }
    }
    pub fn threads(&self) -> usize {
        unsafe { (*self.0).threads as usize }
    }
    pub fn seed(&self) -> u64 {
        unsafe { (*self.0).seed }
    }
    /// A parameter that is a whole number, which is not negative; 0 where there is none of this name.
    pub fn number(&self, name: &CStr) -> u64 {
        unsafe { ffi::threadping_param_number(self.0, name.as_ptr()) as u64 }
    }
    /// Claims memory for `what` until the trial ends; gives why it is too much, and what to do, where it is.
    pub fn claim(&self, bytes: usize, what: &CStr, remedy: &CStr) -> Outcome<()> {
        let mut why = failure();
        unsafe { ffi::threadping_claim(bytes, what.as_ptr(), remedy.as_ptr(), &mut why) };
        match why.code {
            0 => Ok(()),
            _ => Err(Error::new(Code::BadRequest, sentence_of(&why))),
        }
    }
    pub fn text(&self, name: &CStr) -> &str {
        unsafe { CStr::from_ptr(ffi::threadping_param_text(self.0, name.as_ptr())) }.to_str().unwrap_or("")
    }
}

/// Where a player leaves what it times.
pub struct Samples(*mut ffi::Opaque);

#[rustfmt::skip] // a line each, as the header has them
impl Samples {
    pub fn add(&mut self, timing: Timing) { unsafe { ffi::threadping_add(self.0, timing.from_ns, timing.to_ns) } }
    /// The free places, which a loop may fill in place,
    pub fn places(&mut self) -> &mut [Timing] {
        let mut count = 0;
        unsafe { std::slice::from_raw_parts_mut(ffi::threadping_places(self.0, &mut count), count) }
    }
    /// and how many of them were filled.
    pub fn filled(&mut self, count: usize) { unsafe { ffi::threadping_filled(self.0, count) } }
    pub fn record(&mut self, index: usize, value: u64) { unsafe { ffi::threadping_record(self.0, index, value) } }
    pub fn tally(&mut self, index: usize, made: u64, found: u64) { unsafe { ffi::threadping_tally(self.0, index, made, found) } }
    pub fn progress(&mut self, done: u64) { unsafe { ffi::threadping_progress(self.0, done) } }
    pub fn read_clock(&mut self, times: u64) { unsafe { ffi::threadping_read_clock(self.0, times) } }
    pub fn others_wait(&mut self, wait: bool) { unsafe { ffi::threadping_others_wait(self.0, wait.into()) } }
}

/// Counts of what was made and what was found.
pub struct Counts(*mut ffi::Opaque);

impl Counts {
    pub fn count(&mut self, name: &CStr, made: u64, found: u64, must_be_equal: bool) {
        unsafe { ffi::threadping_count(self.0, name.as_ptr(), made, found, must_be_equal.into()) }
    }
}

/// The cells of a trial, one for each line, and who acts on them. Any thread calls, several at once.
pub trait Stage: Send + Sync {
    fn role_of(&self, thread: u32) -> u32;
    /// Whether what one of these threads reads from the clock is held against what the other reads.
    fn compares_clocks(&self, _one: u32, _other: u32) -> bool {
        false
    }
    /// Ends every wait on this line that would not end by itself: again and again, a store may overtake it.
    fn stop(&self, _line: usize) {}
    /// Changes with every operation on this line; 0 where the threads' own counts suffice.
    fn progress(&self, _line: usize) -> u64 {
        0
    }
    /// When all threads have ended, with the operations of each.
    fn count(&self, operations: &[u64], counts: &mut Counts);
    fn memory(&self) -> *const u8 {
        null()
    }
    /// A thread's part, made by itself. It is gone before the stage is.
    fn player(&self, thread: u32) -> Outcome<Box<dyn Player + '_>>;
}

/// A thread's part in a trial, which another thread frees. One call is a whole loop.
pub trait Player: Send {
    /// Performs a task. Gives how many operations it completed: fewer where `stop` or the stream's end cut it short.
    fn run(&mut self, task: &Task, samples: &mut Samples) -> Outcome<u64>;
    /// The end of a stream: who sends says that nothing follows, who receives takes until all have. Gives operations.
    fn leave(&mut self, _samples: &mut Samples) -> Outcome<u64> {
        Ok(0)
    }
}

/// An experiment, as in describe.schema.json without its mechanisms.
pub struct Experiment {
    pub head: &'static str,
}

/// One of its mechanisms: what is described, and what makes its stage.
pub struct Mechanism {
    pub name: &'static str,
    pub blocking: bool,
    pub timed: &'static str,
    pub lines: u32,
    /// JSON: a list of parameters, without its brackets.
    pub params: String,
    pub make: fn(&Setup) -> Outcome<Box<dyn Stage>>,
}

/// As a text of JSON.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A probe of mechanisms in Rust.
pub struct Probe {
    made: *mut ffi::Opaque,
    said: Option<String>, // of every mechanism, in a sentence
}

impl Probe {
    /// The program's name and version.
    pub fn new(name: &str, version: &str) -> Self {
        let flags: Vec<String> = env!("THREADPING_FLAGS").split_whitespace().map(|flag| format!("{flag:?}")).collect();
        let (rustc, flags) = (env!("THREADPING_RUSTC"), flags.join(","));
        let identity = format!(
            r#"{{"probe":"{name}","version":"{version}","toolchain":{{"name":"rustc","version":"{rustc}","flags":[{flags}]}}}}"#
        );
        Probe { made: unsafe { ffi::threadping_probe_new(ffi::VERSION, text(&identity).as_ptr()) }, said: None }
    }

    /// A probe whose mechanisms contract/words.json does not know: this is said of them.
    pub(crate) fn saying(self, summary: String) -> Self {
        Probe { said: Some(summary), ..self }
    }

    fn described_with(&self, name: &str, blocking: bool, params: &str) -> String {
        let costs = "What it costs is what is measured";
        let said = self.said.as_deref().map(quoted);
        let words = said.map(|said| format!(r#","words":{{"summary":{said},"costs":"{costs}"}}"#)).unwrap_or_default();
        format!(r#""name":{},"blocking":{blocking},"params":[{params}]{words}"#, quoted(name))
    }

    /// What has no parameter of this kind is described by its name and by whether it sleeps.
    pub(crate) fn described(&self, name: &str, blocking: bool, params: &str) -> CString {
        text(&format!("{{{}}}", self.described_with(name, blocking, params)))
    }

    pub fn add(&mut self, experiment: &Experiment, mechanism: Mechanism) {
        let Mechanism { name, blocking, timed, lines, params, .. } = &mechanism;
        let described = self.described_with(name, *blocking, params);
        let mechanisms = format!(r#""mechanisms":[{{{described},"timed":["{timed}"],"lines":{lines}}}]"#);
        let description = text(&format!("{{{},{mechanisms}}}", experiment.head));
        let stage = Box::leak(Box::new(ffi::Stage {
            size: size_of::<ffi::Stage>(),
            context: Box::into_raw(Box::new(mechanism)).cast(),
            make,
            free,
            role_of,
            compares_clocks,
            stop,
            progress,
            count,
            memory,
        }));
        let loops = Box::leak(Box::new(ffi::Loops {
            size: size_of::<ffi::Loops>(),
            description: description.into_raw(),
            stage,
            player,
            free_player,
            run,
            leave,
        }));
        unsafe { ffi::threadping_add_loops(self.made, loops) }
    }

    pub(crate) fn add_signal(&mut self, signal: ffi::Signal) {
        unsafe { ffi::threadping_add_signal(self.made, Box::leak(Box::new(signal))) }
    }

    pub(crate) fn add_queue(&mut self, queue: ffi::Queue) {
        unsafe { ffi::threadping_add_queue(self.made, Box::leak(Box::new(queue))) }
    }

    pub(crate) fn add_barrier(&mut self, barrier: ffi::Barrier) {
        unsafe { ffi::threadping_add_barrier(self.made, Box::leak(Box::new(barrier))) }
    }

    /// The whole program. It ends the process.
    pub fn main(self) -> ! {
        self.main_with(std::env::args_os())
    }

    /// `main` with these words; nobody reads the first.
    pub(crate) fn main_with(self, words: impl Iterator<Item = OsString>) -> ! {
        let words = words.map(|word| bytes_of(word.as_encoded_bytes()).into_raw());
        let mut words: Vec<*mut c_char> = words.chain([null_mut()]).collect();
        let status = unsafe { ffi::threadping_main(self.made, words.len() as c_int - 1, words.as_mut_ptr()) };
        std::process::exit(status)
    }

    /// How it describes itself; or why it cannot be used.
    pub fn describe(&self) -> Result<String, String> {
        asked(|why| unsafe { ffi::threadping_describe(self.made, why) })
    }

    /// The result of a request; or why there is none.
    pub fn run(&self, request: &str) -> Result<String, String> {
        let request = text(request);
        asked(|why| unsafe { ffi::threadping_run(self.made, request.as_ptr(), why) })
    }
}

fn asked(call: impl FnOnce(*mut ffi::Failure) -> *mut c_char) -> Result<String, String> {
    let mut why = failure();
    let given = call(&mut why);
    if given.is_null() {
        return Err(sentence_of(&why));
    }
    let message = unsafe { CStr::from_ptr(given) }.to_string_lossy().into_owned();
    unsafe { ffi::free(given.cast()) };
    Ok(message)
}

fn failure() -> ffi::Failure {
    ffi::Failure { size: size_of::<ffi::Failure>(), code: 0, sentence: [0; 512] }
}

fn sentence_of(why: &ffi::Failure) -> String {
    unsafe { CStr::from_ptr(why.sentence.as_ptr()) }.to_string_lossy().into_owned()
}

fn bytes_of(bytes: &[u8]) -> CString {
    CString::new(bytes.iter().copied().filter(|byte| *byte != 0).collect::<Vec<u8>>()).unwrap_or_default()
}

pub(crate) fn text(from: &str) -> CString {
    bytes_of(from.as_bytes())
}
