//! The secret key of a keyed filter, from a file: arguments are seen by everyone on the machine.

use crate::exit::Failure;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The option of every command that takes keys.
#[derive(clap::Args, Debug)]
pub(crate) struct KeyFile {
    /// File with the secret key of the hash: 16 raw bytes or 32 hexadecimal digits
    ///
    /// A filter made with a secret key hashes with SipHash-1-3, so that outsiders who choose the lines cannot aim at it.
    /// The key is not in the filter: keep the file, every command that takes keys needs it. To make one:
    /// head -c 16 /dev/urandom > secret.key
    #[arg(long, value_name = "F")]
    pub(crate) key_file: Option<PathBuf>,
}

impl KeyFile {
    /// The key, if the option is there.
    pub(crate) fn read(&self) -> Result<Option<[u8; 16]>, Failure> {
        self.key_file.as_deref().map(read).transpose()
    }
}

fn read(path: &Path) -> Result<[u8; 16], Failure> {
    let failure = |reason: String| Failure::KeyFile { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    // More than any key: a wrong file need not be read to its end.
    let file = File::open(path).map_err(|error| failure(error.to_string()))?;
    file.take(1 << 12).read_to_end(&mut bytes).map_err(|error| failure(error.to_string()))?;
    parse(&bytes).ok_or_else(|| {
        failure(format!(
            "holds {} bytes that are no key; allowed are 16 raw bytes or 32 hexadecimal digits",
            bytes.len()
        ))
    })
}

fn parse(bytes: &[u8]) -> Option<[u8; 16]> {
    if let Ok(raw) = bytes.try_into() {
        return Some(raw);
    }
    let digits = bytes.trim_ascii();
    if digits.len() != 32 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut key = [0; 16];
    for (byte, pair) in key.iter_mut().zip(digits.chunks(2)) {
        *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_and_hexadecimal() {
        let key: [u8; 16] = std::array::from_fn(|i| (i * 17) as u8);
        assert_eq!(parse(&key), Some(key));
        assert_eq!(parse(b"00112233445566778899aabbccddeeff"), Some(key));
        assert_eq!(parse(b"00112233445566778899AABBCCDDEEFF\r\n"), Some(key));
        for wrong in [&b""[..], b"short", b"0011", b"00112233445566778899aabbccddeefg", &[0; 17], &[0; 33]] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
