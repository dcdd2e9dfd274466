import { expect, it } from "vitest";
import type { Schemas } from "@/lib/api";
import {
  complete,
  patternFault,
  permissionOptions,
  type Rule,
  verdictReason,
} from "./permission-labels";
import { validateSettings } from "./validate-settings";

const rule = (pattern: string, action: Rule["action"] = "ask"): Rule => ({
  permission: "bash",
  pattern,
  action,
});

type Part = Schemas["PermissionPart"];

const part = (subject: string, action: Rule["action"], certain = true): Part => ({
  subject,
  action,
  certain,
  layer: "project",
  rule: rule("rm *", action),
});

it("names the deciding rule", () => {
  const whole = part("rm -rf build", "ask");
  expect(
    verdictReason({ action: "ask", layer: "project", rule: rule("rm *"), parts: [whole] }),
  ).toBe("A project rule applies: run commands, `rm *`, ask me first.");
});

it("names the deciding command and mentions uncertainty", () => {
  const parts = [part("ls; rm $X", "allow"), part("ls", "allow"), part("rm …", "deny", false)];
  const reason = verdictReason({
    action: "deny",
    layer: "built_in",
    rule: rule("rm *", "deny"),
    parts,
  });
  expect(reason).toContain("A built-in rule applies");
  expect(reason).toContain("concerns `rm …` in the line");
  expect(reason).toContain("only known when it runs");
});

it("says so if no rule matches", () => {
  expect(verdictReason({ action: "ask", layer: null, rule: null, parts: [] })).toContain(
    "No rule matches",
  );
});

it("offers the permissions of projects, plus the current value", () => {
  const values = (current: Rule["permission"]) => permissionOptions(current).map((o) => o.value);
  expect(values("bash")).toEqual(["read", "edit", "bash", "mcp"]);
  expect(values("doom_loop")).toContain("doom_loop");
});

it("sends only complete rules and validates patterns", () => {
  expect(complete([rule("git *"), rule(" ")])).toEqual([rule("git *")]);
  expect(patternFault("é".repeat(500))).toBeNull();
  expect(patternFault("x".repeat(501))).not.toBeNull();
  const errors = validateSettings({ permissions: [rule("git *"), rule("")] });
  expect(Object.keys(errors)).toEqual(["permissions.1.pattern"]);
});
