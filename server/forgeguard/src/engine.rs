//! Runs builds: performs the effects that `domain::decide` returns and appends the results.
//!
//! A request never runs any of this: it appends a command, and the worker of the build finds it in
//! the journal.
//!
//! - [`paths`], [`node`]: the data directory, and the identity of this node
//! - [`models`], [`model_request`]: the models of each role, and a request that tests one
//! - [`settings`], [`installation`]: settings of projects and of the installation
//! - [`error`]: errors of commands and effects
//! - [`handle`]: the engine's handle for the rest of the service
//! - [`encryption_key`]: the key that encrypts secrets in the database
//! - [`key_rotation`]: replaces it, and encrypts the secrets again
//! - [`provider_keys`]: keys of model providers that are set in the app
//! - [`sign_in_providers`], [`opened_providers`]: providers with which users sign in
//! - [`branch_delivery`]: pushes sealed builds to remotes and opens pull requests
//! - [`notifications`]: sends notifications to webhooks and by email
//! - [`webhooks`], [`email_settings`]: where they are sent
//! - [`repositories`], [`local_builds`]: hosted repositories and working clones, and repositories on this machine
//! - [`specs`], [`spec_documents`], [`issues`]: what a new version of a spec changes, and specs in a repository or an issue
//! - [`credentials`], [`remotes`], [`forge_access`], [`fetching`]: repositories on other servers, that projects follow
//! - [`detected_gates`]: gates suggested by a repository
//! - [`executors`], [`executor_versions`]: which coding agents builds can use
//! - [`agent_homes`]: home directories of external agents
//! - [`start_choices`], [`gate_programs`], [`readiness`]: what a build starts from, and its prerequisites
//! - [`backlog`]: starts items of backlogs, one after the other
//! - [`start`], [`follow_ups`], [`commands`], [`control`]: users' commands
//! - [`branch`], [`suggested_commit`], [`gates`], [`agents`], [`audit_copy`], [`phase_changes`], [`sealing`], [`blocking`]:
//!   how effects are performed
//! - [`base_branch`], [`merge_events`]: merges of the branch that a build started from, before its seal
//! - [`gate_failures`]: the gates that an attempt to fix is about
//! - [`gate_reruns`]: runs the gates of sealed builds again for reviewers
//! - [`deliverables`]: what shows the deliverables of a build
//! - [`mutant_files`]: small changes to the code that a build added
//! - [`test_comparison`], [`weakened_tests`], [`audited_weakenings`]: which tests a build
//!   added, changed or weakened
//! - [`push_slots`]: limits on concurrent pushes
//! - [`pushes`], [`arrivals`]: receiving users' pushes, and merging them into a running build
//! - [`repack_queue`], [`repacking`]: repacking repositories in the background
//! - [`commits`]: the recorded commits of a build
//! - [`seal_key`], [`statement`], [`attestation`], [`bundle`], [`bundle_check`]: signed seals, and their verification
//! - [`driver`], [`outage`]: one build, effect by effect, and its behaviour while nothing can be written
//! - [`questionnaires`]: the current answers of a project
//! - [`manifest_files`], [`suggested_answers`]: answers suggested by a repository
//! - [`generations`], [`interviews`]: commands for contracts and answers written by a model
//! - [`generation_run`], [`writer`], [`interviewer`]: how they are written
//! - [`demo_pace`]: delays the replies of a demo build
//! - [`report`], [`report_text`], [`build_questions`]: a report on a build, and questions about it
//! - [`worker_slots`], [`queue`], [`build_worker`], [`generation_worker`]: the lease queues and their workers
//! - [`heartbeats`]: what the builds of this node do and use, for lists
//! - [`usage`]: the usage of a build
//! - [`verify`]: verification of a build and everything stored about it

pub mod attestation;
pub mod backlog;
pub mod branch_delivery;
pub mod build_worker;
pub mod bundle;
pub mod bundle_check;
pub mod commands;
pub mod commits;
mod confirmations;
pub mod control;
pub mod credentials;
pub mod detected_gates;
pub mod email_settings;
mod encryption_key;
pub mod error;
mod executor_versions;
mod executors;
pub mod fetching;
pub mod follow_ups;
pub mod forge_access;
pub mod gate_reruns;
pub mod generation_worker;
pub mod generations;
pub mod handle;
pub mod heartbeats;
pub mod installation;
pub mod interviews;
pub mod issues;
pub mod key_rotation;
pub mod local_builds;
pub mod model_request;
pub mod models;
pub mod node;
pub mod notifications;
pub mod paths;
pub mod provider_keys;
pub mod push_slots;
pub mod pushes;
pub mod readiness;
pub mod remotes;
pub mod repacking;
pub mod repositories;
pub mod seal_key;
pub mod settings;
pub mod sign_in_providers;
pub mod spec_documents;
pub mod specs;
pub mod start;
pub mod start_choices;
pub mod usage;
pub mod verify;

mod agent_homes;
mod agents;
mod arrivals;
mod audit_copy;
mod audited_weakenings;
mod base_branch;
mod blocking;
mod branch;
mod branch_name;
mod build_questions;
mod bundle_attestations;
mod checkouts;
mod deliverables;
mod demo_pace;
mod driver;
mod estimates;
mod gate_failures;
mod gate_programs;
mod gates;
mod generation_run;
mod interrupted_steps;
mod interviewer;
mod lease_watch;
mod manifest_files;
mod merge_events;
mod mutant_files;
mod opened_providers;
mod outage;
mod phase_changes;
mod questionnaires;
mod queue;
mod repack_queue;
pub mod report;
mod report_text;
mod resumed_gates;
mod sealing;
mod statement;
mod suggested_answers;
mod suggested_commit;
mod test_comparison;
mod weakened_tests;
pub mod webhooks;
mod worker_slots;
mod writer;

pub use branch_name::displayed_branch;
pub use error::EngineError;
pub use follow_ups::DEMO_REQUEST;
pub use generations::Wanted;
pub use handle::{Engine, Parts};
pub use installation::InstallationSettings;
pub use node::Node;
pub use paths::Paths;
pub use push_slots::{PushLimits, PushSlot};
pub use settings::ProjectSettings;
pub use start::StartOptions;
pub use start_choices::{BaselineBranch, StartChoices};
pub use suggested_commit::MAX_SUGGESTION_FILE_BYTES;
pub use usage::{BuildUsage, ContractTokens, UsageCounts};
