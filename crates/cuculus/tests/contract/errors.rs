//! Contract 10: what cannot be built is refused with a typed error that names argument, value and bound. BR-018,
//! BR-042, BR-043.

use super::rig::grouped;
use cuculus::{BuildError, Builder, CuckooFilter, Geometry, Headroom, Layout, MergeError, Placement, Search};

fn new() -> Builder {
    CuckooFilter::builder()
}

/// Asserts the refusal by `plan` and `build`, and what its text names.
#[track_caller]
fn refused(builder: Builder, words: &[&str]) -> BuildError {
    let error = builder.plan().err().unwrap_or_else(|| builder.build().unwrap_err());
    assert_eq!(builder.build().err(), Some(error.clone()));
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "'{text}' does not name {word}");
    }
    error
}

#[test]
fn contract_10_br_018_br_043_every_field_of_a_geometry_has_its_range() {
    let with = |edit: fn(&mut Geometry), geometry: Geometry| {
        let mut geometry = geometry;
        edit(&mut geometry);
        new().geometry(geometry)
    };
    let packed = |edit| with(edit, Geometry::packed(12, 4, 16));
    let semi_sorted = |edit| with(edit, Geometry::semi_sorted(12, 16));
    let compact = |edit| with(edit, Geometry::compact(9, 54, 26, 16));
    for (builder, words) in [
        (packed(|g| g.fingerprint_bits = 0), ["fingerprint_bits", " 0", "4 to 32"]),
        (packed(|g| g.fingerprint_bits = 3), ["fingerprint_bits", " 3", "4 to 32"]),
        (packed(|g| g.fingerprint_bits = 33), ["fingerprint_bits", " 33", "4 to 32"]),
        (packed(|g| g.fingerprint_bits = u32::MAX), ["fingerprint_bits", "4,294,967,295", "4 to 32"]),
        (packed(|g| g.slots_per_bucket = 0), ["slots_per_bucket", " 0", "1, 2, 4 or 8"]),
        (packed(|g| g.slots_per_bucket = 3), ["slots_per_bucket", " 3", "1, 2, 4 or 8"]),
        (packed(|g| g.slots_per_bucket = 16), ["slots_per_bucket", " 16", "1, 2, 4 or 8"]),
        (packed(|g| g.wide_slots = 1), ["wide_slots", " 1", "0 in the packed"]),
        (packed(|g| g.buckets = 0), ["buckets", " 0", "from 2 to 2^44"]),
        (packed(|g| g.buckets = 1), ["buckets", " 1", "even"]),
        (packed(|g| g.buckets = 17), ["buckets", " 17", "even"]),
        (packed(|g| g.buckets = (1 << 44) + 2), ["buckets", "17,592,186,044,418", "2^44"]),
        (packed(|g| g.buckets = u64::MAX), ["buckets", "18,446,744,073,709,551,615", "2^44"]),
        (packed(|g| (g.placement, g.buckets) = (Placement::Xor, 6)), ["buckets", " 6", "power of two"]),
        (semi_sorted(|g| g.fingerprint_bits = 4), ["fingerprint_bits", " 4", "5 to 32"]),
        (semi_sorted(|g| g.fingerprint_bits = 33), ["fingerprint_bits", " 33", "5 to 32"]),
        (semi_sorted(|g| g.slots_per_bucket = 8), ["slots_per_bucket", " 8", "4 in the semi-sorted"]),
        (semi_sorted(|g| g.wide_slots = 2), ["wide_slots", " 2", "0 in the semi-sorted"]),
        (compact(|g| g.fingerprint_bits = 3), ["fingerprint_bits", " 3", "4 to 31"]),
        (compact(|g| g.fingerprint_bits = 32), ["fingerprint_bits", " 32", "4 to 31"]),
        (compact(|g| g.slots_per_bucket = 1), ["slots_per_bucket", " 1", "2 to 128"]),
        (compact(|g| g.slots_per_bucket = 129), ["slots_per_bucket", " 129", "2 to 128"]),
        (compact(|g| g.slots_per_bucket = 55), ["slots_per_bucket", " 55", "512 bits"]),
        (compact(|g| g.wide_slots = 27), ["slots_per_bucket", " 54", "512 bits"]),
        (compact(|g| g.wide_slots = 1), ["wide_slots", " 1", "neither 1"]),
        (with(|g| g.wide_slots = 39, Geometry::compact(9, 40, 2, 16)), ["wide_slots", " 39", "all slots but one"]),
        (with(|g| g.wide_slots = u32::MAX, Geometry::compact(9, 40, 2, 16)), ["slots_per_bucket", " 40", "512 bits"]),
    ] {
        let error = refused(builder, &words);
        assert!(matches!(error, BuildError::OutOfRange { parameter, .. } if parameter == words[0]), "{error:?}");
    }
}

