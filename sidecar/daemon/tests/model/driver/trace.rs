//! What a run did, step by step.

/// What was done, told when it went wrong.
pub(super) struct Trace {
    seed: u64,
    done: Vec<String>,
}

impl Trace {
    pub(super) fn of(seed: u64) -> Self {
        let done = Vec::new();
        Self { seed, done }
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn steps(&self) -> usize {
        self.done.len()
    }

    /// Long values are filled up with x: what tells them apart stays.
    pub(super) fn add(&mut self, step: &str) {
        self.done.push(step.replace('x', ""));
    }

    /// What was seen at the last step.
    pub(super) fn saw(&mut self, what: &str) {
        if let Some(step) = self.done.last_mut() {
            *step = format!("{step}: {}", what.replace('x', ""));
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}, {} steps:", self.seed, self.done.len());
            for step in &self.done {
                eprintln!("  {step}");
            }
        }
    }
}
