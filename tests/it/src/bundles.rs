//! Exported bundles of sealed builds: verified without a service, and any change is detected.

use std::{
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use domain::attestation::Envelope;
use forgeguard::engine::{
    bundle_check,
    seal_key::{PublicKey, SealKey},
};
use tempfile::TempDir;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    harness::{Database, Instance, binary},
    project_fixture::git,
    push_request::MIB,
    watched_build::WatchedBuild,
};

type Parts = Vec<(String, Vec<u8>)>;

fn parts(bundle: &[u8]) -> Parts {
    let mut archive = ZipArchive::new(Cursor::new(bundle)).expect("a zip file");
    (0..archive.len())
        .map(|place| {
            let mut part = archive.by_index(place).expect("a part");
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).expect("its bytes");
            (part.name().expect("a name").to_string(), bytes)
        })
        .collect()
}

/// A bundle of these parts with correct checksums.
fn pack(folder: &Path, parts: &Parts) -> PathBuf {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in parts {
        zip.start_file(name.as_str(), options).expect("a part");
        zip.write_all(bytes).expect("its bytes");
    }
    let file = folder.join("changed.zip");
    std::fs::write(&file, zip.finish().expect("a zip file").into_inner()).expect("a file");
    file
}

/// What is wrong with a bundle of these parts.
fn problems(folder: &Path, parts: &Parts, key: &PublicKey) -> Vec<String> {
    let file = pack(folder, parts);
    bundle_check::check(&file, Some(key)).expect("the file can be read").problems
}

/// Runs the program in a folder without a data directory.
fn forgeguard(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(arguments).env_remove("DATABASE_URL");
    command.output().expect("it runs")
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn bundle_is_verified_without_a_service_and_every_change_is_detected() {
    let mut demo = WatchedBuild::demo(&[("FORGEGUARD_DEMO_PACE", "0")]).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    let path = format!("/api/builds/{}/bundle", demo.build);
    let bundle = demo.server.stream(&path, "application/zip").await.bytes().await.expect("a file");
    let again = demo.server.stream(&path, "application/zip").await.bytes().await.expect("a file");
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a folder");
    let place = folder.path();
    let data = demo.server.data().display().to_string();
    let key = forgeguard(place, &["--data-dir", &data, "seal-key"]);
    std::fs::write(place.join("seal.pub"), &key.stdout).expect("a file");
    std::fs::write(place.join("bundle.zip"), &bundle).expect("a file");
    let signing_key = SealKey::read(&demo.server.data().join("seal.key")).expect("a key");
    demo.server.stop().await;

    let good = forgeguard(place, &["verify", "bundle.zip", "--key", "seal.pub"]);
    let branch = "forge/build-1";
    assert!(good.status.success(), "{}", output_text(&good));
    assert!(
        output_text(&good).starts_with(&format!("ok: CERTIFIED, {branch} at ")),
        "{}",
        output_text(&good)
    );
    let own = forgeguard(place, &["verify", "bundle.zip"]);
    assert!(
        own.status.success() && output_text(&own).contains("signed with key "),
        "{}",
        output_text(&own)
    );

    let missing = forgeguard(place, &["verify", "missing.zip"]);
    assert_eq!(missing.status.code(), Some(2), "{}", output_text(&missing));

    let (parts, again) = (parts(&bundle), parts(&again));
    assert_eq!(parts, again, "a bundle is the same each time");
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"contracts/physics.yaml") && names.len() == 18, "{names:?}");
    let branch_file = parts.iter().find(|(name, _)| name == "branch.bundle").expect("a branch");
    std::fs::write(place.join("branch.bundle"), &branch_file.1).expect("a file");
    git(place, &["clone", "-q", "-b", branch, "branch.bundle", "sources"]);
    assert!(place.join("sources/.git").exists());

    assert_signed_lies_are_named(place, &parts, &signing_key);
    let public_key = signing_key.public();

    // Flipped bits in every part, distributed over all of it.
    let mut flips = 0;
    for (name, bytes) in parts.iter().filter(|(name, _)| name != "README.txt") {
        let step = (bytes.len() / 12).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = parts.clone();
            let (_, bytes) = changed.iter_mut().find(|(other, _)| other == name).expect("it");
            bytes[at] ^= 1 << (at % 7);
            let found = problems(place, &changed, &public_key);
            assert!(found.iter().any(|what| what.starts_with(name)), "{name} at {at}: {found:?}");
            flips += 1;
        }
        let without: Parts = parts.iter().filter(|(other, _)| other != name).cloned().collect();
        let found = problems(place, &without, &public_key);
        assert!(found.iter().any(|what| what.starts_with(name)), "without {name}: {found:?}");
    }
    assert!(flips >= 200, "{flips}");
    // Events missing at the end leave a valid chain, but then the seal is missing.
    let mut shorter = parts.clone();
    let (_, journal) = shorter.iter_mut().find(|(name, _)| name == "journal.ndjson").expect("it");
    let end = journal[..journal.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines");
    journal.truncate(end + 1);
    let file = pack(place, &shorter).display().to_string();
    let found = forgeguard(place, &["verify", &file]);
    assert_eq!(found.status.code(), Some(1));
    assert!(
        output_text(&found).contains("does not end where the seal says"),
        "{}",
        output_text(&found)
    );
}

