//! The Rust probe (contract/README.md): `describe`, and `run --request FILE --result FILE`.

mod mechanisms;

use mechanisms::{barriers, locks, queues, sleeping, spinning};
use threadping::api::Probe;

fn main() {
    let mut probe = Probe::new("rust", env!("THREADPING_RELEASE"));
    spinning::add_all(&mut probe);
    sleeping::add_all(&mut probe);
    locks::add_all(&mut probe);
    queues::add_all(&mut probe);
    barriers::add_all(&mut probe);
    probe.main()
}
