//! All frames of a zstd stream, one after the other, with their checksums.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, Read};

/// The largest window that is accepted: that of the zstd tool without further options.
const MOST_WINDOW: u64 = 128 << 20;

pub(super) struct Unzstd<R> {
    source: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> Unzstd<R> {
    pub(super) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MOST_WINDOW);
        Unzstd { source, decoder, inside: false }
    }

    /// Starts the next frame with contents; `false` at the end of the stream.
    fn start(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                    return Err(damaged("a window of more than 128 MiB (zstd --long): unpack it with zstd -dc"));
                }
                Err(_) => return Err(damaged(CUT)),
            }
        }
        Ok(false)
    }

    /// At the end of a frame: its checksum, if it has one.
    fn check(&self) -> io::Result<()> {
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(stored), Some(computed)) if stored != computed => Err(damaged("a frame's checksum is wrong")),
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Read for Unzstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside {
                if !self.start()? {
                    return Ok(0);
                }
                self.inside = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(|_| damaged(CUT))?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.check()?;
            self.inside = false;
        }
    }
}

/// All that its user can do something about; the decoder's own errors name its insides.
const CUT: &str = "it is damaged or cut short";

fn damaged(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a whole zstd stream: {reason}"))
}
