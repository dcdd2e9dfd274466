"""Rust: tests that fail, by cargo's own runner and by nextest."""

from case import Case

NEEDS = ["cargo", "cargo-nextest"]
MANIFEST = '[package]\nname = "shelf"\nversion = "0.1.0"\nedition = "2021"\n'
TEST = "cargo test --offline --quiet"
LOUD = "cargo test --offline"
NEXT = "cargo nextest run --offline --no-fail-fast"

ADDS = """
    #[test]
    fn adds() {
        assert_eq!(super::price(2), 30);
    }
"""
SUBTRACTS = """
    #[test]
    fn subtracts() {
        assert!(super::price(1) < 5, "too dear");
    }
"""
UNWRAPS = """
    #[test]
    fn unwraps() {
        let none: Option<u8> = "".bytes().next();
        none.unwrap();
    }
"""
RESULT = """
    #[test]
    fn parses() -> Result<(), std::num::ParseIntError> {
        "seven".parse::<u32>()?;
        Ok(())
    }
"""
SHOULD_PANIC = """
    #[test]
    #[should_panic]
    fn refuses() {
        super::price(1);
    }
"""
WRONG_PANIC = """
    #[test]
    #[should_panic(expected = "empty")]
    fn refuses_empty() {
        panic!("full");
    }
"""
EXPECTS = """
    #[test]
    fn opens() {
        std::fs::read("shelf.txt").expect("the shelf opens");
    }
"""
PASSES = """
    #[test]
    fn passes() {}
"""


def source(*tests, price=10, before=""):
    return (
        f"{before}pub fn price(count: u32) -> u32 {{\n    count * {price}\n}}\n\n"
        f"#[cfg(test)]\nmod tests {{{''.join(tests)}}}\n"
    )


def library(name, text, run=TEST, **more):
    return Case(name, run, {"Cargo.toml": MANIFEST, "src/lib.rs": text, **more})


def cases():
    yield library("adds", source(ADDS, PASSES))
    yield library("adds-moved", source(PASSES, ADDS, before="// one\n// two\n"))
    yield library("adds-other-number", source(ADDS, PASSES, price=11))
    yield library("adds-loud", source(ADDS, PASSES), LOUD)
    yield library("adds-one-thread", source(ADDS, PASSES), LOUD + " -- --test-threads 1")
    yield library("adds-tty", source(ADDS, PASSES), LOUD).called("adds-tty", tty=True)
    yield library("adds-backtrace", source(ADDS), TEST).called("adds-backtrace", env={"RUST_BACKTRACE": "1"})
    yield library("two", source(ADDS, SUBTRACTS, PASSES))
    yield library("two-turned", source(SUBTRACTS, PASSES, ADDS))
    yield library("two-one-fixed", source(ADDS, SUBTRACTS, PASSES, price=15))
    yield library("subtracts", source(SUBTRACTS))
    yield library("unwraps", source(UNWRAPS))
    yield library("result", source(RESULT))
    yield library("should-panic", source(SHOULD_PANIC))
    yield library("wrong-panic", source(WRONG_PANIC))
    yield library("expects", source(EXPECTS))
    yield library("all", source(ADDS, SUBTRACTS, UNWRAPS, RESULT, SHOULD_PANIC, WRONG_PANIC, EXPECTS, PASSES))
    other = "#[test]\nfn adds() {\n    assert_eq!(shelf::price(2), 30);\n}\n"
    yield library("integration", source(PASSES), **{"tests/prices.rs": other})
    yield library("integration-two-files", source(PASSES), LOUD + " --no-fail-fast",
                  **{"tests/prices.rs": other, "tests/sales.rs": other})
    documented = "/// ```\n/// assert_eq!(shelf::price(2), 30);\n/// ```\n"
    yield library("doc", documented + source(PASSES))
    yield library("doc-moved", "//! One.\n//! Two.\n\n" + documented + source(PASSES))
    yield library("doc-broken", "/// ```\n/// shelf::cost(2);\n/// ```\n" + source(PASSES))
    yield library("printed", source("""
    #[test]
    fn prints() {
        println!("error: this is only what the test prints");
        eprintln!("thread 'main' looks fine");
        assert_eq!(1, 2, "after printing");
    }
"""))
    yield library("helper", source("""
    fn check(count: u32) {
        assert_eq!(super::price(count), 0);
    }

    #[test]
    fn one() {
        check(1);
    }

    #[test]
    fn two() {
        check(2);
    }
"""))
    yield library("overflow", source("""
    #[test]
    fn overflows() {
        let big = u32::MAX - super::price(0);
        assert!(super::price(big) > 0);
    }
"""))
    yield library("stack", source("""
    fn deeper(n: u64) -> u64 {
        let big = [n; 1000];
        if n == 0 { 0 } else { deeper(n + 1) + big[(n % 1000) as usize] }
    }

    #[test]
    fn goes_deep() {
        assert_eq!(deeper(1), 0);
    }
"""))
    yield library("aborts", source("""
    #[test]
    fn aborts() {
        std::process::abort();
    }
"""))
    yield library("threads", source("""
    #[test]
    fn joins() {
        std::thread::Builder::new().name("writer".into()).spawn(|| panic!("no room")).unwrap().join().unwrap();
    }
"""))
    yield library("no-such-test-target", source(PASSES), TEST + " --test nothing")
    yield library("next-adds", source(ADDS, PASSES), NEXT)
    yield library("next-adds-moved", source(PASSES, ADDS, before="// one\n"), NEXT)
    yield library("next-all", source(ADDS, SUBTRACTS, UNWRAPS, RESULT, SHOULD_PANIC, PASSES), NEXT)
    yield library("next-coloured", source(ADDS, SUBTRACTS), NEXT + " --color always")
    yield library("next-aborts", source("""
    #[test]
    fn aborts() {
        std::process::abort();
    }
"""), NEXT)
    slow = source("""
    #[test]
    fn never_ends() {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
""")
    config = '[profile.default]\nslow-timeout = { period = "1s", terminate-after = 1 }\n'
    yield library("next-timeout", slow, NEXT, **{".config/nextest.toml": config})
    yield library("next-none", "pub fn nothing() {}\n", NEXT)
