//! The probe, which fails closed.

use sandbox::{Command, Level, SandboxError, choose, probe};

use crate::support::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn probe_reports_a_remedy_unless_the_level_holds() {
    let env = TestEnv::without_probe(Level::Strict);
    let report = probe(&env.runner).await;
    let installed = env.runner.bubblewrap().is_some();
    for finding in [&report.strict, &report.landlock] {
        assert_eq!(finding.holds, finding.remedy.is_none(), "{finding:?}");
        assert!(!finding.seen.is_empty());
    }
    assert!(installed || !report.strict.holds);
    env.assert_no_run_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_level_is_rejected_without_bubblewrap() {
    let env = TestEnv::without_probe(Level::Strict);
    let runner = env.runner.clone().with_bubblewrap(None);
    let report = probe(&runner).await;
    assert!(!report.strict.holds);
    let unavailable = choose(Level::Strict, &report).unwrap_err();
    assert!(unavailable.remedy.contains("bubblewrap"), "{unavailable}");
    let run = runner.run(env.policy.clone(), Command::shell("true"), Default::default(), None);
    assert!(matches!(run.await, Err(SandboxError::NotConfined { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn probe_rejects_a_bubblewrap_that_does_not_work() {
    let env = TestEnv::without_probe(Level::Strict);
    for program in ["/bin/false", "/bin/true"] {
        let runner = env.runner.clone().with_bubblewrap(Some(program.into()));
        let report = probe(&runner).await;
        assert!(!report.strict.holds && report.strict.remedy.is_some(), "{program}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn supervisor_that_sends_no_report_is_an_error() {
    let env = TestEnv::without_probe(Level::None);
    let runner = env.runner.clone().with_supervisor("/bin/true");
    let run = runner.run(env.policy.clone(), Command::shell("true"), Default::default(), None);
    assert!(matches!(run.await, Err(SandboxError::SupervisorLost)));
    env.assert_no_run_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_termination_apply_at_level_none() {
    let env = TestEnv::without_probe(Level::None);
    let sleep = crate::support::unique_sleep();
    let outcome = env.shell(&format!("(setsid sleep {sleep} &); env; ulimit -n")).await;
    let text = outcome.output.text();
    assert!(text.ends_with("\n4096\n") && !text.contains("CARGO"), "{text}");
    assert!(crate::support::processes_with(&sleep).is_empty());
}
