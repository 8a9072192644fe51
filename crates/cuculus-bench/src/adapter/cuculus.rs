//! This project's filters, through the calls that a user has.

use cuculus::{CuckooFilter, Geometry, Layout, Placement, Search};

use super::{Built, Ops, Plan, Shape, each};

struct Cuculus(CuckooFilter);

pub(super) fn packed(plan: &Plan) -> Built {
    build(plan, Layout::Packed)
}

pub(super) fn semi_sorted(plan: &Plan) -> Built {
    build(plan, Layout::SemiSorted)
}

pub(super) fn compact(plan: &Plan) -> Built {
    build(plan, Layout::Compact)
}

/// A fixed table of a layout: `fingerprint_bits` is what a slot takes, so that all layouts have the same slots and, but
/// for what is left over in a line, the same bytes.
pub(crate) fn geometry(layout: Layout, shape: &Shape) -> Geometry {
    let Shape { fingerprint_bits: bits, slots, buckets, .. } = *shape;
    match layout {
        Layout::Packed => Geometry::packed(bits, slots, buckets),
        Layout::SemiSorted => Geometry::semi_sorted(bits + 1, buckets),
        Layout::Compact => {
            let in_line = 512 / bits / 2 * 2;
            let wide = (512 - in_line * bits).min(in_line) / 2 * 2;
            let lines = (buckets * u64::from(slots)).div_ceil(u64::from(in_line));
            Geometry::compact(bits, in_line, wide, lines + lines % 2)
        }
    }
}

fn build(plan: &Plan, layout: Layout) -> Built {
    let mut builder = CuckooFilter::builder();
    if let Some(shape) = &plan.shape {
        let mut geometry = geometry(layout, shape);
        if shape.as_in_paper {
            geometry = geometry.with_placement(Placement::Xor);
            builder = builder.search(Search::RandomWalk { kicks: 500 });
        }
        builder = builder.geometry(geometry);
    } else if let Some(bytes) = plan.memory {
        builder = builder.layout(layout).memory(bytes).items(plan.items);
    } else {
        builder = builder.layout(layout).items(plan.items).false_positive_rate(plan.rate);
    }
    each(Cuculus(builder.build().map_err(|e| e.to_string())?))
}

impl Ops for Cuculus {
    const MANY_LOOKUPS: bool = true;
    const MANY_UPDATES: bool = true;

    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        self.0.insert(&key).is_ok()
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.0.remove(&key)
    }
    fn contains_many(&self, keys: &[u64]) -> usize {
        self.0.contains_many(keys).into_iter().filter(|&hit| hit).count()
    }
    fn insert_many(&mut self, keys: &[u64]) -> usize {
        let before = self.0.len();
        let _ = self.0.insert_many(keys);
        (self.0.len() - before) as usize
    }
    fn remove_many(&mut self, keys: &[u64]) -> usize {
        self.0.remove_many(keys).into_iter().filter(|&taken| taken).count()
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.0.insert(key).is_ok()
    }
    fn contains_text(&self, key: &str) -> bool {
        self.0.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.0.table_bytes()
    }
    fn promised_rate(&self) -> f64 {
        self.0.promised_false_positive_rate()
    }
}
