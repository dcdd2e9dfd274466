//! Bubblewrap's arguments for the strict level: namespaces, and the file system view of the
//! command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git_pointer::GitPointer;
use crate::policy::Policy;
use crate::run_dir::RunDir;
use crate::system;

/// Path of this executable inside the sandbox, independent of its path on the host.
const SUPERVISOR: &str = "/.sandbox-supervisor";
/// User id inside. It maps to the service's own user, so files created inside belong to the
/// service.
const UID: &str = "1000";
/// The home directory inside.
pub const HOME: &str = "/tmp/home";
const INSTALL_PATHS: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// Inputs of the view.
pub struct View<'a> {
    pub policy: &'a Policy,
    pub run: &'a RunDir,
    /// The worktree's `.git` file, which exists and is mounted read-only.
    pub pointer: Option<&'a GitPointer>,
    pub supervisor: &'a Path,
}

pub fn find() -> Option<PathBuf> {
    INSTALL_PATHS.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Arguments up to and including the program to run inside. Also writes the `passwd` and `group`
/// files that they mount.
pub fn arguments(view: &View<'_>) -> io::Result<Vec<String>> {
    let mut list = Arguments::default();
    for flag in ["user", "pid", "ipc", "uts", "net"] {
        list.push(&format!("--unshare-{flag}"));
    }
    list.push("--unshare-cgroup-try");
    list.push_all(&["--uid", UID, "--gid", UID, "--hostname", "sandbox", "--cap-drop", "ALL"]);
    list.push_all(&["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]);
    list.bind("--bind", &view.run.shared_memory(), Path::new("/dev/shm"))?;
    list.bind("--bind", &view.run.temporary(), Path::new("/tmp"))?;
    if let Some(home) = &view.policy.home {
        list.bind("--bind", home, Path::new(HOME))?;
    }
    show_system(&mut list, view)?;
    show_policy(&mut list, view.policy)?;
    if let Some(pointer) = view.pointer {
        // Mounts a copy, because a command of another run may be changing the file in the worktree.
        let file = view.run.etc().join("git-pointer");
        fs::write(&file, pointer.content())?;
        list.bind("--ro-bind", &file, &pointer.path())?;
    }
    list.bind("--ro-bind", view.supervisor, Path::new(SUPERVISOR))?;
    // Both are in memory, which commands must not be able to fill.
    list.push_all(&["--remount-ro", "/dev", "--remount-ro", "/", "--", SUPERVISOR]);
    Ok(list.0)
}

fn show_system(list: &mut Arguments, view: &View<'_>) -> io::Result<()> {
    for directory in system::DIRECTORIES.map(Path::new) {
        if let Ok(target) = fs::read_link(directory) {
            list.push("--symlink");
            list.push_path(&target)?;
            list.push_path(directory)?;
        } else if directory.is_dir() {
            list.bind_same_path("--ro-bind", directory)?;
        }
    }
    for path in system::configuration() {
        list.bind_same_path("--ro-bind", &path)?;
    }
    let users = [
        ("passwd", format!("builder:x:{UID}:{UID}::{HOME}:/bin/sh\n")),
        ("group", format!("builder:x:{UID}:\n")),
    ];
    for (name, content) in users {
        let file = view.run.etc().join(name);
        fs::write(&file, content)?;
        list.bind("--ro-bind", &file, &Path::new("/etc").join(name))?;
    }
    Ok(())
}

/// Covers hidden trees, then mounts the paths inside them that the policy names explicitly.
fn show_policy(list: &mut Arguments, policy: &Policy) -> io::Result<()> {
    let named: Vec<&PathBuf> = policy.readable.iter().chain(&policy.path).collect();
    let is_hidden = |path: &Path| policy.hidden.iter().any(|hidden| path.starts_with(hidden));
    let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) =
        named.into_iter().partition(|path| is_hidden(path));
    for path in &outside {
        list.bind_same_path("--ro-bind", path)?;
    }
    let mut covers = Vec::new();
    for hidden in &policy.hidden {
        let shown = system::DIRECTORIES
            .iter()
            .map(Path::new)
            .chain(outside.iter().map(|path| path.as_path()))
            .any(|shown| hidden.starts_with(shown));
        if shown && hidden.is_dir() {
            list.push("--tmpfs");
            list.push_path(hidden)?;
            covers.push(hidden);
        } else if shown {
            list.bind("--ro-bind", Path::new("/dev/null"), hidden)?;
        }
    }
    for path in inside {
        list.bind_same_path("--ro-bind", path)?;
    }
    list.bind_same_path("--bind", &policy.worktree)?;
    if let Some(git_dir) = &policy.git_dir {
        list.bind_same_path("--ro-bind", git_dir)?;
    }
    for cover in covers {
        list.push("--remount-ro");
        list.push_path(cover)?;
    }
    Ok(())
}

#[derive(Default)]
struct Arguments(Vec<String>);

impl Arguments {
    fn push(&mut self, flag: &str) {
        self.0.push(flag.to_owned());
    }

    fn push_all(&mut self, flags: &[&str]) {
        flags.iter().for_each(|flag| self.push(flag));
    }

    fn push_path(&mut self, path: &Path) -> io::Result<()> {
        let text = path.to_str().ok_or_else(|| io::Error::other("a path is not UTF-8"))?;
        self.push(text);
        Ok(())
    }

    fn bind_same_path(&mut self, kind: &str, path: &Path) -> io::Result<()> {
        self.bind(kind, path, path)
    }

    fn bind(&mut self, kind: &str, from: &Path, to: &Path) -> io::Result<()> {
        self.push(kind);
        self.push_path(from)?;
        self.push_path(to)
    }
}
