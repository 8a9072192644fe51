//! What the modules share: configurations as rows, an exact and naive oracle, keys, and how much to run.

use cuculus::{CuckooFilter, Geometry, InsertError, Layout, Placement, Search};
use std::collections::{BTreeMap, HashMap};

/// SplitMix64.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// `CUCULUS_TEST_SCALE`: percent of the usual work, or `full` for everything.
fn scale() -> Option<String> {
    std::env::var("CUCULUS_TEST_SCALE").ok()
}

pub fn full() -> bool {
    scale().is_some_and(|scale| scale == "full")
}

pub fn scaled(count: usize) -> usize {
    let percent = scale().and_then(|text| text.parse().ok()).unwrap_or(100);
    (count * percent / 100).max(1)
}

/// `usual` times, or `most` times in a full run.
pub fn usual_or_full(usual: usize, most: usize) -> usize {
    if full() { most } else { scaled(usual) }
}

pub const BREADTH_FIRST: Search = Search::BreadthFirst { positions: 1 << 16 };
pub const WALK: Search = Search::RandomWalk { kicks: 500 };

/// One configuration.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub geometry: Geometry,
    pub search: Search,
}

impl Row {
    pub fn build(&self, seed: u64) -> CuckooFilter {
        CuckooFilter::builder().geometry(self.geometry).search(self.search).seed(seed).build().unwrap()
    }
}

/// Every layout, width and number of slots a bucket; the compact ones with even and odd classes, of one width and of two.
pub fn shapes() -> Vec<Geometry> {
    let packed = [1, 2, 4, 8].into_iter().flat_map(|b| (4..=32).map(move |f| Geometry::packed(f, b, 2)));
    let semi_sorted = (5..=32).map(|f| Geometry::semi_sorted(f, 2));
    let compact = (4..=31).flat_map(|f| {
        let slots = (512 / (f + 1)).min(128) & !1;
        let wide = (512 - slots * f).min(slots / 2) & !1;
        [(slots, 0), (slots, wide), (slots, (wide - 1) | 1), (slots - 1, 0), (slots - 1, slots - 1), (5, 2), (2, 0)]
            .map(|(slots, wide)| Geometry::compact(f, slots, wide, 2))
    });
    packed.chain(semi_sorted).chain(compact).collect()
}

/// Every shape in several sizes, with either placement and either search: six rows a shape, so that a test which takes
/// every n-th row wants an n that is prime to six.
pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, shape) in shapes().into_iter().enumerate() {
        let other = [6, 10, 14, 22, 34][number % 5];
        let sizes = match (shape.layout, shape.slots_per_bucket) {
            (Layout::Compact, 9..) => [(2, Placement::AnySize), (6, Placement::AnySize), (4, Placement::Xor)],
            _ => [(2, Placement::AnySize), (other, Placement::AnySize), (16, Placement::Xor)],
        };
        for (buckets, placement) in sizes {
            let mut geometry = shape.with_placement(placement);
            geometry.buckets = buckets;
            rows.extend([BREADTH_FIRST, WALK].map(|search| Row { geometry, search }));
        }
    }
    rows
}

/// The two buckets, or four slots, of a hash and its fingerprint: FORMAT.md once more, in the plainest words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    cells: Vec<u64>,
    fingerprint: u64,
}

fn digit(of: &mut u64, range: u64) -> u64 {
    let product = u128::from(*of) * u128::from(range);
    *of = product as u64;
    (product >> 64) as u64
}

