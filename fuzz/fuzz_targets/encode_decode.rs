//! A filter after some operations, written and read back: equal in every form. Then one change: always an error.
#![no_main]

use arbitrary::Arbitrary;
use cuculus::{CuckooFilter, FilterView, HashKind, verify_bytes};
use cuculus_fuzz::{operation::Operation, operation::Pair, shape::Shape};
use libfuzzer_sys::fuzz_target;

/// Bytes of the header.
const HEADER: usize = 256;

#[derive(Arbitrary, Debug)]
struct Input {
    shape: Shape,
    operations: Vec<Operation>,
    afterwards: Vec<Operation>,
    at: u16,
    flip: u8,
}

fuzz_target!(|input: Input| {
    let mut pair = Pair::new(input.shape);
    for operation in input.operations.iter().take(50) {
        pair.apply(operation);
    }
    let key = match &input.shape.hash {
        HashKind::SipHash13 { key } => Some(key),
        _ => None,
    };
    let (plain, compressed) = (pair.filter.to_bytes(), pair.filter.to_compressed_bytes());
    assert!(compressed.len() <= plain.len());

    let view = FilterView::open(&plain, key).expect("a view opens");
    assert_eq!(view.verify(), Ok(()));
    assert!(view == pair.filter);
    pair.model.check(&view);
    for bytes in [&plain, &compressed] {
        verify_bytes(bytes).expect("it verifies");
        let filter = CuckooFilter::from_bytes(bytes, key).expect("it loads");
        assert!(filter == pair.filter);
        assert!(filter.to_bytes() == plain && filter.to_compressed_bytes() == compressed);
        // The state is all there: it goes on to the same bytes.
        let (mut original, mut loaded) = (pair.clone(), pair.with_filter(filter));
        for operation in input.afterwards.iter().take(5) {
            original.apply(operation);
            loaded.apply(operation);
        }
        assert!(original.filter.to_bytes() == loaded.filter.to_bytes());

        let at = usize::from(input.at) % bytes.len();
        let mut changed = bytes.clone();
        changed[at] ^= input.flip.max(1);
        refused(&changed, at, key);
        refused(&bytes[..at], 0, key);
        changed.clone_from(bytes);
        changed.push(input.flip);
        refused(&changed, 0, key);
    }
});

/// `at` is the first changed byte; a changed length counts as a change of the header.
fn refused(bytes: &[u8], at: usize, key: Option<&[u8; 16]>) {
    assert!(verify_bytes(bytes).is_err());
    assert!(CuckooFilter::from_bytes(bytes, key).is_err());
    match FilterView::open(bytes, key) {
        Ok(view) => assert!(at >= HEADER && view.verify().is_err()),
        Err(_) => {}
    }
}
