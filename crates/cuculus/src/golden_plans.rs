//! Plans are the same on every platform: what each request gives, in a list that was made once.
//!
//! Rewrite it with `CUCULUS_REWRITE_GOLDEN=1 cargo test -p cuculus --lib golden_plans`, when planned loads change.

use crate::{Builder, CuckooFilter, Layout, Placement, sizing};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const LIST: &str = include_str!("golden_plans.txt");

fn requests() -> Vec<(String, Builder)> {
    let layouts = [None, Some(Layout::Packed), Some(Layout::SemiSorted), Some(Layout::Compact)];
    let items = [0, 1, 2, 3, 7, 64, 1_000, 65_537, 1_000_000, 100_000_000, (1 << 32) + 1, 1 << 40, 1 << 48];
    let mut requests = Vec::new();
    for layout in layouts {
        let name = layout.map_or(String::from("any layout"), |layout| format!("{layout:?}"));
        let builder = || match layout {
            Some(layout) => CuckooFilter::builder().layout(layout),
            None => CuckooFilter::builder(),
        };
        for items in items {
            for rate in [0.05, 0.01, 1e-3, 1e-6] {
                let asked = builder().items(items).false_positive_rate(rate);
                requests.push((format!("{name}, {items} items at {rate}"), asked.clone()));
                if items == 1_000_000 {
                    requests.push((format!("{name}, xor, {items} items at {rate}"), asked.placement(Placement::Xor)));
                }
            }
        }
        for memory in [64, 4_096, 1 << 20, 5_000_000_000, 1 << 45] {
            let asked = builder().memory(memory);
            requests.push((format!("{name}, {memory} bytes at 0.01"), asked.clone().false_positive_rate(0.01)));
            let items = memory * 2 / 3;
            requests.push((format!("{name}, {memory} bytes for {items} items"), asked.items(items)));
        }
    }
    for slots in [1, 2, 8] {
        for items in items {
            let asked = CuckooFilter::builder().items(items).false_positive_rate(0.003).slots_per_bucket(slots);
            requests.push((format!("{slots} slots a bucket, {items} items at 0.003"), asked));
        }
    }
    requests
}

fn line(name: &str, builder: &Builder) -> String {
    let Ok(plan) = builder.plan() else { return format!("{name}: none\n") };
    let g = plan.geometry;
    // Rates to the last bit: they decide which plan wins.
    let rates = [plan.false_positive_rate, sizing::false_positive_rate(&g, 0.9), sizing::load_for_rate(&g, 0.001)];
    let [a, b, c] = rates.map(f64::to_bits);
    format!(
        "{name}: {:?} {:?} f {} b {} wide {} buckets {} bytes {} capacity {} rates {a:x} {b:x} {c:x}\n",
        g.layout,
        g.placement,
        g.fingerprint_bits,
        g.slots_per_bucket,
        g.wide_slots,
        g.buckets,
        plan.table_bytes(),
        plan.capacity,
    )
}

#[test]
fn plans_are_the_listed_ones() {
    let lines: Vec<String> = requests().iter().map(|(name, builder)| line(name, builder)).collect();
    #[cfg(feature = "std")]
    if std::env::var_os("CUCULUS_REWRITE_GOLDEN").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/golden_plans.txt"), lines.concat()).unwrap();
        return;
    }
    assert_eq!(lines.len(), LIST.lines().count());
    for (line, listed) in lines.iter().zip(LIST.lines()) {
        assert_eq!(line.trim_end(), listed);
    }
}