pub fn identity(g: &Geometry, hash: u64) -> Identity {
    let mut rest = hash;
    let bucket = digit(&mut rest, g.buckets);
    let partner = |sum: u64, from: u64, size: u64| (sum + size - from) % size;
    let spread = |fingerprint: u64| {
        const K: u64 = 0x9E37_79B9_7F4A_7C15;
        let x = fingerprint.wrapping_mul(K);
        (x ^ (x >> 32)).wrapping_mul(K)
    };
    let other_bucket = |sum: u64| match g.placement {
        Placement::AnySize => partner(sum, bucket, g.buckets),
        Placement::Xor => bucket ^ sum,
    };
    let slots = u64::from(g.slots_per_bucket);
    let (mut cells, fingerprint);
    if g.layout == Layout::Compact {
        let wide = u64::from(g.wide_slots);
        let mut chosen = digit(&mut rest, slots);
        let narrow = chosen >= wide;
        let (first, size) = if narrow { (wide, slots - wide) } else { (0, wide) };
        // A line with a class of odd size takes a second digit: there one slot is left out of the choice.
        chosen = match wide % 2 == 1 || slots % 2 == 1 {
            true => digit(&mut rest, size & !1),
            false => chosen - first,
        };
        let width = g.fingerprint_bits + u32::from(!narrow);
        fingerprint = 1 + digit(&mut rest, (1 << width) - 1);
        let mut rest = spread(fingerprint);
        let line = other_bucket(digit(&mut rest, g.buckets) | 1);
        let sum = digit(&mut rest, size) | u64::from(size % 2 == 0);
        // In a class of odd size the slot that is its own partner is left out.
        let paired: Vec<u64> = (0..size).filter(|&slot| partner(sum, slot, size) != slot).collect();
        let slot = paired[chosen as usize];
        let pair = [first + slot, first + partner(sum, slot, size)];
        cells = [bucket, line].iter().flat_map(|line| pair.map(|slot| line * slots + slot)).collect();
    } else {
        fingerprint = 1 + digit(&mut rest, (1 << g.fingerprint_bits) - 1);
        let sum = digit(&mut spread(fingerprint), g.buckets) | 1;
        cells = vec![bucket, other_bucket(sum)];
    }
    cells.sort_unstable();
    Identity { cells, fingerprint }
}

/// A filter and what it must hold, exactly: which items cannot be told apart follows from their hashes.
pub struct Model {
    pub row: Row,
    pub filter: CuckooFilter,
    copies: BTreeMap<Identity, u32>,
    /// The keys that were accepted and not removed.
    pub stored: Vec<u64>,
    pub refusals: usize,
    identities: HashMap<u64, Identity>,
}

impl Model {
    pub fn new(row: Row, seed: u64) -> Self {
        let filter = row.build(seed);
        Model { row, filter, copies: BTreeMap::new(), stored: Vec::new(), refusals: 0, identities: HashMap::new() }
    }

    pub fn identity(&mut self, key: u64) -> Identity {
        let (geometry, hash) = (self.row.geometry, self.filter.hash(&key));
        self.identities.entry(key).or_insert_with(|| identity(&geometry, hash)).clone()
    }

    pub fn copies(&mut self, key: u64) -> u32 {
        let identity = self.identity(key);
        self.copies.get(&identity).copied().unwrap_or(0)
    }

    fn accept(&mut self, key: u64) {
        *self.copies.entry(self.identities[&key].clone()).or_default() += 1;
        self.stored.push(key);
    }

    fn release(&mut self, at: usize) -> u64 {
        let key = self.stored.swap_remove(at);
        let copies = self.copies.get_mut(&self.identities[&key]).unwrap();
        *copies -= 1;
        if *copies == 0 {
            self.copies.remove(&self.identities[&key]);
        }
        key
    }

    /// Inserts, and checks the outcome against what had to happen.
    pub fn insert(&mut self, key: u64) -> bool {
        let before = self.filter.clone();
        let outcome = self.filter.insert(&key);
        self.judge(key, &before, outcome)
    }

    fn judge(&mut self, key: u64, before: &CuckooFilter, outcome: Result<(), InsertError>) -> bool {
        let held = self.copies(key);
        let room = self.row.geometry.candidate_slots();
        let Err(error) = outcome else {
            assert_eq!(self.filter.len(), before.len() + 1, "{:?}", self.row);
            self.accept(key);
            return true;
        };
        self.refusals += 1;
        assert!(self.filter == *before, "a refused insert changed something: {:?}", self.row);
        if self.refusals % 8 == 0 {
            assert!(self.filter.to_bytes() == before.to_bytes(), "{:?}", self.row);
        }
        match error {
            InsertError::Full { capacity } => {
                assert_eq!((capacity, before.len()), (self.filter.capacity(), capacity), "{:?}", self.row);
            }
            InsertError::TooManyCopies { copies } => {
                assert_eq!(copies, held, "{:?}", self.row);
                assert!(held >= room, "{:?}", self.row);
                if self.row.geometry.layout == Layout::Compact {
                    let stashed = self.copies.values().filter(|&&copies| copies > room).count() as u64;
                    assert!(held == 2 * room || stashed >= 64 + self.filter.slots() / 1024, "{:?}", self.row);
                }
            }
            InsertError::NoRoom { len, slots } => {
                assert_eq!((len, slots), (before.len(), self.row.geometry.slots()));
                assert!(held < room, "{:?}", self.row);
                if self.row.search == BREADTH_FIRST && self.refusals % 4 == 1 {
                    assert!(!self.has_room(key), "refused although moves would make room: {:?}", self.row);
                }
            }
            error => panic!("{error:?}"),
        }
        false
    }

