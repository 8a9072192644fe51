//! Exact counting of different hashes, in the order in which they first came.

/// A set of 64-bit hashes that remembers the order: 8 bytes a hash for the order and 11 to 23 for finding it.
#[derive(Default)]
pub(crate) struct Distinct {
    order: Vec<u64>,
    /// Open addressing, linear probing from the hash's top bits; 0 is an empty place.
    table: Vec<u64>,
    /// Whether the hash 0 is in the set: the table cannot hold it.
    zero: bool,
}

impl Distinct {
    /// Adds a hash; says whether it is new.
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        if hash == 0 {
            let new = !std::mem::replace(&mut self.zero, true);
            if new {
                self.order.push(0);
            }
            return new;
        }
        if self.order.len() * 10 >= self.table.len() * 7 {
            self.grow();
        }
        let place = Self::place(&self.table, hash);
        if self.table[place] == hash {
            return false;
        }
        self.table[place] = hash;
        self.order.push(hash);
        true
    }

    /// The hashes in the order of their first coming.
    pub(crate) fn into_order(self) -> Vec<u64> {
        self.order
    }

    /// Where a hash is, or the empty place where it belongs. The table is never full.
    fn place(table: &[u64], hash: u64) -> usize {
        let mask = table.len() - 1;
        let mut place = (hash >> (64 - table.len().ilog2())) as usize;
        while table[place] != 0 && table[place] != hash {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(1 << 10);
        // The order has every hash: the old table can go before the new one comes.
        self.table = Vec::new();
        self.table = vec![0; size];
        for &hash in self.order.iter().filter(|&&hash| hash != 0) {
            let place = Self::place(&self.table, hash);
            self.table[place] = hash;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn like_a_set() {
        let (mut ours, mut theirs, mut order) = (Distinct::default(), HashSet::new(), Vec::new());
        let mut state = 1u64;
        for round in 0..200_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Few values, 0 and the largest among them; hashes with equal tops too.
            let hash = match round % 4 {
                0 => (state >> 48).wrapping_sub(1),
                1 => (state >> 50) << 50,
                _ => state,
            };
            let new = theirs.insert(hash);
            assert_eq!(ours.insert(hash), new);
            if new {
                order.push(hash);
            }
        }
        assert_eq!(ours.into_order(), order);
    }
}
