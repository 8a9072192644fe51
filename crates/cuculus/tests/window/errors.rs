//! What no window is built for: typed errors that say what is allowed.

use core::time::Duration;
use cuculus::{BuildError, Window, WindowBuilder, WindowFilter};

fn builder() -> WindowBuilder {
    WindowFilter::builder().items(100).false_positive_rate(0.01)
}

/// BR-040, BR-042: parameters out of range, by name.
#[test]
fn parameters_out_of_range() {
    let second = Duration::from_secs(1);
    for (builder, name) in [
        (builder().items(0), "items"),
        (builder().items(u64::MAX), "items"),
        (builder().items((1 << 48) + 1), "items"),
        (builder().false_positive_rate(0.0), "false_positive_rate"),
        (builder().false_positive_rate(1.0), "false_positive_rate"),
        (builder().false_positive_rate(-0.1), "false_positive_rate"),
        (builder().false_positive_rate(f64::NAN), "false_positive_rate"),
        (builder().steps(0), "steps"),
        (builder().steps(61), "steps"),
        (builder().steps(u32::MAX), "steps"),
        (builder().items(5).steps(6), "steps"),
        (builder().duration(Duration::ZERO), "duration, in seconds"),
        (builder().duration(Duration::MAX), "duration, in seconds"),
        (builder().duration(Duration::from_nanos(3)).steps(4), "steps"),
        (builder().duration(second).steps(61), "steps"),
    ] {
        match builder.build() {
            Err(BuildError::OutOfRange { parameter, .. }) => assert_eq!(parameter, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(WindowFilter::builder().items(5).build().unwrap_err(), BuildError::Underspecified);
    assert_eq!(WindowFilter::builder().false_positive_rate(0.1).build().unwrap_err(), BuildError::Underspecified);
    let too_low = builder().items(100_000).false_positive_rate(1e-12).build().unwrap_err();
    assert!(too_low.to_string().contains("no window of 100,000 items in 12 steps"), "{too_low}");
    let too_large = builder().items(1 << 48).build().unwrap_err();
    assert!(matches!(too_large, BuildError::Allocation { .. } | BuildError::NoGeometry { .. }), "{too_large}");
}

/// What is not said has a default, and the smallest windows work.
#[test]
fn small_windows_and_defaults() {
    let window = |builder: WindowBuilder| {
        let filter = builder.build().unwrap();
        (filter.window(), filter.step(), filter.steps())
    };
    assert_eq!(window(builder().items(1)), (Window::Items(1), Window::Items(1), 1));
    assert_eq!(window(builder().items(5)), (Window::Items(5), Window::Items(1), 5));
    assert_eq!(window(builder().items(13)), (Window::Items(14), Window::Items(2), 7));
    assert_eq!(window(builder().items(1_200)), (Window::Items(1_200), Window::Items(100), 12));
    assert_eq!(window(builder().items(1_200).steps(60)), (Window::Items(1_200), Window::Items(20), 60));
    let (nano, minute) = (Duration::from_nanos(1), Duration::from_secs(60));
    assert_eq!(window(builder().duration(nano)), (Window::Time(nano), Window::Time(nano), 1));
    assert_eq!(window(builder().duration(minute)), (Window::Time(minute), Window::Time(minute / 12), 12));
    let century = Duration::from_secs(100 * 366 * 24 * 3_600);
    assert_eq!(window(builder().duration(century)).0, Window::Time(century));
}

/// A window of items has no clock but its items.
#[test]
fn windows_of_items_are_told_no_time() {
    let mut filter = builder().build().unwrap();
    filter.insert("a").unwrap();
    let before = filter.clone();
    assert!(!filter.advance(Duration::from_secs(1_000_000)));
    assert!(filter == before && filter.contains("a"));
    assert!(format!("{filter:?}").contains("window: Items(108)"), "{filter:?}");
}
