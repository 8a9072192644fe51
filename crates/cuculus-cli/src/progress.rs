//! A progress bar for long work: on standard error, and only if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// Bytes read so far, told by the reading thread.
pub(crate) type Meter = Arc<AtomicU64>;

/// The bar, or nothing.
pub(crate) struct Progress {
    started: Instant,
    meter: Meter,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Progress {
    /// A bar over `total` bytes of input, where known. `prints` says that the command writes keys while it works: then
    /// a bar would stand between them if both go to the terminal.
    pub(crate) fn new(total: Option<u64>, prints: bool) -> Self {
        let wanted = stderr().is_terminal() && !(prints && stdout().is_terminal());
        Progress { started: Instant::now(), meter: Meter::default(), total, bar: None, wanted }
    }

    /// Where the reading thread counts.
    pub(crate) fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Draws, if it is time to. Cheap enough for every block.
    pub(crate) fn tick(&mut self) {
        if !self.wanted {
            return;
        }
        if self.bar.is_none() && self.started.elapsed() > PATIENCE {
            self.bar = Some(self.draw());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.meter.load(Ordering::Relaxed));
        }
    }

    /// Takes the bar away: what comes next on the terminal is the result.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
        let style = match self.total {
            Some(_) => "{bar:32} {percent}%  {binary_bytes} of {binary_total_bytes}, {eta} left",
            None => "{spinner} {binary_bytes} read, {binary_bytes_per_sec}",
        };
        // The templates are fixed; were one wrong, the default look would do.
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.with_elapsed(self.started.elapsed())
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
