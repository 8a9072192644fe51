//! Operations against an exact model, over small filters of every layout, width and placement.
#![no_main]

use cuculus_fuzz::{operation::Operation, operation::Pair, shape::Shape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Shape, Vec<Operation>)| {
    let (shape, operations) = input;
    let mut pair = Pair::new(shape);
    for operation in operations.iter().take(200) {
        pair.apply(operation);
    }
    pair.model.check(&pair.filter);
});
