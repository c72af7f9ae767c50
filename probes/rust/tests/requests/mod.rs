//! Requests that are wrong: those that every language's tests read, and spoiled ones. Each is refused in a sentence.

use std::fs::{read_dir, read_to_string};
use std::path::Path;
use threadping::api::Probe;

/// The contract's examples of requests that are so.
fn examples(of: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/examples").join(of);
    let files = read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let requests =
        files.filter(|file| file.file_name().is_some_and(|name| name.to_str().unwrap().starts_with("request")));
    requests.map(|file| read_to_string(file).unwrap()).collect()
}

/// It has no mechanism: whatever is asked of it is measured by nobody, for however long.
fn refuses(probe: &Probe, request: &str) {
    let sentence = probe.run(request).expect_err(request);
    let is_one = sentence.ends_with(['.', '?']) && !sentence.contains('\n');
    assert!(is_one && sentence.len() > 20, "{sentence:?} of {request}");
}

#[test]
fn a_bad_request_is_refused_in_a_sentence() {
    let (probe, bad) = (Probe::new("test", "1"), examples("bad"));
    assert!(bad.len() > 30);
    bad.iter().for_each(|request| refuses(&probe, request));
}

#[test]
fn a_spoiled_request_is_refused_in_a_sentence() {
    const PIECES: [&str; 8] = ["-1", "1e999", "9223372036854775808", "null", "[[[[", "\"", "\u{fffd}\u{0}", "{}"];
    let probe = Probe::new("test", "1");
    let mut seed = 7_u64;
    let mut any = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for request in examples("good") {
        for _ in 0..500 {
            let mut spoiled: Vec<char> = request.chars().collect();
            for _ in 0..=any(3) {
                let (from, many) = (any(spoiled.len()), any(12));
                let to = (from + many).min(spoiled.len());
                spoiled.splice(from..to, PIECES[any(PIECES.len())].chars());
            }
            refuses(&probe, &spoiled.into_iter().collect::<String>());
        }
        refuses(&probe, &request.chars().take(request.len() / 2).collect::<String>());
    }
}
