//! The generator that chooses victims. Its state is part of the filter, so that copies and replicas stay equal.

/// SplitMix64 (Steele, Lea, Flood 2014): one word of state, the same sequence on every platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    pub(crate) const fn new(state: u64) -> Self {
        Rng { state }
    }

    pub(crate) const fn state(&self) -> u64 {
        self.state
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        crate::bits::widening(self.next(), bound as u64).0 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = Rng::new(1234567);
        assert_eq!(rng.next(), 6457827717110365317);
        assert_eq!(rng.next(), 3203168211198807973);
        assert!((0..1000).all(|_| rng.below(7) < 7));
    }
}
