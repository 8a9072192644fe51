//! The rest of the public surface: clear, clone, equality, `Debug`, `Send` and `Sync`, figures. BR-028, BR-067, BR-082.

use super::rig::{Row, rows};
use cuculus::{BuildError, CuckooFilter, FilterView, Geometry, HashKind, InsertError, MappedFilter, MergeError};
use cuculus::{Layout, Search, sizing};

/// BR-067, at compile time.
#[test]
fn br_067_everything_may_move_and_be_shared_between_threads() {
    fn both<T: Send + Sync>() {}
    both::<CuckooFilter>();
    both::<FilterView<'static>>();
    both::<MappedFilter>();
    both::<cuculus::Builder>();
    both::<Geometry>();
    both::<(BuildError, InsertError, MergeError)>();
    let mut filter = CuckooFilter::new(1_000, 0.001).unwrap();
    (0..1_000u64).for_each(|key| filter.insert(&key).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!((0..1_000u64).all(|key| filter.contains(&key))));
        }
    });
}

/// BR-028, BR-082: a cleared filter is a new one, stash and generator too, in the same memory.
#[test]
fn br_028_br_082_clear_is_a_new_filter() {
    for row in rows().into_iter().step_by(5) {
        let (mut filter, fresh) = (row.build(9), row.build(9));
        let history = |filter: &mut CuckooFilter| {
            (0..20).for_each(|_| _ = filter.insert("again"));
            assert!(row.geometry.layout != Layout::Compact || filter.slots() < 5 || filter.stashed() > 0);
            (0..row.geometry.slots() * 2).for_each(|key| _ = filter.insert(&key));
        };
        history(&mut filter);
        let (full, bytes) = (filter.to_bytes(), filter.table_bytes());
        filter.clear();
        assert!(filter == fresh && filter.to_bytes() == fresh.to_bytes(), "{row:?}");
        assert_eq!((filter.len(), filter.is_empty(), filter.stashed(), filter.table_bytes()), (0, true, 0, bytes));
        history(&mut filter);
        assert!(filter.to_bytes() == full, "{row:?}");
    }
}

#[test]
fn clones_are_equal_and_independent() {
    for row in rows().into_iter().step_by(41) {
        let mut filter = row.build(0);
        (0..row.geometry.slots() / 2).for_each(|key| _ = filter.insert(&key));
        let mut copy = filter.clone();
        assert!(copy == filter && copy.to_bytes() == filter.to_bytes());
        let bytes = filter.to_bytes();
        copy.clear();
        assert!(copy != filter && filter.to_bytes() == bytes, "{row:?}");
        // Equal filters go on alike: the generator is part of them.
        let mut copy = filter.clone();
        for key in 1_000..1_000 + row.geometry.slots() {
            assert_eq!(copy.insert(&key), filter.insert(&key));
        }
        assert!(copy == filter, "{row:?}");
        assert!(row.build(0) != row.build(1));
    }
}

