//! Contracts 1, 2 and 8 again as a property, with inputs that shrink.

use super::rig::{BREADTH_FIRST, Model, Row, WALK, scaled, shapes};
use cuculus::{Geometry, Placement};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u8),
    InsertUnique(u8),
    InsertMany(Vec<u8>),
    Remove(u16),
    RemoveMany(u8),
    Look(u8),
    Clear,
    Clone,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => any::<u8>().prop_map(Step::Insert),
        4 => any::<u8>().prop_map(Step::InsertUnique),
        4 => prop::collection::vec(any::<u8>(), 0..30).prop_map(Step::InsertMany),
        8 => any::<u16>().prop_map(Step::Remove),
        1 => any::<u8>().prop_map(Step::RemoveMany),
        4 => any::<u8>().prop_map(Step::Look),
        1 => prop_oneof![3 => Just(Step::Clone), 1 => Just(Step::Clear)],
    ]
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let shapes = shapes();
    (0..shapes.len(), 1u64..12, any::<bool>()).prop_map(move |(shape, half, xor)| {
        let mut geometry = shapes[shape];
        geometry.buckets = if xor { (2 * half).next_power_of_two() } else { 2 * half };
        geometry.with_placement(if xor { Placement::Xor } else { Placement::AnySize })
    })
}

#[test]
fn contract_1_2_8_every_sequence_of_operations_agrees_with_the_model() {
    let config = ProptestConfig { cases: scaled(400) as u32, failure_persistence: None, ..ProptestConfig::default() };
    let input = (geometry(), any::<bool>(), any::<u64>(), prop::collection::vec(step(), 0..250));
    proptest!(config, |((geometry, walk, seed, steps) in input)| {
        let mut model = Model::new(Row { geometry, search: if walk { WALK } else { BREADTH_FIRST } }, seed);
        for step in steps {
            match step {
                Step::Insert(key) => _ = model.insert(key.into()),
                Step::InsertUnique(key) => _ = model.insert_unique(key.into()),
                Step::InsertMany(keys) => {
                    model.insert_many(&keys.into_iter().map(u64::from).collect::<Vec<_>>());
                }
                Step::Remove(at) if !model.stored.is_empty() => model.remove(at as usize % model.stored.len()),
                Step::RemoveMany(count) => model.remove_many((count as usize).min(model.stored.len())),
                Step::Look(key) => model.check_key(key.into()),
                Step::Clone => model.filter = model.filter.clone(),
                Step::Clear => model.clear(),
                Step::Remove(_) => {}
            }
        }
        model.check();
    });
}
