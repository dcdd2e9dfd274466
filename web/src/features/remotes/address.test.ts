import { expect, it } from "vitest";
import { hostOf, isSsh, tokenScopes } from "./address";

it("recognises hosts and SSH", () => {
  const cases: [string, string, boolean][] = [
    ["https://github.com/a/b.git", "github.com", false],
    ["http://127.0.0.1:8080/a", "127.0.0.1:8080", false],
    ["git@git.example.org:a/b.git", "git.example.org", true],
    ["ssh://git@git.example.org:2222/a/b", "git.example.org:2222", true],
    ["git.example.org/a", "", false],
    ["", "", false],
  ];
  for (const [address, host, ssh] of cases) {
    expect(hostOf(address), address).toBe(host);
    expect(isSsh(address), address).toBe(ssh);
  }
});

it("names the scopes of each server", () => {
  expect(tokenScopes("github.com")).toContain("Contents");
  expect(tokenScopes("gitlab.example.org")).toContain("read_repository");
  expect(tokenScopes("codeberg.org")).toContain("repository: read");
});
