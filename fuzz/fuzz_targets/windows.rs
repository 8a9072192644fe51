//! Windows against an exact model: inserts, times of every kind, files. Then a file with changes under right checksums.
#![no_main]

use arbitrary::Arbitrary;
use cuculus_fuzz::forge::forge_checksums;
use cuculus_fuzz::window::{Operation, Pair, Shape, use_forged};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    shape: Shape,
    operations: Vec<Operation>,
    changes: Vec<(u16, u8)>,
}

fuzz_target!(|input: Input| {
    let mut pair = Pair::new(&input.shape);
    for operation in input.operations.iter().take(200) {
        pair.apply(operation);
    }
    let mut bytes = pair.check();
    for &(at, value) in input.changes.iter().take(8) {
        let at = usize::from(at) % bytes.len();
        bytes[at] ^= value;
    }
    forge_checksums(&mut bytes);
    use_forged(&bytes);
});
