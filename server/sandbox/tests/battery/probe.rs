//! What is said about this machine, and that it fails closed.

use sandbox::{Command, Level, SandboxError, choose, probe};

use crate::support::Site;

#[tokio::test(flavor = "multi_thread")]
async fn each_level_holds_or_comes_with_a_remedy() {
    let site = Site::unprobed(Level::Strict);
    let report = probe(&site.runner).await;
    let installed = site.runner.bubblewrap().is_some();
    for finding in [&report.strict, &report.landlock] {
        assert_eq!(finding.holds, finding.remedy.is_none(), "{finding:?}");
        assert!(!finding.seen.is_empty());
    }
    assert!(installed || !report.strict.holds);
    site.assert_tidy();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_bubblewrap_strict_is_refused() {
    let site = Site::unprobed(Level::Strict);
    let runner = site.runner.clone().with_bubblewrap(None);
    let report = probe(&runner).await;
    assert!(!report.strict.holds);
    let unavailable = choose(Some(Level::Strict), &report).unwrap_err();
    assert!(unavailable.remedy.contains("bubblewrap"), "{unavailable}");
    let run = runner.run(site.policy.clone(), Command::shell("true"), Default::default(), None);
    assert!(matches!(run.await, Err(SandboxError::NotConfined { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bubblewrap_that_fails_or_lies_is_refused() {
    let site = Site::unprobed(Level::Strict);
    for impostor in ["/bin/false", "/bin/true"] {
        let runner = site.runner.clone().with_bubblewrap(Some(impostor.into()));
        let report = probe(&runner).await;
        assert!(!report.strict.holds && report.strict.remedy.is_some(), "{impostor}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_that_is_none_is_noticed() {
    let site = Site::unprobed(Level::None);
    let runner = site.runner.clone().with_supervisor("/bin/true");
    let run = runner.run(site.policy.clone(), Command::shell("true"), Default::default(), None);
    assert!(matches!(run.await, Err(SandboxError::SupervisorLost)));
    site.assert_tidy();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_walls_limits_and_the_end_still_apply() {
    let site = Site::unprobed(Level::None);
    let sleep = crate::support::unique_sleep();
    let outcome = site.shell(&format!("(setsid sleep {sleep} &); env; ulimit -n")).await;
    let text = outcome.output.text();
    assert!(text.ends_with("\n4096\n") && !text.contains("CARGO"), "{text}");
    assert!(crate::support::processes_with(&sleep).is_empty());
}
