//! A policy and a command, checked and made into one job for the supervisor.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::bubblewrap::{self, View};
use crate::carve::without_hidden;
use crate::error::SandboxError;
use crate::git_pointer::GitPointer;
use crate::level::Level;
use crate::policy::{Command, Policy};
use crate::run_dir::RunDir;
use crate::system;
use crate::wire::{CONFINE, Confinement, Job, RUN_VARIABLE, Sockets, Walls};

/// Generations of processes that bubblewrap puts above the command.
const WRAPPERS: u8 = 2;

/// A policy whose paths exist and are free of links.
pub struct Plan {
    policy: Policy,
    command: Command,
    cwd: PathBuf,
}

impl Plan {
    /// Resolves and checks every path.
    pub fn new(mut policy: Policy, command: Command) -> Result<Self, SandboxError> {
        if command.argv.first().is_none_or(String::is_empty) {
            return Err(SandboxError::CommandEmpty);
        }
        policy.worktree = resolved(&policy.worktree)?;
        policy.git_dir = policy.git_dir.as_deref().map(resolved).transpose()?;
        policy.hidden = policy.hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for path in policy.readable.iter().chain(&policy.path) {
            resolved(path)?;
        }
        if let Some(path) = policy.hidden.iter().find(|path| path.starts_with(&policy.worktree)) {
            return Err(SandboxError::HiddenInsideWorktree(path.clone()));
        }
        if let (Level::Landlock, Some(git_dir)) = (policy.level, &policy.git_dir)
            && git_dir.starts_with(&policy.worktree)
        {
            return Err(SandboxError::GitDirWritable(git_dir.clone()));
        }
        let cwd = inside(&policy.worktree, &command.cwd)?;
        Ok(Self { policy, command, cwd })
    }

    /// The level to run under.
    pub fn level(&self) -> Level {
        self.policy.level
    }

    /// The policy with its paths resolved.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The command as given.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// What the supervisor is to do.
    pub fn job(
        &self,
        run: &RunDir,
        pointer: &GitPointer,
        supervisor: &Path,
        bubblewrap: Option<&Path>,
    ) -> Result<Job, SandboxError> {
        let strict = self.policy.level == Level::Strict;
        let mut inner = Vec::new();
        if strict {
            let refused =
                |reason: String| SandboxError::NotConfined { level: Level::Strict, reason };
            let program =
                bubblewrap.ok_or_else(|| refused("bubblewrap is not installed".to_owned()))?;
            let view = View { policy: &self.policy, run, pointer: pointer.path(), supervisor };
            let arguments = bubblewrap::arguments(&view)
                .map_err(SandboxError::system("preparing the sandbox's view of the system"))?;
            inner.push(text(program)?);
            inner.extend(arguments);
        } else {
            inner.push(text(supervisor)?);
        }
        inner.push(CONFINE.to_owned());
        Ok(Job {
            inner,
            wrapper_depth: if strict { WRAPPERS } else { 0 },
            confinement: Confinement {
                argv: self.command.argv.clone(),
                cwd: self.cwd.clone(),
                environment: self.environment(run)?,
                limits: self.policy.limits,
                walls: self.walls(run),
            },
        })
    }

    fn walls(&self, run: &RunDir) -> Option<Walls> {
        let policy = &self.policy;
        let worktree = policy.worktree.clone();
        match policy.level {
            Level::None => None,
            // Bubblewrap has left only what may be seen.
            Level::Strict => Some(Walls {
                read: vec!["/".into()],
                write: vec![worktree, "/tmp".into(), "/dev/shm".into()],
                tcp: true,
                landlock_required: false,
                sockets: Sockets::All,
                host_ipc: false,
            }),
            Level::Landlock => Some(Walls {
                read: self.readable_in_place(),
                write: vec![worktree, run.temporary()],
                tcp: policy.network,
                landlock_required: true,
                sockets: if policy.network { Sockets::Internet } else { Sockets::Closed },
                host_ipc: true,
            }),
        }
    }

