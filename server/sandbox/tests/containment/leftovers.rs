//! Files left by runs, and startup of a service after a crash.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use sandbox::{Command, Runner, end_leftovers};

use crate::support::{TestEnv, at_each_level, eventually, processes_with, program, unique_sleep};

at_each_level!(
    deep_tree_left_in_the_private_directory_is_removed,
    many_files_do_not_delay_the_end_of_a_run,
    service_starts_after_a_deep_tree_was_left,
    soak_tree_of_a_hundred_thousand_levels_is_removed,
    soak_a_million_files_do_not_delay_the_end_of_a_run,
);

/// Creates a tree deeper than PATH_MAX. It grows at the top, because operations far down take the
/// kernel time proportional to the depth.
const MAKE_DEEP: &str = "import os, sys\n\
                         os.chdir(os.environ['TMPDIR'])\n\
                         os.mkdir('d')\n\
                         for _ in range(int(sys.argv[1])):\n\
                         \x20   os.mkdir('x'); os.rename('d', 'x/d'); os.rename('x', 'd')\n";

const MAKE_MANY: &str = "import os, sys\n\
                         os.chdir(os.environ['TMPDIR'])\n\
                         for n in range(int(sys.argv[1])):\n\
                         \x20   if n % 10000 == 0: os.mkdir(f'd{n}')\n\
                         \x20   os.close(os.open(f'd{n // 10000 * 10000}/{n}', os.O_CREAT | os.O_WRONLY))\n";

async fn check_removal(mut env: TestEnv, program: &str, count: &str) {
    env.policy.limits.timeout = Duration::from_secs(300);
    let outcome = env.run(Command::new(["/usr/bin/python3", "-c", program, count])).await.unwrap();
    assert!(outcome.succeeded(), "{}", outcome.output.text());
    // The run returns before most of the files are removed.
    let area = env.runner.runs().join("removed");
    assert_eq!(fs::read_dir(&area).unwrap().count(), 1);
    assert!(env.shell("true").await.succeeded());
    env.assert_removed().await;
}

async fn deep_tree_left_in_the_private_directory_is_removed(env: TestEnv) {
    check_removal(env, MAKE_DEEP, "3000").await;
}

async fn soak_tree_of_a_hundred_thousand_levels_is_removed(env: TestEnv) {
    check_removal(env, MAKE_DEEP, "100000").await;
}

async fn many_files_do_not_delay_the_end_of_a_run(env: TestEnv) {
    check_removal(env, MAKE_MANY, "30000").await;
}

async fn soak_a_million_files_do_not_delay_the_end_of_a_run(env: TestEnv) {
    check_removal(env, MAKE_MANY, "1000000").await;
}

/// Killed on drop.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The killed service leaves unreadable records and a tree with more levels than its stack and its
/// open files allow.
#[allow(clippy::disallowed_methods, reason = "the service to kill is a process of its own")]
async fn service_starts_after_a_deep_tree_was_left(env: TestEnv) {
    let sleep = unique_sleep();
    let runs = env.runner.runs().to_owned();
    let line = format!(
        "python3 -c \"{MAKE_DEEP}\" 3000 && cd $TMPDIR && mkdir closed && touch closed/file && \
         chmod 0 closed && sleep {sleep}; :"
    );
    let service = Service(
        Process::new(program())
            .args([env.level.as_str().as_ref(), env.worktree().as_os_str(), runs.as_os_str()])
            .arg(line)
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    eventually("the tree is made", || processes_with(&sleep).len() == 1).await;
    drop(service);
    let max_open_files = Some(128);
    setrlimit(Resource::Nofile, Rlimit { current: max_open_files, maximum: max_open_files })
        .unwrap();
    for name in ["0190a5e0-0000-7000-8000-000000000001", "0190a5e0-0000-7000-8000-000000000002"] {
        fs::create_dir_all(runs.join(name).join("record.json/not-a-file")).unwrap();
        fs::set_permissions(runs.join(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    assert_eq!(end_leftovers(&runs).len(), 3);
    assert_eq!(processes_with(&sleep), Vec::<i32>::new());
    let runner = Runner::new(&runs).unwrap().with_supervisor(program());
    let run = runner.run(env.policy.clone(), Command::shell("true"), Default::default(), None);
    assert!(run.await.unwrap().succeeded());
    env.assert_removed().await;
}