/// What the installation's own key signed is still compared with the rest of the bundle.
#[track_caller]
fn assert_signed_lies_are_named(place: &Path, parts: &Parts, key: &SealKey) {
    for (name, from, to, field) in [
        ("test-results.intoto.jsonl", "PASSED", "WARNED", "predicate.result"),
        ("verification-summary.intoto.jsonl", "PASSED", "FAILED", "predicate.verificationResult"),
        ("provenance.intoto.jsonl", "urn:forgeguard:build:v1", "urn:x", "buildType"),
    ] {
        let mut changed = parts.clone();
        let (_, bytes) = changed.iter_mut().find(|(other, _)| other == name).expect("it");
        let text = String::from_utf8(bytes.clone()).expect("text");
        let (line, rest) = text.split_once('\n').expect("a line");
        let envelope: Envelope = serde_json::from_str(line).expect("an envelope");
        let payload = envelope.open(|_, _| true).expect("a payload").expect("it is signed");
        let payload = String::from_utf8(payload).expect("text").replacen(from, to, 1);
        let key_id = key.public().id();
        let signed = Envelope::sign(payload.as_bytes(), key_id, |bytes| key.sign(bytes));
        let line = serde_json::to_string(&signed).expect("an envelope");
        *bytes = format!("{line}\n{rest}").into_bytes();
        let found = problems(place, &changed, &key.public());
        let [problem] = found.as_slice() else { panic!("{name}: {found:?}") };
        assert!(problem.starts_with(name) && problem.contains(field), "{problem}");
    }
}

/// A file of empty entries with these names, and one that expands to `zeros` bytes.
fn zip_of(names: impl IntoIterator<Item = String>, zeros: u64) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for name in names {
        zip.start_file(name, options).expect("a part");
    }
    zip.start_file("journal.ndjson", options.large_file(true)).expect("a part");
    for _ in 0..zeros / MIB {
        zip.write_all(&[0; MIB as usize]).expect("its bytes");
    }
    zip.finish().expect("a zip file").into_inner()
}

#[test]
fn zip_bombs_are_rejected_in_bounded_memory() {
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a folder");
    let long_names = (0..20).map(|at| format!("{at}{}", "a".repeat(60_000)));
    for (what, file, why) in [
        ("it expands a thousandfold", zip_of([], 256 * MIB), "it expands to more than"),
        ("many entries", zip_of((0..30_000).map(|at| at.to_string()), 0), "more than 64 entries"),
        ("long names", zip_of(long_names, 0), "more than 64 entries"),
        (
            "a path outside",
            zip_of(["../../seal.pub".to_owned()], 0),
            "an entry with an invalid name",
        ),
        ("no zip", vec![0; MIB as usize], "not a zip file"),
    ] {
        assert!(file.len() < 4 * MIB as usize, "{what}: {}", file.len());
        std::fs::write(folder.path().join("bomb.zip"), file).expect("a file");
        let mut command = Command::new("prlimit");
        command.args(["--data=268435456", "--fsize=67108864"]).arg(binary());
        let command = command.args(["verify", "bomb.zip"]).current_dir(folder.path());
        let output = command.env_remove("DATABASE_URL").output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
        assert!(output_text(&output).contains(why), "{what}: {output:?}");
    }
}

support::on_both! {
    async fn unsealed_build_cannot_be_exported(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let refused = ada.get(&format!("/api/builds/{build}/bundle")).await.problem(409);
        assert!(refused["detail"].as_str().unwrap().contains("not sealed"), "{refused}");
        instance.stop().await;
    }
}

#[tokio::test]
async fn soak_attestations_are_valid_for_in_toto_and_securesystemslib() {
    let mut demo = WatchedBuild::demo(&[("FORGEGUARD_DEMO_PACE", "0")]).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    let path = format!("/api/builds/{}/bundle", demo.build);
    let bundle = demo.server.stream(&path, "application/zip").await.bytes().await.expect("a file");
    demo.server.stop().await;
    let parts = parts(&bundle);
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python");
    assert!(packages.join("installed.txt").exists(), "run scripts/need-for-soak first");
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a folder");
    for (name, bytes) in parts.iter().filter(|(name, _)| !name.contains('/')) {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("attestations.py");
    let mut command = Command::new("python3");
    let command = command.env("PYTHONPATH", packages).arg(script).arg(folder.path());
    let output = command.output().expect("python3 runs");
    assert!(output.status.success(), "{output:?}");
    let printed = output_text(&output);
    let commit = printed.lines().next().and_then(|line| line.rsplit(" | ").next());
    let commit = commit.expect("a line");
    assert_eq!(commit.len(), 40, "{printed}");
    for expected in [
        "https://in-toto.io/attestation/test-result/v0.1 | PASSED ",
        "https://slsa.dev/verification_summary/v1 | PASSED FORGEGUARD_CERTIFIED",
        "https://slsa.dev/provenance/v1 | True",
    ] {
        let mut lines = printed.lines();
        let line = lines.find(|line| line.starts_with(expected));
        assert!(line.is_some_and(|line| line.ends_with(commit)), "{expected}: {printed}");
    }
}
