//! Little-endian numbers in byte strings.

use crate::error::LoadError;

/// Appends numbers.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }
    pub(crate) fn u16(&mut self, value: u16) {
        self.bytes(&value.to_le_bytes());
    }
    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }
    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Takes numbers from the front, or says that the bytes end.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], LoadError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(LoadError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], LoadError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(LoadError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }
    pub(crate) fn u8(&mut self) -> Result<u8, LoadError> {
        Ok(u8::from_le_bytes(self.array()?))
    }
    pub(crate) fn u16(&mut self) -> Result<u16, LoadError> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    pub(crate) fn u32(&mut self) -> Result<u32, LoadError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub(crate) fn u64(&mut self) -> Result<u64, LoadError> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    /// A length, which must fit the address space.
    pub(crate) fn len(&mut self) -> Result<usize, LoadError> {
        usize::try_from(self.u64()?).map_err(|_| LoadError::Truncated)
    }
    pub(crate) fn end(self) -> Result<(), LoadError> {
        if self.0.is_empty() { Ok(()) } else { Err(LoadError::TrailingBytes) }
    }
}
