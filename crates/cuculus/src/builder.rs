//! From what the user knows to the smallest geometry that keeps the promise.

use crate::error::{BuildError, Counted, Grouped};
use crate::filter::{CuckooFilter, Spec};
use crate::geometry::{Geometry, LINE_BITS, Layout, Placement, Search};
use crate::hash::{HashKind, ItemHasher};
use crate::sizing;
use alloc::format;

/// Builds a [`CuckooFilter`] from two of *items*, *false-positive rate* and *memory*, or from an explicit geometry.
///
/// ```
/// use cuculus::{CuckooFilter, Layout};
///
/// let by_need = CuckooFilter::builder().items(1_000_000).false_positive_rate(0.001).build()?;
/// assert!(by_need.capacity() >= 1_000_000);
///
/// let by_memory = CuckooFilter::builder().memory(1 << 20).false_positive_rate(0.01).layout(Layout::Packed).build()?;
/// assert!(by_memory.table_bytes() <= 1 << 20);
/// # Ok::<(), cuculus::BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Builder {
    items: Option<u64>,
    rate: Option<f64>,
    memory: Option<u64>,
    geometry: Option<Geometry>,
    layout: Option<Layout>,
    placement: Option<Placement>,
    slots_per_bucket: Option<u32>,
    search: Option<Search>,
    headroom: Option<Headroom>,
    hash: HashKind,
}

/// How full the builder plans a table to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Headroom {
    /// As full as is safe, about 0.97: the fewest bytes. The last percents of the inserts look at dozens of buckets
    /// each, and so does every insert into a full table whose items come and go.
    #[default]
    Tight,
    /// At most 0.90 full, for sets that keep changing: 7 % more bytes, and a removal with an insert is four times as
    /// fast as in a tight table (192 MB: 11 million a second against 2.9, see DESIGN.md).
    Lively,
}

/// What a builder would build: nothing is allocated yet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The shape.
    pub geometry: Geometry,
    /// Items for which room and rate are promised.
    pub capacity: u64,
    /// The promised false-positive rate.
    pub false_positive_rate: f64,
}

impl Plan {
    /// Bytes of the table.
    pub fn table_bytes(&self) -> u64 {
        self.geometry.table_bytes()
    }

    /// Bits of memory for each item when full.
    pub fn bits_per_item(&self) -> f64 {
        self.table_bytes() as f64 * 8.0 / self.capacity as f64
    }
}

/// The most items a filter is built for.
const MAX_ITEMS: u64 = 1 << 48;

/// A build may fail for too many equal items with at most this probability (simulation finds up to 3.5 times as many as
/// the formula in small tables); the promise is 1 in 10,000 for all reasons.
const CROWDS: f64 = 1e-5;

/// The same in the compact layout, where the formula is close: 127 fingerprints give 5e-5 in a table of any size, 63 too many.
const COMPACT_CROWDS: f64 = 6e-5;

/// With fifteen fingerprints the planned load is not safe; they remain for explicit geometries.
pub(crate) const LEAST_PLANNED_BITS: u32 = 5;

/// A geometry whose rate allows only less load than this is no candidate: another width serves better.
pub(crate) const LEAST_LOAD: f64 = 0.4;

impl Builder {
    /// How many distinct items have to fit, 0 to 2^48.
    pub fn items(mut self, items: u64) -> Self {
        self.items = Some(items);
        self
    }