    fn readable_in_place(&self) -> Vec<PathBuf> {
        let policy = &self.policy;
        let all: Vec<PathBuf> = system::DIRECTORIES
            .iter()
            .map(PathBuf::from)
            .chain(system::configuration())
            .chain(policy.readable.iter().cloned())
            .chain(policy.path.iter().cloned())
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        let mut granted = without_hidden(&all, &policy.hidden);
        granted.extend(policy.git_dir.clone());
        granted
    }

    fn environment(&self, run: &RunDir) -> Result<Vec<(String, String)>, SandboxError> {
        let policy = &self.policy;
        let mut path = Vec::new();
        for directory in &policy.path {
            path.push(text(directory)?);
        }
        path.push(system::PATH.to_owned());
        let (temporary, home) = match policy.level {
            Level::Strict => ("/tmp".into(), "/tmp/home".into()),
            Level::Landlock | Level::None => (run.temporary(), run.home()),
        };
        let mut all = vec![
            ("PATH".to_owned(), path.join(":")),
            ("HOME".to_owned(), text(&home)?),
            ("TMPDIR".to_owned(), text(&temporary)?),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TERM".to_owned(), "dumb".to_owned()),
            ("CI".to_owned(), "1".to_owned()),
            // The repository is read-only, so git is not to try refreshing its index, and the
            // machine's own git settings may name programs and secrets.
            ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
            (RUN_VARIABLE.to_owned(), run.id.clone()),
        ];
        for (name, value) in &policy.environment {
            all.retain(|(known, _)| known != name || known == RUN_VARIABLE);
            if name != RUN_VARIABLE {
                all.push((name.clone(), value.clone()));
            }
        }
        Ok(all)
    }
}

fn resolved(path: &Path) -> Result<PathBuf, SandboxError> {
    let unusable = |reason: String| SandboxError::PathUnusable { path: path.to_owned(), reason };
    if !path.is_absolute() {
        return Err(unusable("it is not absolute".into()));
    }
    path.canonicalize().map_err(|error: io::Error| unusable(error.to_string()))
}

fn inside(worktree: &Path, cwd: &Path) -> Result<PathBuf, SandboxError> {
    let outside = || SandboxError::DirectoryOutside(cwd.to_owned());
    if !cwd.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let found = worktree.join(cwd).canonicalize().map_err(|_| outside())?;
    if found.starts_with(worktree) && found.is_dir() { Ok(found) } else { Err(outside()) }
}

fn text(path: &Path) -> Result<String, SandboxError> {
    path.to_str().map(str::to_owned).ok_or_else(|| SandboxError::PathUnusable {
        path: path.to_owned(),
        reason: "it is not UTF-8".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_outside_the_worktree_is_refused() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("below")).unwrap();
        std::os::unix::fs::symlink("/usr", tree.path().join("away")).unwrap();
        let top = tree.path().canonicalize().unwrap();
        assert_eq!(inside(&top, Path::new("below")).unwrap(), top.join("below"));
        for cwd in ["..", "below/../..", "/usr", "away", "missing"] {
            let refusal = inside(&top, Path::new(cwd)).unwrap_err();
            assert!(matches!(refusal, SandboxError::DirectoryOutside(_)), "{cwd}");
        }
    }

    #[test]
    fn what_no_level_can_keep_is_refused() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join(".git")).unwrap();
        let mut policy = Policy::new(Level::Landlock, tree.path());
        policy.git_dir = Some(tree.path().join(".git"));
        let refusal = Plan::new(policy.clone(), Command::shell("true")).err().unwrap();
        assert!(matches!(refusal, SandboxError::GitDirWritable(_)));
        policy.hidden = vec![tree.path().join(".git")];
        let refusal = Plan::new(policy, Command::shell("true")).err().unwrap();
        assert!(matches!(refusal, SandboxError::HiddenInsideWorktree(_)));
    }
}
