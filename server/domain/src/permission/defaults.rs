//! The rules that hold where neither installation nor project says otherwise.

use std::sync::LazyLock;

use super::rule::{Action, Permission, Rule};
use Action::{Allow, Ask, Deny};
use Permission::{Bash, DoomLoop, Edit, ExternalDirectory, Mcp, Read};

const TABLE: [(Permission, &str, Action); 37] = [
    (Read, "*", Allow),
    // Secrets. Examples of them may be read.
    (Read, "*.env", Deny),
    (Read, "*.env.*", Deny),
    (Read, "*.env.example", Allow),
    (Read, "*.env.sample", Allow),
    (Read, "*.env.template", Allow),
    (Read, "*.pem", Deny),
    (Read, "*.p12", Deny),
    (Read, "*.pfx", Deny),
    (Read, "*id_rsa*", Deny),
    (Read, "*id_ed25519*", Deny),
    (Read, "*id_ecdsa*", Deny),
    (Edit, "*", Allow),
    (Edit, "*.pem", Deny),
    (Edit, "*id_rsa*", Deny),
    (Edit, "*id_ed25519*", Deny),
    (Edit, ".git/*", Deny),
    // Skills and the like: what later agents are told to do is for a person to decide.
    (Edit, ".forge/*", Ask),
    (Bash, "*", Allow),
    // Rights that no build needs.
    (Bash, "sudo *", Deny),
    (Bash, "doas *", Deny),
    (Bash, "su *", Deny),
    // Only ForgeGuard moves branches.
    (Bash, "git push*", Deny),
    (Bash, "git -C * push*", Deny),
    (Bash, "git config --global*", Deny),
    // Whatever lies outside of the project's folder.
    (Bash, "rm -rf /*", Deny),
    (Bash, "rm -fr /*", Deny),
    (Bash, "rm -r /*", Deny),
    (Bash, "rm -r -f /*", Deny),
    (Bash, "rm -rf ~*", Deny),
    (Bash, "mkfs*", Deny),
    (Bash, "dd * of=/dev/*", Deny),
    (Bash, "shutdown*", Deny),
    (Bash, "reboot*", Deny),
    (Mcp, "*", Allow),
    (ExternalDirectory, "*", Deny),
    // Deny is what happens: a run that repeats itself blocks its build until a person looks.
    (DoomLoop, "*", Deny),
];

/// The built-in rules, in the order in which they count.
pub fn built_in() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let rule = |(permission, pattern, action): (Permission, &str, Action)| Rule {
            permission,
            pattern: pattern.to_owned(),
            action,
        };
        TABLE.into_iter().map(rule).collect()
    });
    &RULES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permission_has_a_rule_for_everything() {
        for permission in Permission::ALL {
            let first = built_in().iter().find(|rule| rule.permission == permission).unwrap();
            assert_eq!(first.pattern, "*", "{permission:?}");
        }
        assert!(built_in().iter().all(|rule| rule.validate().is_ok()));
    }
}