#[test]
fn debug_shows_figures_and_no_secret() {
    let mut filter =
        CuckooFilter::builder().items(10).false_positive_rate(0.01).secret_key([0xAB; 16]).build().unwrap();
    filter.insert("one").unwrap();
    let text = format!("{filter:?} {:#?} {:?}", filter, filter.hash_kind());
    for word in ["CuckooFilter", "len: 1", "capacity", "geometry", "search", "SipHash13"] {
        assert!(text.contains(word), "{text}");
    }
    for secret in ["171", "ab, ab", "AB", "0xab"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(format!("{:?}", CuckooFilter::builder().secret_key([0xAB; 16])).matches("171").count() == 0);
}

/// BR-087: keyed filters work like others, and another key is another filter.
#[test]
fn br_087_a_secret_key_gives_its_own_filter() {
    let build = |key: [u8; 16]| {
        let builder = CuckooFilter::builder().items(500).false_positive_rate(0.01).secret_key(key);
        let mut filter = builder.build().unwrap();
        (0..500u64).for_each(|key| filter.insert(&key).unwrap());
        assert!((0..500u64).all(|key| filter.contains(&key)));
        filter
    };
    let filters = [build([0; 16]), build([1; 16])];
    assert_ne!(filters[0].hash("x"), filters[1].hash("x"));
    assert!(filters[0] == build([0; 16]) && filters[0] != filters[1]);
    assert!(filters[0].iter().ne(filters[1].iter()));
    assert_eq!(filters[0].hash_kind(), HashKind::SipHash13 { key: [0; 16] });
    for bit in 0..128 {
        let mut key = [0; 16];
        key[bit / 8] ^= 1 << (bit % 8);
        let keyed = CuckooFilter::builder().geometry(Geometry::packed(4, 1, 2)).secret_key(key).build().unwrap();
        assert_ne!(keyed.hash("x"), filters[0].hash("x"), "bit {bit} of the key does not matter");
    }
    for bit in 0..64 {
        let seeded =
            Row { geometry: Geometry::packed(4, 1, 2), search: Search::RandomWalk { kicks: 1 } }.build(1 << bit);
        let plain = Row { geometry: Geometry::packed(4, 1, 2), search: Search::RandomWalk { kicks: 1 } }.build(0);
        assert!(
            seeded.hash("x") != plain.hash("x") && seeded.hash(&1u64) != plain.hash(&1u64),
            "bit {bit} of the seed"
        );
    }
}

#[test]
fn figures_follow_from_geometry_and_length() {
    for row in rows().into_iter().step_by(17) {
        let mut filter = row.build(0);
        let g = row.geometry;
        assert!(filter.bits_per_item().is_infinite());
        assert_eq!((filter.false_positive_rate(), filter.load_factor()), (0.0, 0.0));
        (0..g.slots() / 2).for_each(|key| _ = filter.insert(&key));
        let bits = match g.layout {
            Layout::Packed => g.buckets * u64::from(g.slots_per_bucket * g.fingerprint_bits),
            Layout::SemiSorted => g.buckets * 4 * u64::from(g.fingerprint_bits - 1),
            Layout::Compact => g.buckets * 512,
        };
        let padding = filter.table_bytes() - bits.div_ceil(8);
        assert!(filter.table_bytes() % 64 == 0 && padding < 64 + 7 && (g.layout == Layout::Compact || padding >= 7));
        assert_eq!(filter.slots(), g.buckets * u64::from(g.slots_per_bucket));
        assert_eq!(filter.load_factor(), filter.len() as f64 / filter.slots() as f64);
        assert_eq!(filter.bits_per_item(), filter.table_bytes() as f64 * 8.0 / filter.len() as f64);
        assert_eq!((*filter.geometry(), filter.search(), filter.capacity()), (g, row.search, filter.slots()));
        assert_eq!(filter.promised_false_positive_rate(), sizing::false_positive_rate(&g, 1.0));
        assert!(filter.false_positive_rate() < filter.promised_false_positive_rate());
        assert!(filter.iter().all(|(bucket, fingerprint)| bucket < g.buckets && fingerprint.get() > 0));
    }
}

/// Free functions against values worked out by hand or taken from the literature.
#[test]
fn sizing_functions_have_their_closed_values() {
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} is not {b}");
    near(sizing::log2(8.0), 3.0);
    near(sizing::log2(0.125), -3.0);
    near(sizing::log2(10.0), std::f64::consts::LOG2_10);
    near(sizing::log2(f64::MIN_POSITIVE), -1022.0);
    near(sizing::log2(f64::MAX), f64::MAX.log2());
    assert!([0.0, -1.0, f64::NAN, f64::INFINITY].into_iter().all(|x| sizing::log2(x).is_nan()));
    near(sizing::bloom_bits_per_item(0.01), 9.585058377367439);
    near(sizing::information_limit_bits_per_item(0.01), 6.643856189774724);
    near(sizing::dynamic_limit_bits_per_item(0.01), 8.086551230663687);
    // The paper's formula, 1 - (1 - 1/(2^f - 1))^2b, by the platform's own functions.
    for f in 4..=32 {
        for b in [1, 2, 4, 8] {
            let geometry = Geometry::packed(f, b, 1 << 20);
            let expected = -f64::exp_m1(2.0 * f64::from(b) * f64::ln_1p(-1.0 / (2f64.powi(f as i32) - 1.0)));
            let rate = sizing::false_positive_rate(&geometry, 1.0);
            assert!((rate / expected - 1.0).abs() < 1e-7, "{f} {b}: {rate} {expected}");
            // One item in a table of 2^48 slots.
            let least = sizing::false_positive_rate(&geometry, 2f64.powi(-48));
            let exact = 2.0 * f64::from(b) / ((2f64.powi(f as i32) - 1.0) * 2f64.powi(48));
            assert!((least / exact - 1.0).abs() < 1e-7, "{f} {b}: {least} {exact}");
            assert_eq!(sizing::false_positive_rate(&geometry, 0.0), 0.0);
            assert_eq!(sizing::load_for_rate(&geometry, 1.0), 1.0);
            let half = sizing::false_positive_rate(&geometry, 0.5);
            let load = sizing::load_for_rate(&geometry, half);
            assert!((load - 0.5).abs() < 1e-7 && sizing::false_positive_rate(&geometry, load) <= half, "{load}");
        }
    }
    // Table 3 of the paper: f = 12, b = 4, 0.19 % at the load reached; semi-sorted f = 13, 0.09 %.
    let paper = sizing::false_positive_rate(&Geometry::packed(12, 4, 1 << 25), 0.952);
    assert!((0.0018..0.0019).contains(&paper), "{paper}");
    let semi_sorted = sizing::false_positive_rate(&Geometry::semi_sorted(13, 1 << 25), 0.953);
    assert!((0.0009..0.00095).contains(&semi_sorted), "{semi_sorted}");
    // Two widths a line: the mean of both, by their slots.
    let rate = |f, slots, wide| sizing::false_positive_rate(&Geometry::compact(f, slots, wide, 4), 0.9);
    near(rate(9, 52, 26), (rate(9, 52, 0) + rate(10, 46, 0)) / 2.0);
    near(rate(9, 46, 46), rate(10, 46, 0));
}

