import { expect, it } from "vitest";
import type { Schemas } from "@/lib/api";
import {
  complete,
  patternFault,
  permissionOptions,
  type Rule,
  verdictReason,
} from "./permission-words";
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

it("says which rule decides", () => {
  const whole = part("rm -rf build", "ask");
  expect(
    verdictReason({ action: "ask", layer: "project", rule: rule("rm *"), parts: [whole] }),
  ).toBe("A rule of this project says so: run commands, `rm *`, ask me first.");
});

it("says which command of a line it is about, and what is not certain", () => {
  const parts = [part("ls; rm $X", "allow"), part("ls", "allow"), part("rm …", "deny", false)];
  const reason = verdictReason({
    action: "deny",
    layer: "built_in",
    rule: rule("rm *", "deny"),
    parts,
  });
  expect(reason).toContain("A built-in rule says so");
  expect(reason).toContain("about `rm …` in the line");
  expect(reason).toContain("known only when it runs");
});

it("says so where no rule fits", () => {
  expect(verdictReason({ action: "ask", layer: null, rule: null, parts: [] })).toContain(
    "No rule fits",
  );
});

it("offers what a project decides, and what is set already", () => {
  const values = (current: Rule["permission"]) => permissionOptions(current).map((o) => o.value);
  expect(values("bash")).toEqual(["read", "edit", "bash", "mcp"]);
  expect(values("doom_loop")).toContain("doom_loop");
});

it("sends only rules that are complete, and names those that are not", () => {
  expect(complete([rule("git *"), rule(" ")])).toEqual([rule("git *")]);
  expect(patternFault("é".repeat(500))).toBeNull();
  expect(patternFault("x".repeat(501))).not.toBeNull();
  const errors = validateSettings({ permissions: [rule("git *"), rule("")] });
  expect(Object.keys(errors)).toEqual(["permissions.1.pattern"]);
});
