//! Any sequence of calls keeps the promise, and goes on alike after a copy or a file; with inputs that shrink.

use super::rig::{Watched, scaled, ticks};
use core::time::Duration;
use cuculus::{Window, WindowFilter};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u16),
    Look(u16),
    Advance(u16),
    Back(u16),
    Clone,
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (0..400u16).prop_map(Step::Insert),
        6 => any::<u16>().prop_map(Step::Look),
        6 => (0..90u16).prop_map(Step::Advance),
        1 => any::<u16>().prop_map(Step::Advance),
        1 => any::<u16>().prop_map(Step::Back),
        1 => Just(Step::Clone),
        1 => Just(Step::Reload),
    ]
}

fn filter() -> impl Strategy<Value = WindowFilter> {
    (1..200u64, 1..61u32, any::<bool>(), any::<u64>()).prop_map(|(items, steps, timed, seed)| {
        let steps = steps.min(items as u32);
        let builder = WindowFilter::builder().items(items).steps(steps).false_positive_rate(0.001).seed(seed);
        match timed {
            true => builder.duration(Duration::from_nanos(10 * items)).build(),
            false => builder.build(),
        }
        .unwrap()
    })
}

#[test]
fn every_sequence_of_operations_keeps_the_promise() {
    let config = ProptestConfig { cases: scaled(400) as u32, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((filter, steps) in (filter(), prop::collection::vec(step(), 0..400)))| {
        let timed = matches!(filter.window(), Window::Time(_));
        let hash = |key: u16| u64::from(key).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut watched = Watched::new(filter);
        for step in steps {
            match step {
                Step::Insert(key) => {
                    let before = watched.filter.clone();
                    if watched.insert(hash(key)).is_err() {
                        prop_assert!(timed && before.len() == before.capacity() && watched.filter == before);
                    }
                }
                Step::Look(key) => watched.look(hash(key)),
                Step::Advance(by) if timed => watched.advance(by.into()),
                Step::Advance(by) => prop_assert!(!watched.filter.advance(Duration::from_nanos(by.into()))),
                Step::Back(by) => {
                    let before = watched.filter.clone();
                    let back = ticks(before.now()).saturating_sub(by.into());
                    prop_assert!(!watched.filter.advance(Duration::from_nanos(back)) && watched.filter == before);
                }
                Step::Clone => watched.filter = watched.filter.clone(),
                Step::Reload => {
                    let copy = WindowFilter::from_bytes(&watched.filter.to_bytes(), None).unwrap();
                    prop_assert!(copy == watched.filter);
                    watched.filter = copy;
                }
            }
            prop_assert_eq!(watched.filter.validate(), Ok(()));
        }
        let seen: Vec<u64> = watched.seen.keys().copied().collect();
        seen.into_iter().for_each(|hash| watched.look(hash));
    });
}
