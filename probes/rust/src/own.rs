//! A probe of one mechanism, a type of a crate of a user's own: threadping writes its main, which is `own!` of that type. It is
//! tried before it is measured (docs/how-to/custom-mechanism.md).

use crate::api::{attempt, trying, Probe};
use crate::lock::{add_lock, check_lock, Lock};
use crate::queue::{
    add_channel_as, add_queue_as, check_channel, check_queue, AnyChannel, AnyTryQueue, Channel, Message, TryQueue,
};
use crate::signal::{add_signal, check_signal, Signal};
use std::ffi::OsString;
use std::marker::PhantomData;
use std::process::exit;

/// What a type may implement, and what is done with it then; or what it lacks for that.
pub struct Concept {
    name: &'static str,
    uses: Result<Uses, &'static str>,
}

/// What adds a type to a probe under a name, and what checks its contract.
#[derive(Clone, Copy)]
struct Uses {
    add: fn(&mut Probe, &'static str),
    check: fn(),
}

/// A type that is asked what it implements: `Type::<T>::NEW.lock()` is the method below where T is a lock, and that of
/// [`Otherwise`] where it is none.
pub struct Type<T>(PhantomData<T>);

impl<T> Type<T> {
    pub const NEW: Self = Type(PhantomData);
}

macro_rules! concepts {
    ($($ask:ident: $name:literal, $bound:path => $uses:expr;)*) => {
        /// What a type is that is nothing else.
        pub trait Otherwise {
            $(fn $ask(&self) -> Option<Concept> { None })*
        }
        impl<T> Otherwise for Type<T> {}
        $(impl<T: $bound> Type<T> {
            pub fn $ask(&self) -> Option<Concept> {
                Some(Concept { name: $name, uses: $uses })
            }
        })*
    };
}

/// For what is a signal, and has no Default.
pub trait MadeOfNothing: Signal + Default {}
impl<T: Signal + Default> MadeOfNothing for T {}

concepts! {
    signal: "Signal", MadeOfNothing => Ok(Uses { add: add_signal::<T>, check: check_signal::<T> });
    lock: "Lock", Lock => Ok(Uses { add: add_lock::<T>, check: check_lock::<T> });
    queue: "TryQueue", AnyTryQueue => Ok(Uses { add: add_queue_as::<T>, check: check_queue::<T> });
    channel: "Channel", AnyChannel => Ok(Uses { add: add_channel_as::<T>, check: check_channel::<T> });
    any_signal: "Signal", Signal => Err("Default: write #[derive(Clone, Copy, Default)] above it");
    bare_queue: "TryQueue", TryQueue<Message<0>> => Err(ALL_MESSAGES);
    bare_channel: "Channel", Channel<Message<0>> => Err(ALL_MESSAGES);
}

const ALL_MESSAGES: &str = "the other messages: write impl<M: Content> ... for it";

/// The whole program: `own!("my_crate", my_crate::MyQueue)`.
#[macro_export]
macro_rules! own {
    ($crate_name:literal, $type:ty) => {{
        use $crate::own::Otherwise;
        let of = $crate::own::Type::<$type>::NEW;
        let concepts = [of.signal(), of.lock(), of.queue(), of.channel()];
        let nearly = [of.any_signal(), of.bare_queue(), of.bare_channel()];
        $crate::own::main($crate_name, stringify!($type), concepts, nearly)
    }};
}

/// `--name NAME describe|check|run ...`: NAME is what the mechanism is called. It ends the process.
pub fn main(
    crate_name: &str,
    type_name: &str,
    concepts: impl IntoIterator<Item = Option<Concept>>,
    nearly: impl IntoIterator<Item = Option<Concept>>,
) -> ! {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let mut name = "own".to_string();
    if words.get(1).is_some_and(|word| word == "--name") && words.len() > 2 {
        name = words.drain(1..3).nth(1).unwrap_or_default().to_string_lossy().into_owned();
    }
    let type_name = type_name.rsplit("::").next().unwrap_or(type_name).trim();
    let found: Vec<Concept> = concepts.into_iter().flatten().collect();
    let uses = match &found[..] {
        [] => match nearly.into_iter().flatten().next() {
            Some(Concept { name, uses: Err(lacks) }) => Err(format!("is a {name}, but lacks {lacks}.")),
            _ => Err("implements none of Signal, Lock, TryQueue and Channel of the crate threadping.".to_string()),
        },
        [one] => one.uses.map_err(str::to_string),
        [one, other, ..] => Err(format!("is both a {} and a {}. Leave one of them out.", one.name, other.name)),
    };
    let Uses { add, check } = uses.unwrap_or_else(|why| refuse(&format!("'{type_name}' of '{crate_name}' {why}")));
    if words.get(1).is_some_and(|word| word == "check") && words.len() == 2 {
        trying(check);
        exit(0)
    }
    let mut probe = Probe::new("rust", env!("THREADPING_RELEASE")).saying(format!("Your own, of {crate_name}"));
    if let Err(why) = attempt(|| add(&mut probe, name.leak())) {
        refuse(&why.sentence)
    }
    probe.main_with(words.into_iter())
}

/// Refuses what is written in a way that cannot be measured.
fn refuse(sentence: &str) -> ! {
    eprintln!("{sentence}");
    exit(2)
}
