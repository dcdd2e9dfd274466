//! Memory and CPU time that runs use, as their supervisors report them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What a process tree uses: memory now, CPU time since it was started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub memory_bytes: u64,
    pub cpu: Duration,
}

/// What the metered runs use together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    pub memory_bytes: u64,
    /// Percent of one CPU, so that two busy CPUs are 200.
    pub cpu_percent: f64,
}

/// Adds up the usage of all runs of a [`Runner`](crate::Runner).
#[derive(Clone, Debug, Default)]
pub struct UsageMeter {
    readings: Arc<Mutex<Readings>>,
}

#[derive(Debug, Default)]
struct Readings {
    runs: HashMap<Uuid, Usage>,
    cpu_of_ended_runs: Duration,
}

/// A point from which CPU usage is measured.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    at: Instant,
    cpu: Duration,
}

/// One run's entry, which ends on drop.
#[derive(Debug)]
pub struct MeteredRun {
    id: Uuid,
    meter: UsageMeter,
}

impl UsageMeter {
    /// The usage now, and that of CPUs since an earlier reading.
    pub fn load_since(&self, earlier: Reading) -> (Load, Reading) {
        let memory_bytes = self.readings().runs.values().map(|run| run.memory_bytes).sum();
        let now = self.reading();
        let elapsed = now.at.duration_since(earlier.at).as_secs_f64();
        let used = now.cpu.saturating_sub(earlier.cpu).as_secs_f64();
        let cpu_percent = if elapsed > 0.0 { used / elapsed * 100.0 } else { 0.0 };
        (Load { memory_bytes, cpu_percent }, now)
    }

    pub fn reading(&self) -> Reading {
        let readings = self.readings();
        let running: Duration = readings.runs.values().map(|run| run.cpu).sum();
        Reading { at: Instant::now(), cpu: readings.cpu_of_ended_runs + running }
    }

    pub(crate) fn add_run(&self) -> MeteredRun {
        let id = Uuid::now_v7();
        self.readings().runs.insert(id, Usage::default());
        MeteredRun { id, meter: self.clone() }
    }

    fn readings(&self) -> MutexGuard<'_, Readings> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MeteredRun {
    pub(crate) fn report(&self, usage: Usage) {
        if let Some(run) = self.meter.readings().runs.get_mut(&self.id) {
            // A process that ends without being waited for takes its CPU time along.
            let cpu = run.cpu.max(usage.cpu);
            *run = Usage { cpu, ..usage };
        }
    }
}

impl Drop for MeteredRun {
    fn drop(&mut self) {
        let mut readings = self.meter.readings();
        if let Some(run) = readings.runs.remove(&self.id) {
            readings.cpu_of_ended_runs += run.cpu;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(memory_bytes: u64, cpu_ms: u64) -> Usage {
        Usage { memory_bytes, cpu: Duration::from_millis(cpu_ms) }
    }

    #[test]
    fn cpu_time_of_ended_runs_still_counts() {
        let meter = UsageMeter::default();
        let start = meter.reading();
        let (one, other) = (meter.add_run(), meter.add_run());
        one.report(usage(10, 300));
        other.report(usage(20, 500));
        other.report(usage(5, 400));
        assert_eq!(meter.load_since(start).0.memory_bytes, 15);
        drop(one);
        let (load, now) = meter.load_since(start);
        assert_eq!(load.memory_bytes, 5);
        assert_eq!(now.cpu, Duration::from_millis(800));
        assert!(load.cpu_percent > 0.0);
        assert_eq!(meter.load_since(now).0.cpu_percent, 0.0);
    }
}
