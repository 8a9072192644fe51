//! Which instructions the processor has, found once when a filter is made.
//!
//! The code is the same for all: portable Rust, compiled a second time for x86-64 with AVX2 and BMI2 (level v3 of the
//! platform's definition), where a lookup takes a quarter fewer instructions. A plain build chooses at run time.

/// Proof that the instructions of a level are there: only [`Arch::detect`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arch {
    #[cfg(target_arch = "x86_64")]
    v3: bool,
}

impl Arch {
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    pub(crate) fn detect() -> Self {
        use std::arch::is_x86_feature_detected as has;
        Arch { v3: has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt") }
    }

    #[cfg(all(target_arch = "x86_64", not(feature = "std")))]
    pub(crate) fn detect() -> Self {
        Arch { v3: false }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn detect() -> Self {
        Arch {}
    }

    /// The same, if there are vectors of four words.
    #[inline(always)]
    pub(crate) fn vectors(self) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if self.v3 {
            return Some(self);
        }
        None
    }

    /// Runs `work`, compiled for the best level there is. It has to be `#[inline(always)]` to gain anything.
    #[inline(always)]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        #[cfg(target_arch = "x86_64")]
        if self.v3 {
            // SAFETY: `v3` is true only where `detect` has found every feature that the function enables.
            return unsafe { run_v3(work) };
        }
        work()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn run_v3<R>(work: impl FnOnce() -> R) -> R {
    work()
}
