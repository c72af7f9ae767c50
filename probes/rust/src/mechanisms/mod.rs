//! What this probe measures: each is named as in contract/words.json, which says what it does and costs.

pub mod barriers;
pub mod locks;
pub mod queues;
pub mod sleeping;
pub mod spinning;
