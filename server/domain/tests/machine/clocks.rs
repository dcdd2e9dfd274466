//! System clocks that jump while a build is being worked on.

use chrono::TimeDelta;
use domain::{
    decide::Effect,
    event::{
        EventBody,
        agents::{AgentStarted, Task},
        life::{Interjected, Resumed},
    },
    state::BuildState,
    step::step,
    working_time,
};

use crate::{agents, choices::Choices, people, player::Life, samples};

const DAY: TimeDelta = TimeDelta::days(1);
const MINUTE: TimeDelta = TimeDelta::minutes(1);

/// A worker's clocks: the wall clock, and the work it has measured with a clock that does not jump.
struct Worker {
    state: BuildState,
    seq: u64,
    wall: chrono::DateTime<chrono::Utc>,
    measured_ms: i64,
}

impl Worker {
    fn on_a_running_build() -> Self {
        let mut life = Life::begin(Choices::kind(), false);
        life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
        let state = life.state().clone();
        let (wall, measured_ms) = (state.last_at, state.spent.working_ms);
        Self { state, seq: life.events.len() as u64, wall, measured_ms }
    }

    fn take(&mut self, at: chrono::DateTime<chrono::Utc>, body: &EventBody) {
        self.seq += 1;
        self.state = step(Some(self.state.clone()), self.seq, at, body).unwrap();
    }

    fn work(&mut self, time: TimeDelta) {
        self.wall += time;
        self.measured_ms += time.num_milliseconds();
    }

    /// Appends as the journal does: a correction first where one is due.
    fn append(&mut self) {
        let corrected = working_time::correction(&self.state, self.wall, self.measured_ms);
        if let Some(corrected) = corrected {
            self.take(self.wall, &corrected.into());
        }
        self.take(self.wall, &agents::log());
    }
}

#[test]
fn clock_jump_of_a_day_does_not_change_working_time() {
    for jump in [DAY, -DAY] {
        let mut worker = Worker::on_a_running_build();
        let before = worker.state.spent.working_ms;
        worker.work(MINUTE);
        worker.append();
        worker.wall += jump;
        worker.work(MINUTE);
        worker.append();
        worker.work(MINUTE);
        worker.append();
        let worked = worker.state.spent.working_ms - before;
        assert_eq!(worked, 3 * MINUTE.num_milliseconds(), "{jump}");
        let limit = worker.state.budgets.exhausted(&worker.state.spent, 1);
        assert_eq!(limit, None, "{jump}");
    }
}

#[test]
fn no_correction_is_made_if_clocks_agree() {
    let mut worker = Worker::on_a_running_build();
    worker.work(TimeDelta::hours(1));
    worker.wall += TimeDelta::seconds(1);
    let due = working_time::correction(&worker.state, worker.wall, worker.measured_ms);
    assert_eq!(due, None);
}

#[test]
fn command_from_a_node_with_another_clock_does_not_change_working_time() {
    for skew in [DAY, -DAY] {
        let mut worker = Worker::on_a_running_build();
        let before = worker.state.spent.working_ms;
        worker.work(MINUTE);
        let elsewhere = worker.wall + skew;
        worker.take(elsewhere, &people::pause());
        assert_eq!(worker.state.spent.working_ms, before, "{skew}");
        worker.append();
        let worked = worker.state.spent.working_ms - before;
        assert_eq!(worked, MINUTE.num_milliseconds(), "{skew}");
    }
}

#[test]
fn time_without_a_worker_does_not_count_despite_commands() {
    let interjected = || Interjected { by: samples::ada(), text: "mind the gap".to_owned() };
    let mut worker = Worker::on_a_running_build();
    let before = worker.state.spent.working_ms;
    // The worker ends here. No worker runs for a day, during which a user sends a message.
    worker.wall += DAY / 2;
    worker.take(worker.wall, &interjected().into());
    worker.wall += DAY / 2;
    let resumed = Resumed { node: "b".to_owned(), from_seq: 1, attempt: 2 };
    worker.take(worker.wall, &resumed.into());
    worker.work(MINUTE);
    worker.append();
    assert_eq!(worker.state.spent.working_ms - before, MINUTE.num_milliseconds());
}

#[test]
fn time_between_an_answer_and_the_next_worker_does_not_count() {
    let mut worker = Worker::on_a_running_build();
    let run = samples::id(800);
    let started = AgentStarted {
        run_id: run,
        role: Task::Scout.role(),
        task: Task::Scout,
        phase: 0,
        model: "offline".to_owned(),
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    };
    worker.take(worker.wall, &started.into());
    let id = uuid::Uuid::from_u128(801);
    let at = agents::At { build: samples::id(9), run, task: Task::Scout, now: worker.wall, id };
    let question = agents::any_question(&worker.state, at, &mut Choices::kind());
    worker.take(worker.wall, &question);
    let before = worker.state.spent.working_ms;
    worker.wall += DAY;
    let answer = people::answer(&worker.state, &mut Choices::kind()).unwrap();
    worker.take(worker.wall, &answer);
    worker.wall += DAY;
    worker.take(worker.wall, &Interjected { by: samples::ada(), text: "and?".to_owned() }.into());
    worker.wall += DAY;
    let resumed = Resumed { node: "b".to_owned(), from_seq: 1, attempt: 2 };
    worker.take(worker.wall, &resumed.into());
    worker.work(MINUTE);
    worker.append();
    assert_eq!(worker.state.spent.working_ms - before, MINUTE.num_milliseconds());
}

#[test]
fn restart_after_a_backward_jump_counts_from_the_new_time() {
    let mut worker = Worker::on_a_running_build();
    let before = worker.state.spent.working_ms;
    worker.wall -= DAY;
    let resumed = Resumed { node: "b".to_owned(), from_seq: 1, attempt: 2 };
    worker.take(worker.wall, &resumed.into());
    worker.work(MINUTE);
    worker.append();
    assert_eq!(worker.state.spent.working_ms - before, MINUTE.num_milliseconds());
}
