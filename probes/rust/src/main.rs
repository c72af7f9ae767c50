//! The Rust probe (contract/README.md): `describe`, and `run --request FILE --result FILE`.

mod mechanisms;

use mechanisms::{locks, queues, signals};
use threadping::seam::Probe;

fn main() {
    let mut probe = Probe::new("rust", env!("THREADPING_RELEASE"));
    signals::add_all(&mut probe);
    locks::add_all(&mut probe);
    queues::add_all(&mut probe);
    probe.main()
}
