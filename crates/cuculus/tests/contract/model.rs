//! Contract 1: an accepted item that was not removed is always found; and `count`, `len`, `remove` and `iter` are exact.
//!
//! BR-003, BR-018, BR-020, BR-028.

use super::rig::{Model, Noise, Row, rows, scaled};

/// Random operations that fill the table to its last slot, keep it there, and drain it.
fn run(row: Row, seed: u64) -> usize {
    let mut noise = Noise(seed);
    let mut model = Model::new(row, seed);
    let slots = row.geometry.slots() as usize;
    // Few enough keys for copies, enough to fill the table.
    let pool: Vec<u64> = (0..2 * slots + 4).map(|_| noise.next()).collect();
    for inserts in [90, 50, 10, 85, 0] {
        for _ in 0..2 * slots {
            let key = pool[noise.below(pool.len())];
            if noise.below(100) < inserts {
                match noise.below(8) {
                    0 => _ = model.insert_unique(key),
                    1 => {
                        let keys: Vec<u64> = (0..noise.below(20)).map(|_| pool[noise.below(pool.len())]).collect();
                        model.insert_many(&keys);
                    }
                    2 => {
                        model.insert(key);
                        model.insert(key);
                    }
                    _ => _ = model.insert(key),
                }
            } else if !model.stored.is_empty() {
                match noise.below(8) {
                    0 => model.remove_many(noise.below(model.stored.len().min(18)) + 1),
                    1 => model.filter = model.filter.clone(),
                    _ => model.remove(noise.below(model.stored.len())),
                }
            }
            model.check_key(key);
            model.check_key(noise.0);
        }
        model.check();
        if inserts == 10 {
            model.clear();
        }
    }
    while !model.stored.is_empty() {
        model.remove(noise.below(model.stored.len()));
        if model.stored.len() % 32 == 0 {
            model.check();
        }
    }
    model.check_empty();
    model.refusals
}

#[test]
fn contract_1_br_018_br_020_br_028_random_operations_against_the_model() {
    let rows = rows();
    let mut refusals = 0;
    for (number, row) in rows.iter().enumerate() {
        if number % 100 < scaled(100) {
            refusals += run(*row, number as u64);
        }
    }
    assert!(refusals > 10 * rows.len() * scaled(100).min(100) / 100, "the tables were never full: {refusals}");
}

/// BR-003: filled until refused, then every accepted item removed in random order while the others are looked up.
#[test]
fn contract_1_br_003_removing_everything_finds_the_rest_each_time() {
    for row in rows().into_iter().step_by(5) {
        let mut noise = Noise(row.geometry.slots());
        let mut model = Model::new(row, 9);
        let mut key = 0;
        while model.insert(key) {
            key += 1;
        }
        // Copies, so that the compact layout's stash is in use.
        let copied = model.stored[0];
        while model.insert(copied) {}
        while !model.stored.is_empty() {
            model.remove(noise.below(model.stored.len()));
            let found = model.filter.contains_many(&model.stored);
            assert!(found.into_iter().all(|found| found), "{row:?}");
        }
        model.check_empty();
    }
}
