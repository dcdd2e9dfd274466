//! The plan of a spec: phases with steps, from headings or from nested lists.

use super::{
    items::{one_line, requirement_references, step, story_of},
    model::SpecPhase,
};

/// A plan while it is read.
#[derive(Default)]
pub(super) struct Plan {
    phases: Vec<ReadPhase>,
    /// Items outside of phases.
    tasks: Vec<Task>,
    in_tasks: bool,
}

/// A phase, and what it refers to.
#[derive(Default)]
pub(super) struct ReadPhase {
    pub(super) phase: SpecPhase,
    /// Numbers of requirements and criteria (`1.2`), and user stories (`US1`).
    pub(super) refers_to: Vec<String>,
    /// Whether it is in a document of tasks.
    is_of_tasks: bool,
}

struct Task {
    title: String,
    steps: Vec<String>,
    refers_to: Vec<String>,
    line: usize,
}

impl Plan {
    /// From here on, the text is a list of tasks, which replaces other plans.
    pub(super) fn begin_tasks(&mut self) {
        self.in_tasks = true;
    }

    /// Adds a phase with the heading `written`.
    pub(super) fn add_phase(&mut self, title: &str, written: &str, line: usize) -> usize {
        let title = one_line(title);
        let title = if title.is_empty() { one_line(written) } else { title };
        let mut phase = ReadPhase {
            phase: SpecPhase { title, line, ..SpecPhase::default() },
            is_of_tasks: self.in_tasks,
            ..ReadPhase::default()
        };
        let story = written.to_lowercase().find("user story ").map(|at| {
            let number = written.get(at + 11..).unwrap_or_default();
            number.chars().take_while(char::is_ascii_digit).collect::<String>()
        });
        phase.refers_to.extend(story.filter(|it| !it.is_empty()).map(|it| format!("US{it}")));
        self.phases.push(phase);
        self.phases.len() - 1
    }

    pub(super) fn objective(&mut self, phase: usize, text: &str) {
        self.phases[phase].phase.objective = one_line(text);
    }

    pub(super) fn first_paragraph(&mut self, phase: usize, text: &str) {
        let phase = &mut self.phases[phase].phase;
        if phase.objective.is_empty() && phase.steps.is_empty() {
            phase.objective = one_line(text);
        }
    }

    pub(super) fn add_step(&mut self, phase: Option<usize>, text: &str, line: usize) {
        let title = step(text);
        if title.is_empty() {
            return;
        }
        let stories = story_of(text);
        match phase {
            Some(phase) => {
                self.phases[phase].phase.steps.push(title);
                self.phases[phase].refers_to.extend(stories);
            }
            None => {
                let refers_to = stories.into_iter().collect();
                self.tasks.push(Task { title, steps: Vec::new(), refers_to, line });
            }
        }
    }

    /// An item below a step.
    pub(super) fn add_detail(&mut self, phase: Option<usize>, text: &str) {
        let references = requirement_references(text);
        match (phase, self.tasks.last_mut()) {
            (Some(phase), _) => self.phases[phase].refers_to.extend(references),
            (None, Some(task)) if references.is_empty() => task.steps.push(step(text)),
            (None, Some(task)) => task.refers_to.extend(references),
            (None, None) => {}
        }
    }
}

/// The phases of a plan: its own; otherwise one for each task with steps of its own, or one for all.
pub(super) fn phases(plan: Plan) -> Vec<ReadPhase> {
    let Plan { mut phases, tasks, in_tasks } = plan;
    if in_tasks && (phases.iter().any(|phase| phase.is_of_tasks) || !tasks.is_empty()) {
        phases.retain(|phase| phase.is_of_tasks);
    }
    if let Some(first) = phases.first_mut() {
        let titles = tasks.into_iter().map(|task| task.title);
        first.phase.steps.splice(0..0, titles);
        return phases;
    }
    let with_steps = tasks.iter().filter(|task| !task.steps.is_empty()).count();
    if with_steps < 2 || with_steps * 2 < tasks.len() {
        return single(tasks).into_iter().collect();
    }
    tasks
        .into_iter()
        .map(|Task { title, steps, refers_to, line }| ReadPhase {
            phase: SpecPhase { title, objective: String::new(), steps, line },
            refers_to,
            is_of_tasks: true,
        })
        .collect()
}

fn single(tasks: Vec<Task>) -> Option<ReadPhase> {
    let line = tasks.first()?.line;
    let mut only = ReadPhase {
        phase: SpecPhase { title: "Implementation".to_owned(), line, ..SpecPhase::default() },
        ..ReadPhase::default()
    };
    for task in tasks {
        only.phase.steps.push(task.title);
        only.refers_to.extend(task.refers_to);
    }
    Some(only)
}