    /// Whether any arrangement holds the stored items and one more (bipartite matching, one augmenting path an item).
    fn has_room(&mut self, key: u64) -> bool {
        let room = self.row.geometry.candidate_slots();
        let cell_slots = match self.row.geometry.layout {
            Layout::Compact => 1,
            _ => self.row.geometry.slots_per_bucket as usize,
        };
        let mut items: Vec<Identity> = Vec::new();
        for (identity, &copies) in &self.copies {
            items.extend((0..copies.min(room)).map(|_| identity.clone()));
        }
        items.push(self.identities[&key].clone());
        let mut held: HashMap<u64, Vec<usize>> = HashMap::new();
        fn find(
            item: usize,
            items: &[Identity],
            held: &mut HashMap<u64, Vec<usize>>,
            seen: &mut Vec<u64>,
            slots: usize,
        ) -> bool {
            for &cell in &items[item].cells {
                if seen.contains(&cell) {
                    continue;
                }
                seen.push(cell);
                if held.entry(cell).or_default().len() < slots {
                    held.get_mut(&cell).unwrap().push(item);
                    return true;
                }
                for at in 0..slots {
                    if find(held[&cell][at], items, held, seen, slots) {
                        held.get_mut(&cell).unwrap()[at] = item;
                        return true;
                    }
                }
            }
            false
        }
        (0..items.len()).all(|item| find(item, &items, &mut held, &mut Vec::new(), cell_slots))
    }

    pub fn insert_unique(&mut self, key: u64) -> bool {
        let (before, held) = (self.filter.clone(), self.copies(key));
        match self.filter.insert_unique(&key) {
            Ok(false) => {
                assert!(held > 0 && self.filter == before, "{:?}", self.row);
                false
            }
            Ok(true) => {
                assert_eq!(held, 0, "{:?}", self.row);
                self.judge(key, &before, Ok(()))
            }
            Err(error) => {
                assert_eq!(held, 0, "{:?}", self.row);
                self.judge(key, &before, Err(error))
            }
        }
    }

    /// A many-key insert keeps the keys before the first refusal, and reports how many.
    pub fn insert_many(&mut self, keys: &[u64]) -> usize {
        let mut twin = self.filter.clone();
        let before = self.filter.clone();
        let outcome = self.filter.insert_many(keys);
        let inserted = outcome.map_or_else(|error| error.inserted, |()| keys.len());
        for key in &keys[..inserted] {
            twin.insert(key).unwrap();
            self.identity(*key);
            self.accept(*key);
        }
        assert!(self.filter == twin, "batch and one by one differ: {:?}", self.row);
        assert_eq!(self.filter.len(), before.len() + inserted as u64);
        if let Err(error) = outcome {
            let key = keys[inserted];
            assert_eq!(twin.insert(&key), Err(error.reason));
            self.judge(key, &twin, Err(error.reason));
        }
        inserted
    }

    /// Removes one of the stored items.
    pub fn remove(&mut self, at: usize) {
        let key = self.release(at);
        assert!(self.filter.remove(&key), "a stored item was not there to remove: {:?}", self.row);
    }

    pub fn remove_many(&mut self, count: usize) {
        let keys: Vec<u64> = (0..count).map(|_| self.release(0)).collect();
        assert!(self.filter.remove_many(&keys).into_iter().all(|removed| removed), "{:?}", self.row);
    }

    pub fn clear(&mut self) {
        self.filter.clear();
        (self.copies, self.stored) = (BTreeMap::new(), Vec::new());
        self.check_empty();
    }

    pub fn check_key(&mut self, key: u64) {
        let held = self.copies(key);
        assert_eq!(self.filter.count(&key), held, "{key} in {:?}", self.row);
        assert_eq!(self.filter.contains(&key), held > 0, "{key} in {:?}", self.row);
    }