#[test]
fn contract_10_br_043_every_argument_has_its_range() {
    for rate in [0.0, -0.0, -1.0, 1.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for builder in [new().items(10), new().memory(1_000)] {
            let error = builder.false_positive_rate(rate).plan().unwrap_err().to_string();
            let words = ["false_positive_rate", &format!("{rate:?}"), "more than 0 and less than 1"];
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }
    for items in [(1 << 48) + 1, 1 << 63, u64::MAX] {
        let words = ["items", &grouped(items), "2^48"];
        refused(new().items(items).false_positive_rate(0.01), &words);
        refused(new().items(items).memory(1 << 20), &words);
    }
    for slots in [0, 3, 5, 9, 255, u32::MAX] {
        let builder = new().items(10).false_positive_rate(0.01).layout(Layout::Packed).slots_per_bucket(slots);
        refused(builder, &["slots_per_bucket", &grouped(slots.into()), "1, 2, 4 or 8"]);
    }
    for budget in [Search::MAX_BUDGET + 1, u32::MAX] {
        for search in [Search::BreadthFirst { positions: budget }, Search::RandomWalk { kicks: budget }] {
            let builder = new().items(10).false_positive_rate(0.01).search(search);
            let text = builder.build().unwrap_err().to_string();
            assert!(text.contains("search budget") && text.contains(&grouped(budget.into())), "{text}");
            assert!(text.contains("1,048,576"), "{text}");
        }
    }
    // The bounds themselves are allowed; with no budget at all a filter still works.
    for budget in [0, 1, Search::MAX_BUDGET] {
        for search in [Search::BreadthFirst { positions: budget }, Search::RandomWalk { kicks: budget }] {
            let mut filter = new().geometry(Geometry::packed(12, 4, 16)).search(search).build().unwrap();
            let stored: Vec<u64> = (0..80).filter(|key| filter.insert(key).is_ok()).collect();
            assert!(stored.len() >= 30 && stored.iter().all(|key| filter.contains(key)));
        }
    }
    new().items(1 << 48).false_positive_rate(0.01).plan().unwrap();
}

#[test]
fn contract_10_too_much_or_too_little_is_named() {
    let geometry = Geometry::packed(12, 4, 16);
    for builder in [
        new(),
        new().items(5),
        new().false_positive_rate(0.01),
        new().memory(100),
        new().layout(Layout::Packed).seed(4),
    ] {
        assert_eq!(refused(builder, &["items", "rate", "memory", "geometry"]), BuildError::Underspecified);
    }
    for builder in [
        new().items(5).false_positive_rate(0.1).memory(100),
        new().geometry(geometry).items(5),
        new().geometry(geometry).false_positive_rate(0.1),
        new().geometry(geometry).memory(100),
        new().geometry(geometry).layout(Layout::Packed),
        new().geometry(geometry).placement(Placement::AnySize),
        new().geometry(geometry).slots_per_bucket(4),
        new().geometry(geometry).headroom(Headroom::Lively),
    ] {
        assert_eq!(refused(builder, &["only", "items", "rate", "memory", "geometry"]), BuildError::Overspecified);
    }
}

#[test]
fn contract_10_what_no_geometry_keeps_is_said_in_figures() {
    let none = |error| matches!(error, BuildError::NoGeometry { .. });
    assert!(none(refused(new().items(1_000).false_positive_rate(1e-12), &["1e-12", "at most 32 bits"])));
    assert!(none(refused(
        new().items(7).false_positive_rate(f64::MIN_POSITIVE),
        &["2.2250738585072014e-308", "at most 32 bits"]
    )));
    assert!(none(refused(new().memory(10).false_positive_rate(0.01), &["0.01", "10 bytes"])));
    assert!(none(refused(new().memory(0).items(1), &["smallest table takes 64 bytes", "0 bytes of memory"])));
    assert!(none(refused(
        new().memory(64).items(1).layout(Layout::Compact),
        &["takes 128 bytes", "64 bytes of memory"]
    )));
    assert!(none(refused(new().memory(128).items(1_000_000), &["1,000,000 items", "128 bytes"])));
}

#[test]
fn contract_10_options_that_do_not_go_together_are_named() {
    // Shapes that do not exist: a semi-sorted bucket has four slots, a compact line is chosen by the builder.
    for (layout, slots, name) in [(Layout::SemiSorted, 8, "semi-sorted"), (Layout::Compact, 4, "compact")] {
        let builder = new().items(10).false_positive_rate(0.01).layout(layout).slots_per_bucket(slots);
        let error = refused(builder, &["slots_per_bucket", name]);
        assert!(matches!(error, BuildError::Contradiction { .. }), "{error:?}");
    }
    new().items(10).false_positive_rate(0.01).layout(Layout::SemiSorted).slots_per_bucket(4).build().unwrap();
}

/// Contract 3: loads are planned for the default search; what reaches less would refuse items before the capacity.
#[test]
fn contract_3_a_weaker_search_needs_an_explicit_geometry() {
    let packed = [
        Search::RandomWalk { kicks: 500 },
        Search::RandomWalk { kicks: Search::MAX_BUDGET },
        Search::BreadthFirst { positions: 9_999 },
        Search::BreadthFirst { positions: 0 },
    ];
    for search in packed.into_iter().chain([Search::BreadthFirst { positions: 19_999 }]) {
        let compact = matches!(search, Search::BreadthFirst { positions: 10_000.. });
        let layout = if compact { Layout::Compact } else { Layout::Packed };
        for builder in [
            new().items(1_000).false_positive_rate(0.001),
            new().memory(5_000).false_positive_rate(0.001),
            new().memory(5_000).items(1_000),
        ] {
            let error = refused(builder.layout(layout).search(search), &["search", "capacity", "explicit geometry"]);
            assert!(matches!(error, BuildError::Contradiction { .. }), "{error:?}");
        }
    }
    for (layout, positions) in [(Layout::Packed, 10_000), (Layout::Compact, 20_000), (Layout::SemiSorted, 50_000)] {
        let builder = new().items(1_000).false_positive_rate(0.001).layout(layout);
        let search = Search::BreadthFirst { positions };
        let (filter, plan) = (builder.clone().search(search).build().unwrap(), builder.plan().unwrap());
        assert_eq!((*filter.geometry(), filter.search(), filter.capacity()), (plan.geometry, search, plan.capacity));
    }
}

#[test]
fn errors_name_their_cause() {
    use std::error::Error;
    let mut filter = new().items(1).false_positive_rate(0.01).build().unwrap();
    let keys: Vec<u64> = (0..100).collect();
    let error = filter.insert_many(&keys).unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), error.reason.to_string());
    assert!(MergeError::NoRoom(error.reason).source().is_some());
    assert!(MergeError::OverCapacity { needed: 2, capacity: 1 }.source().is_none());
}

/// BR-042: more than any machine has is an error that names the bytes.
#[test]
fn contract_10_br_042_what_the_system_has_not_got_is_an_error() {
    for builder in [
        new().items(1 << 48).false_positive_rate(1e-6),
        new().geometry(Geometry::packed(32, 8, 1 << 44)),
        new().geometry(Geometry::compact(31, 16, 0, 1 << 44)),
    ] {
        let bytes = builder.plan().unwrap().table_bytes();
        assert!(bytes > 1 << 49);
        let error = builder.build().unwrap_err();
        assert_eq!(error, BuildError::Allocation { bytes });
        assert!(error.to_string().contains(&grouped(bytes)), "{error}");
    }
}
