//! The quotient filter (qfilter, rank-and-select form).

use super::{Built, Ops, Plan, each};

struct Quotient(qfilter::Filter);

/// With memory given: the largest power-of-two table whose remainders still keep the rate asked.
pub(super) fn build(plan: &Plan) -> Built {
    let items = match plan.memory {
        None => plan.items,
        Some(bytes) => {
            let bits = -plan.rate.log2().floor() + 2.125;
            let slots = ((bytes * 8) as f64 / bits) as u64;
            ((slots + 1).next_power_of_two() / 2) * 19 / 20
        }
    };
    each(Quotient(qfilter::Filter::new(items, plan.rate).map_err(|e| format!("{e:?}"))?))
}

impl Ops for Quotient {
    #[inline]
    fn insert(&mut self, key: u64) -> bool {
        // The form that keeps copies: only it allows removing what was inserted.
        self.0.insert_duplicated(key).is_ok()
    }
    #[inline]
    fn contains(&self, key: u64) -> bool {
        self.0.contains(key)
    }
    #[inline]
    fn remove(&mut self, key: u64) -> bool {
        self.0.remove(key)
    }
    fn insert_text(&mut self, key: &str) -> bool {
        self.0.insert_duplicated(key).is_ok()
    }
    fn contains_text(&self, key: &str) -> bool {
        self.0.contains(key)
    }
    fn memory_bytes(&self) -> u64 {
        self.0.memory_usage() as u64
    }
    fn promised_rate(&self) -> f64 {
        self.0.max_error_ratio()
    }
}
