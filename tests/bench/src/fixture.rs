//! A build that an agent works on, in any database, for the journal to write to.

use domain::{
    budget::Budgets,
    event::{
        EventBody,
        agents::{AgentStarted, Role, Task},
        branch::{BranchLife, BranchStatus},
        life::{Origin, Queued, Started},
        phases::PhaseStarted,
    },
    gate::SandboxLevel,
    ids::{BuildId, RunId, UserId},
    phases::PhaseOutline,
};
use forgeguard::{
    journal::{Entry, Journal, NewBuild},
    store::{self, projects::NewProject, users::User},
};

use crate::{Result, sample};

/// A build with an agent at work.
#[derive(Clone)]
pub struct Fixture {
    /// What it is written with.
    pub journal: Journal,
    /// The build.
    pub build: BuildId,
    /// The agent's run.
    pub run: RunId,
}

impl Fixture {
    /// A new person with a new project and a build under way.
    pub async fn new(journal: &Journal) -> Result<Self> {
        Self::of(journal, person(journal).await?).await
    }

    /// A new project of this person with a build under way.
    pub async fn of(journal: &Journal, owner: UserId) -> Result<Self> {
        let (build, run) = (queue_build(journal, owner).await?, store::new_id());
        journal.append(Entry::given(build, None, under_way(build, run))).await?;
        Ok(Self { journal: journal.clone(), build, run })
    }

    /// Appends so many events in large entries.
    pub async fn fill(&self, events: u64) -> Result<()> {
        const ENTRY: u64 = 2_000;
        let mut number = 0;
        while number < events {
            let last = (number + ENTRY).min(events);
            let bodies = (number..last).map(|number| sample::event(self.run, number)).collect();
            self.journal.append(Entry::given(self.build, None, bodies)).await?;
            number = last;
        }
        Ok(())
    }

    /// Appends so many events one by one, up to `in_flight` of them at a time.
    pub async fn append_each(&self, events: u64, in_flight: u64) -> Result<()> {
        let mut writers = tokio::task::JoinSet::<Result<()>>::new();
        for writer in 0..in_flight {
            let fixture = self.clone();
            writers.spawn(async move {
                for number in (writer..events).step_by(in_flight as usize) {
                    fixture.append(sample::event(fixture.run, number)).await?;
                }
                Ok(())
            });
        }
        while let Some(ended) = writers.join_next().await {
            ended??;
        }
        Ok(())
    }

    /// Appends one event.
    pub async fn append(&self, body: EventBody) -> Result<()> {
        self.journal.append(Entry::given(self.build, None, vec![body])).await?;
        Ok(())
    }
}

/// A new person.
pub async fn person(journal: &Journal) -> Result<UserId> {
    let id: UserId = store::new_id();
    let person = User {
        id,
        email: format!("{id}@example.org"),
        name: "Ada".to_owned(),
        role: domain::user_role::UserRole::User,
        password_hash: "none".to_owned(),
        created_at: store::now(),
        disabled_at: None,
    };
    let mut tx = journal.db().write().await?;
    store::users::insert(&mut tx, &person).await?;
    tx.commit().await?;
    Ok(id)
}

/// A new project of this person with a queued build.
pub async fn queue_build(journal: &Journal, owner: UserId) -> Result<BuildId> {
    let project = NewProject {
        id: store::new_id(),
        owner_id: owner,
        name: "Measured".to_owned(),
        description: String::new(),
        origin: Origin::Questionnaire,
        default_branch: "main".to_owned(),
        settings: "{}".to_owned(),
        created_at: store::now(),
    };
    let mut tx = journal.db().write().await?;
    store::projects::insert(&mut tx, &project).await?;
    tx.commit().await?;
    let new =
        NewBuild { id: store::new_id(), project_id: project.id, limit: 1, backlog_item: None };
    let build = new.id;
    journal.open(new, queued(owner)).await?;
    Ok(build)
}

/// A build of one phase, without gates.
pub fn queued(started_by: UserId) -> Queued {
    Queued {
        origin: Origin::Questionnaire,
        snapshot_batch: store::new_id(),
        contracts: None,
        requirements: Vec::new(),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets: Budgets::default(),
        started_by,
        phases: vec![PhaseOutline {
            number: 0,
            title: "Everything".to_owned(),
            scope: Vec::new(),
            deliverables: vec!["all of it".to_owned()],
            covers: Vec::new(),
            exit_criteria: Vec::new(),
        }],
        gates: Vec::new(),
        gates_detected: false,
        detection: None,
        preflight: false,
        merges_base: false,
        test_checks: Default::default(),
        clarification_timeout_s: None,
        permissions: Vec::new(),
        waits: Default::default(),
        model: "offline".to_owned(),
        follows: None,
        requests: None,
        number: None,
        title: None,
        description: None,
        estimate: None,
        exploration: Default::default(),
        plan_approval: Default::default(),
        baseline_branch: None,
        first_phase: None,
        pinned_at: None,
        models: Default::default(),
    }
}

fn under_way(build: BuildId, run_id: RunId) -> Vec<EventBody> {
    let (branch, sha) = (format!("forge/build-{build}"), "0".repeat(40));
    let started = Started {
        node: "bench".to_owned(),
        attempt: 1,
        baseline_sha: sha.clone(),
        branch: branch.clone(),
        sandbox: SandboxLevel::None,
    };
    let status = BranchStatus {
        branch,
        baseline_sha: sha.clone(),
        head_sha: sha,
        commit_count: 0,
        status: BranchLife::Active,
    };
    let (phase, model) = (0, "offline".to_owned());
    let agent = AgentStarted {
        run_id,
        role: Role::Scout,
        task: Task::Scout,
        phase,
        model,
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    };
    let begun = PhaseStarted { phase, title: "Everything".to_owned(), explores: true };
    vec![started.into(), status.into(), begun.into(), agent.into()]
}