    /// The highest false-positive rate allowed, as a fraction: 0.01 is one absent key in a hundred. More than 0, less
    /// than 1; below about 1e-9 no 32-bit fingerprint reaches it.
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.rate = Some(rate);
        self
    }

    /// The most bytes the table may take.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The exact shape, instead of items, rate and memory.
    pub fn geometry(mut self, geometry: Geometry) -> Self {
        self.geometry = Some(geometry);
        self
    }

    /// The layout; without it, packed or compact, whichever is smaller.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// How partner buckets are found; [`Placement::AnySize`] if not said. [`Placement::Xor`] rounds the table up to a
    /// power of two.
    pub fn placement(mut self, placement: Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// Slots of a packed bucket: 1, 2, 4 (if not said) or 8. For the packed layout only.
    pub fn slots_per_bucket(mut self, slots: u32) -> Self {
        self.slots_per_bucket = Some(slots);
        self
    }

    /// How full the table is planned to be when the capacity is reached; [`Headroom::Tight`] if not said. An explicit
    /// geometry has none: nothing is planned then.
    pub fn headroom(mut self, headroom: Headroom) -> Self {
        self.headroom = Some(headroom);
        self
    }

    /// How room is made for an item whose slots are taken; [`Search::default_for`] the layout if not said.
    ///
    /// Loads are planned for that search: with items, rate or memory only a longer breadth-first one is accepted, for a
    /// weaker one would refuse items before the promised capacity. With an explicit geometry, which promises no load,
    /// any search is (the paper's random walk of 500 kicks stops at about 0.95 with four slots a bucket).
    pub fn search(mut self, search: Search) -> Self {
        self.search = Some(search);
        self
    }

    /// The seed of the default hash, XXH3-64; 0 if not said. Not a secret: see [`secret_key`](Self::secret_key).
    pub fn seed(mut self, seed: u64) -> Self {
        self.hash = HashKind::Xxh3 { seed };
        self
    }

    /// Hashes with SipHash-1-3 under a secret key, for keys that outsiders choose.
    pub fn secret_key(mut self, key: [u8; 16]) -> Self {
        self.hash = HashKind::SipHash13 { key };
        self
    }

    /// The hash function.
    pub fn hash(mut self, hash: HashKind) -> Self {
        self.hash = hash;
        self
    }

    /// Allocates the filter.
    ///
    /// # Errors
    /// As [`plan`](Self::plan), and [`BuildError::Allocation`] if the system has not got the memory.
    pub fn build(&self) -> Result<CuckooFilter, BuildError> {
        let plan = self.plan()?;
        let search = self.search.unwrap_or(Search::default_for(plan.geometry.layout));
        CuckooFilter::from_spec(Spec {
            geometry: plan.geometry,
            hasher: ItemHasher::new(self.hash),
            search,
            capacity: plan.capacity,
            promised_rate: plan.false_positive_rate,
        })
    }

    /// Finds the geometry without allocating it. Takes microseconds, whatever is asked.
    ///
    /// # Errors
    /// [`BuildError`] names what is missing, out of range or impossible together.
    pub fn plan(&self) -> Result<Plan, BuildError> {
        self.check_ranges()?;
        self.check_options()?;
        let plan = match (self.geometry, self.items, self.rate, self.memory) {
            (Some(geometry), None, None, None) => self.plan_explicit(geometry),
            (None, Some(items), Some(rate), None) => self.plan_for_items_and_rate(items, rate),
            (None, None, Some(rate), Some(memory)) => self.plan_for_memory_and_rate(memory, rate),
            (None, Some(items), None, Some(memory)) => self.plan_for_memory_and_items(memory, items),
            (Some(_), ..) | (None, Some(_), Some(_), Some(_)) => Err(BuildError::Overspecified),
            _ => Err(BuildError::Underspecified),
        }?;
        self.check_search(&plan)?;
        Ok(plan)
    }

    fn check_ranges(&self) -> Result<(), BuildError> {
        if let Some(items) = self.items.filter(|&items| items > MAX_ITEMS) {
            return Err(BuildError::OutOfRange { parameter: "items", value: items.into(), allowed: "0 to 2^48" });
        }
        if let Some(rate) = self.rate.filter(|&rate| !(rate > 0.0 && rate < 1.0)) {
            return Err(BuildError::OutOfRange {
                parameter: "false_positive_rate",
                value: rate.into(),
                allowed: "more than 0 and less than 1",
            });
        }
        if let Some(slots) = self.slots_per_bucket.filter(|slots| !matches!(slots, 1 | 2 | 4 | 8)) {
            return Err(BuildError::OutOfRange {
                parameter: "slots_per_bucket",
                value: u64::from(slots).into(),
                allowed: "1, 2, 4 or 8",
            });
        }
        let budget = self.search.map(|search| match search {
            Search::BreadthFirst { positions: budget } | Search::RandomWalk { kicks: budget } => budget,
        });
        if let Some(budget) = budget.filter(|&budget| budget > Search::MAX_BUDGET) {
            return Err(BuildError::OutOfRange {
                parameter: "search budget",
                value: u64::from(budget).into(),
                allowed: "at most 1,048,576",
            });
        }
        Ok(())
    }

    /// What does not go together whatever is planned.
    fn check_options(&self) -> Result<(), BuildError> {
        let shaped = self.layout.is_some() || self.placement.is_some() || self.slots_per_bucket.is_some();
        if self.geometry.is_some() && (shaped || self.headroom.is_some()) {
            return Err(BuildError::Overspecified);
        }
        let contradiction = |options, reason| Err(BuildError::Contradiction { options, reason });
        match (self.layout, self.slots_per_bucket) {
            (Some(Layout::Compact), Some(_)) => {
                contradiction("slots_per_bucket and the compact layout", "the slots of a line follow from the rate")
            }
            (Some(Layout::SemiSorted), Some(slots)) if slots != 4 => {
                contradiction("slots_per_bucket and the semi-sorted layout", "its buckets have four slots")
            }
            _ => Ok(()),
        }
    }

    /// Planned loads are those of the default search: a weaker one would break the promise.
    fn check_search(&self, plan: &Plan) -> Result<(), BuildError> {
        let Search::BreadthFirst { positions: least } = Search::default_for(plan.geometry.layout) else {
            return Ok(());
        };
        let strong = match self.search {
            None => true,
            Some(Search::BreadthFirst { positions }) => positions >= least,
            Some(Search::RandomWalk { .. }) => false,
        };
        if strong || self.geometry.is_some() {
            return Ok(());
        }
        Err(BuildError::Contradiction {
            options: "this search and a planned capacity",
            reason: "capacities are planned for a breadth-first search over 10,000 buckets (compact: 20,000 slots) or more; \
                     give an explicit geometry with another search",
        })
    }

    fn plan_explicit(&self, geometry: Geometry) -> Result<Plan, BuildError> {
        geometry.validate()?;
        let false_positive_rate = sizing::false_positive_rate(&geometry, 1.0);
        Ok(Plan { geometry, capacity: geometry.slots(), false_positive_rate })
    }

    fn plan_for_items_and_rate(&self, items: u64, rate: f64) -> Result<Plan, BuildError> {
        let candidates = self.shapes().filter_map(|shape| {
            let load = sizing::load_for_rate(&shape, rate).min(self.most_load());
            let geometry = (load >= LEAST_LOAD).then(|| self.smallest(shape, items, load)).flatten()?;
            let capacity = most_safe_from_crowds(&geometry, capacity(&geometry, load));
            Some(Plan { geometry, capacity, false_positive_rate: rate })
        });
        candidates.min_by_key(Plan::table_bytes).ok_or_else(|| BuildError::NoGeometry {
            reason: if self.shapes().all(|shape| sizing::load_for_rate(&shape, rate) < LEAST_LOAD) {
                format!("no layout reaches a false-positive rate of {rate:?}: fingerprints have at most 32 bits")
            } else {
                let (items, most) = (Counted(items, "item"), Grouped(Geometry::MAX_BUCKETS));
                format!(
                    "no layout holds {items} at a false-positive rate of {rate:?}: tables have at most {most} buckets"
                )
            },
        })
    }

    fn plan_for_memory_and_rate(&self, memory: u64, rate: f64) -> Result<Plan, BuildError> {
        let candidates = self.shapes().filter_map(|shape| {
            let load = sizing::load_for_rate(&shape, rate).min(self.most_load());
            let geometry = (load >= LEAST_LOAD).then(|| self.largest(shape, memory)).flatten()?;
            let capacity = most_safe_from_crowds(&geometry, capacity(&geometry, load));
            (capacity > 0).then_some(Plan { geometry, capacity, false_positive_rate: rate })
        });
        // The first of the largest: `max_by_key` would take the last.
        candidates.reduce(|best, next| if next.capacity > best.capacity { next } else { best }).ok_or_else(|| {
            BuildError::NoGeometry {
                reason: format!(
                    "no filter with a false-positive rate of {rate:?} fits into {} of memory",
                    Counted(memory, "byte")
                ),
            }
        })
    }

    fn plan_for_memory_and_items(&self, memory: u64, items: u64) -> Result<Plan, BuildError> {
        let candidates = self.shapes().filter_map(|shape| {
            let geometry = self.largest(shape, memory)?;
            let fits = capacity(&geometry, self.most_load()) >= items && safe_from_crowds(&geometry, items);
            // No filter promises a rate of nothing: an empty one promises that of one item.
            let load = items.max(1) as f64 / geometry.slots() as f64;
            let rate = sizing::false_positive_rate(&geometry, load);
            fits.then_some(Plan { geometry, capacity: items, false_positive_rate: rate })
        });
        let best = candidates.reduce(|best, next| match next.false_positive_rate < best.false_positive_rate {
            true => next,
            false => best,
        });
        best.ok_or_else(|| {
            let least = self.shapes().map(|shape| shape.table_bytes()).min().unwrap_or(0);
            let (memory, small) = (Counted(memory, "byte"), memory < least);
            BuildError::NoGeometry {
                reason: match small {
                    true => format!("the smallest table takes {least} bytes, which is more than {memory} of memory"),
                    false => {
                        let items = Counted(items, "item");
                        format!("there is no room for {items} in {memory} of memory at any false-positive rate")
                    }
                },
            }
        })
    }

    /// How full the table may be planned.
    fn most_load(&self) -> f64 {
        match self.headroom.unwrap_or_default() {
            Headroom::Tight => 1.0,
            Headroom::Lively => 0.9,
        }
    }

    /// Every shape the builder may choose, with the smallest table; the order decides among equals.
    fn shapes(&self) -> impl Iterator<Item = Geometry> + '_ {
        let slots = self.slots_per_bucket.unwrap_or(4);
        let chosen = move |layout| self.layout.unwrap_or(layout) == layout;
        let packed = (LEAST_PLANNED_BITS..=32)
            .filter(move |_| chosen(Layout::Packed))
            .map(move |f| Geometry::packed(f, slots, 2));
        let semi_sorted = (5..=32)
            .filter(move |_| self.layout == Some(Layout::SemiSorted) && slots == 4)
            .map(|f| Geometry::semi_sorted(f, 2));
        let compact = compact_shapes().filter(move |_| chosen(Layout::Compact) && self.slots_per_bucket.is_none());
        let placement = self.placement.unwrap_or(Placement::AnySize);
        packed.chain(semi_sorted).chain(compact).map(move |shape| shape.with_placement(placement))
    }

    /// The smallest table of a shape that takes `items` at a load of at most `load`.
    fn smallest(&self, shape: Geometry, items: u64, load: f64) -> Option<Geometry> {
        smallest(shape, |geometry| capacity(geometry, load) >= items && safe_from_crowds(geometry, items))
    }

    /// The largest table of a shape in `memory` bytes.
    fn largest(&self, shape: Geometry, memory: u64) -> Option<Geometry> {
        let with = |half: u64| Geometry { buckets: 2 * half, ..shape };
        let fits = |half: &u64| with(*half).table_bytes() <= memory;
        let most = Geometry::MAX_BUCKETS / 2;
        if !fits(&1) {
            return None;
        }
        if shape.placement == Placement::Xor {
            return (0..=most.ilog2()).map(|log| 1 << log).take_while(fits).last().map(with);
        }
        let (mut low, mut high) = (1, most);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            match fits(&middle) {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        Some(with(low))
    }
}