    /// Everything at once: lengths, every stored key, and what `iter` shows.
    pub fn check(&mut self) {
        self.filter.validate().unwrap_or_else(|error| panic!("{error}: {:?}", self.row));
        let items = self.stored.len() as u64;
        assert_eq!((self.filter.len(), self.filter.is_empty()), (items, items == 0), "{:?}", self.row);
        assert!(self.filter.contains_many(&self.stored).into_iter().all(|found| found), "{:?}", self.row);
        (0..self.stored.len()).for_each(|at| self.check_key(self.stored[at]));
        let mut values: Vec<u64> = self.filter.iter().map(|(_, fingerprint)| fingerprint.get().into()).collect();
        let one_each = |(identity, &copies): (&Identity, &u32)| vec![identity.fingerprint; copies as usize];
        let mut expected: Vec<u64> = self.copies.iter().flat_map(one_each).collect();
        values.sort_unstable();
        expected.sort_unstable();
        assert_eq!(values, expected, "{:?}", self.row);
    }

    /// Empty, table and stash all zero.
    pub fn check_empty(&self) {
        assert_eq!((self.filter.len(), self.filter.stashed(), self.filter.iter().count()), (0, 0, 0), "{:?}", self.row);
        let bytes = self.filter.to_bytes();
        let fresh = self.row.build(0).to_bytes();
        assert!(bytes[256..] == fresh[256..] && fresh[256..].iter().all(|&byte| byte == 0), "{:?}", self.row);
    }
}

/// Distinct keys of one kind, as bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keys {
    Random,
    Running,
    /// Multiples of 2^32.
    High,
    SharedPrefix,
    SharedSuffix,
    /// One bit set of many, then two.
    OneBit,
    Doubles,
    Uuids,
}

impl Keys {
    pub const ALL: [Keys; 8] = [
        Keys::Random,
        Keys::Running,
        Keys::High,
        Keys::SharedPrefix,
        Keys::SharedSuffix,
        Keys::OneBit,
        Keys::Doubles,
        Keys::Uuids,
    ];

    pub fn key(self, number: u64) -> Vec<u8> {
        let word = number.to_le_bytes();
        match self {
            Keys::Random => Noise(number << 20).next().to_le_bytes().to_vec(),
            Keys::Running => word.to_vec(),
            Keys::High => ((number as u128) << 32).to_le_bytes().to_vec(),
            Keys::SharedPrefix => [b"https://example.org/a/rather/long/path/".as_slice(), &word].concat(),
            Keys::SharedSuffix => [&word, b"/a/rather/long/path/index.html?lang=en".as_slice()].concat(),
            Keys::OneBit => {
                // The pair (i, j), j < i, numbered: bits i and j of 4,096 are flipped.
                let mut i = (((8 * number + 1) as f64).sqrt() as u64).div_ceil(2);
                while i * (i + 1) / 2 <= number {
                    i += 1;
                }
                while i * (i - 1) / 2 > number {
                    i -= 1;
                }
                let j = number - i * (i - 1) / 2;
                let mut key = vec![0x55; 512];
                [i, j].iter().for_each(|bit| key[(bit / 8) as usize] ^= 1 << (bit % 8));
                key
            }
            Keys::Doubles => (number as f64 * 0.25).to_le_bytes().to_vec(),
            Keys::Uuids => {
                let mut noise = Noise(number << 21);
                format!(
                    "{:08x}-{:04x}-4{:03x}-8000-000000000000",
                    noise.next() as u32,
                    noise.next() as u16,
                    number % 4096
                )
                .into_bytes()
            }
        }
    }
}

/// `count` keys of one kind.
pub fn keys(kind: Keys, count: usize) -> Vec<Vec<u8>> {
    (0..count as u64).map(|number| kind.key(number)).collect()
}

/// The hashes of keys under a seed: what a filter built with that seed would compute.
pub fn hashes(keys: &[Vec<u8>], seed: u64) -> Vec<u64> {
    let filter = Row { geometry: Geometry::packed(4, 1, 2), search: WALK }.build(seed);
    keys.iter().map(|key| filter.hash(key)).collect()
}

/// How many hits are still likely (99.9 %) where `expected` are.
pub fn upper_bound(expected: f64) -> f64 {
    // Poisson; the quantile by its Cornish-Fisher expansion, good to a fraction from one expected hit up.
    let z = 3.0902;
    expected + z * expected.sqrt() + (z * z - 1.0) / 6.0 + 1.0
}

/// A number as messages write it: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(groups.join(&b',')).unwrap()
}
