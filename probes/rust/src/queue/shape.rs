//! What is asked of a queue, and what it can do.

use crate::api::Setup;
use crate::{Code, Error, Outcome};
use std::ffi::CStr;

/// What is asked of a queue.
#[derive(Clone, Copy)]
pub struct Shape {
    pub size: u64,
    pub(super) payload: u64,
    pub(super) in_flight: u64, // maximum number of a producer's messages not taken yet; 0: by the size
    pub(super) batch: u64,
    pub producers: u64,
}

/// What a queue can do, and how it is called.
#[derive(Clone, Copy)]
pub struct Traits {
    pub name: &'static str,
    pub batches: bool,
    pub many_producers: bool,
    pub power_of_two: bool,
    /// The fewest messages that it may be asked to hold; 0 where it then hands each one over.
    pub least_size: u32,
    /// Whether it is full by itself. Otherwise its producers keep within the size, and that is no part of its cost.
    pub bounded: bool,
}

impl Traits {
    pub const fn of(name: &'static str) -> Self {
        Traits { name, batches: false, many_producers: false, power_of_two: false, least_size: 2, bounded: true }
    }
}

/// The words that fill a message of `message-bytes` behind its id and its stamp, rounded up to whole words.
pub(super) fn words_in(setup: &Setup) -> u64 {
    setup.number(c"message-bytes").saturating_sub(16).div_ceil(8)
}

pub(super) fn shape_of(traits: &Traits, setup: &Setup) -> Outcome<Shape> {
    let at_least_1 = |name: &CStr| setup.number(name).max(1);
    let shape = Shape {
        size: at_least_1(c"size"), // of what holds none it is 1 for all but what opens it
        payload: words_in(setup),
        in_flight: setup.number(c"depth"),
        batch: at_least_1(c"batch"),
        producers: at_least_1(c"producers"),
    };
    let bad = |why: String| Err(Error::new(Code::BadRequest, why));
    let parameter = |name: &str| format!("The parameter '{name}' of {} must be", traits.name);
    if traits.power_of_two && !shape.size.is_power_of_two() {
        let (such, size) = (shape.size.next_power_of_two(), shape.size);
        return bad(format!("{} a power of two, such as {such}, not {size}.", parameter("size")));
    }
    let flies = if shape.in_flight > 0 { shape.in_flight } else { shape.size };
    for (name, number, within, most) in [
        ("batch", shape.batch, "size", shape.size),
        ("depth", shape.in_flight, "size", shape.size),
        ("batch", shape.batch, "depth", flies),
    ] {
        if number > most {
            return bad(format!("{} at most its '{within}', {most}, not {number}.", parameter(name)));
        }
    }
    if setup.threads() as u64 != shape.producers + 1 {
        let several = if shape.producers == 1 { "" } else { "s" };
        let (producers, wanted, threads) = (shape.producers, shape.producers + 1, setup.threads());
        return bad(format!("{producers} producer{several} and 1 consumer are {wanted} threads, not {threads}."));
    }
    Ok(shape)
}