/// The smallest table of a shape that is enough; a larger one always is, too.
pub(crate) fn smallest(shape: Geometry, enough: impl Fn(&Geometry) -> bool) -> Option<Geometry> {
    let with = |half: u64| Geometry { buckets: 2 * half, ..shape };
    let enough = |half: u64| enough(&with(half));
    let most = Geometry::MAX_BUCKETS / 2;
    if shape.placement == Placement::Xor {
        return (0..most.ilog2()).map(|log| 1 << log).find(|&half| enough(half)).map(with);
    }
    let (mut low, mut high) = (1, most);
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Some(with(high))
}

/// Items for which a geometry keeps room and a rate that allows `load`.
fn capacity(geometry: &Geometry, load: f64) -> u64 {
    sizing::room(geometry).min((geometry.slots() as f64 * load) as u64)
}

fn safe_from_crowds(geometry: &Geometry, items: u64) -> bool {
    let allowed = if geometry.layout == Layout::Compact { COMPACT_CROWDS } else { CROWDS };
    sizing::expected_crowds(geometry, items) <= allowed
}

/// The largest number of items, up to `most`, that is safe from crowds: they grow with the items, and items no more than
/// the candidate slots of one are never a crowd.
fn most_safe_from_crowds(geometry: &Geometry, most: u64) -> u64 {
    if safe_from_crowds(geometry, most) {
        return most;
    }
    let (mut low, mut high) = (most.min(geometry.candidate_slots().into()), most);
    while low < high {
        let middle = high - (high - low) / 2;
        match safe_from_crowds(geometry, middle) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    low
}

/// The lines that the compact layout is built of: every number of slots, as many of them wide as the line has bits for,
/// and the same without wide ones: small classes fill worse in small tables.
pub(crate) fn compact_shapes() -> impl Iterator<Item = Geometry> {
    (LEAST_PLANNED_BITS..=31).flat_map(|f| {
        let slots = LINE_BITS / (f + 1)..=LINE_BITS / f;
        slots.flat_map(move |slots| {
            let wide = (LINE_BITS - slots * f).min(slots);
            let mixed = (LEAST_CLASS..=slots - LEAST_CLASS).contains(&wide);
            [mixed.then_some(wide), Some(0)].into_iter().flatten().map(move |wide| Geometry::compact(f, slots, wide, 2))
        })
    })
}

/// The fewest slots of a class: smaller ones have too few partners to fill as well (eight stop at 0.96, four at 0.95).
const LEAST_CLASS: u32 = 12;
