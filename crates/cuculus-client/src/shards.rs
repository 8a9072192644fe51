//! Which keys a filter has, and which of them an item goes to.

use cuculus::{HashKind, ItemHasher};

/// Slots of a cluster.
const SLOTS: u64 = 16_384;

/// The most shards: one a slot.
pub(crate) const MOST: u32 = SLOTS as u32;

/// The seed of the hash that chooses a shard; filters use other seeds, or a shard would hold items with like hashes.
const SEED: u64 = 0x6375_6375_6c75_7331;

/// The keys of a filter. One shard has the name itself; more have a hash tag each, so that they lie in slots at equal
/// distances, whoever owns these.
pub(crate) struct Shards {
    pub(crate) keys: Vec<String>,
    hasher: ItemHasher,
}

impl Shards {
    pub(crate) fn new(name: &str, shards: u32) -> Self {
        let keys = match shards {
            1 => vec![name.to_owned()],
            _ => tags(shards).iter().map(|tag| format!("{name}:{shards}:{{{tag}}}")).collect(),
        };
        Shards { keys, hasher: HashKind::Xxh3 { seed: SEED }.hasher() }
    }

    /// The shard of an item.
    pub(crate) fn of(&self, item: &[u8]) -> usize {
        ((u128::from(self.hasher.hash_bytes(item)) * self.keys.len() as u128) >> 64) as usize
    }
}

/// For each shard the smallest number whose slot lies in the shard's share of the slots.
fn tags(shards: u32) -> Vec<u32> {
    let mut tags = vec![None; shards as usize];
    let mut missing = shards;
    for number in 0u32.. {
        if missing == 0 {
            break;
        }
        let slot = u64::from(crc16(number.to_string().as_bytes())) % SLOTS;
        let tag = &mut tags[(slot * u64::from(shards) / SLOTS) as usize];
        if tag.is_none() {
            *tag = Some(number);
            missing -= 1;
        }
    }
    tags.into_iter().flatten().collect()
}

/// CRC-16/XMODEM, which gives a key its slot (cluster specification).
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, &byte| {
        (0..8).fold(crc ^ u16::from(byte) << 8, |crc, _| crc << 1 ^ if crc >> 15 == 1 { 0x1021 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_at_equal_distances() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        for shards in [2, 3, 6, 64, 1000, MOST] {
            let keys = Shards::new("k", shards).keys;
            assert_eq!(keys.len(), shards as usize);
            for (shard, key) in keys.iter().enumerate() {
                let tag = key.split(['{', '}']).nth(1).unwrap();
                let slot = u64::from(crc16(tag.as_bytes())) % SLOTS;
                assert_eq!(slot * u64::from(shards) / SLOTS, shard as u64);
            }
        }
    }

    /// Frozen: another version must find what this one stored.
    #[test]
    fn names_and_places_for_ever() {
        let shards = Shards::new("seen", 3);
        assert_eq!(shards.keys, ["seen:3:{3}", "seen:3:{1}", "seen:3:{0}"]);
        assert_eq!(Shards::new("seen", 1).keys, ["seen"]);
        let places: Vec<usize> = (0..10u8).map(|item| shards.of(&[item])).collect();
        assert_eq!(places, FROZEN);
    }

    const FROZEN: [usize; 10] = [0, 2, 1, 0, 2, 2, 0, 1, 1, 0];
}