/// Free functions and a geometry's own numbers take anything: what is not valid has no rate and no room.
#[test]
fn contract_10_sizes_of_impossible_geometries() {
    let wild = [0, 1, 3, 4, 5, 32, 33, 63, 64, 65, 512, u32::MAX];
    for layout in [Layout::Packed, Layout::SemiSorted, Layout::Compact] {
        for (bits, slots) in wild.into_iter().flat_map(|bits| wild.map(|slots| (bits, slots))) {
            for buckets in [0, 1, 2, 3, 1 << 44, u64::MAX] {
                let mut geometry = Geometry::packed(bits, slots, buckets);
                (geometry.layout, geometry.wide_slots) = (layout, if buckets % 3 == 0 { slots } else { bits });
                _ = (geometry.slots(), geometry.candidate_slots(), geometry.bucket_bits(), geometry.table_bytes());
                let rate = sizing::false_positive_rate(&geometry, 0.9);
                let load = sizing::load_for_rate(&geometry, 0.01);
                let (room, crowds) = (sizing::room(&geometry), sizing::expected_crowds(&geometry, 10));
                match geometry.validate() {
                    Ok(()) => assert!(rate > 0.0 && rate <= 1.0 && (0.0..=1.0).contains(&load) && crowds >= 0.0),
                    Err(_) => assert!(rate.is_nan() && load.is_nan() && room == 0 && crowds.is_nan()),
                }
            }
        }
    }
    let geometry = Geometry::packed(8, 4, 16);
    assert!([-0.1, 1.1, f64::NAN].into_iter().all(|load| sizing::false_positive_rate(&geometry, load).is_nan()));
    for rate in [2.0, 0.0, -0.5, f64::NAN, f64::INFINITY] {
        assert!(sizing::bloom_bits_per_item(rate).is_nan() && sizing::information_limit_bits_per_item(rate).is_nan());
        assert!(sizing::dynamic_limit_bits_per_item(rate).is_nan(), "{rate}");
    }
    assert_eq!(sizing::information_limit_bits_per_item(1.0), 0.0);
    assert!((sizing::information_limit_bits_per_item(5e-324) - 1074.0).abs() < 1e-9);
}
