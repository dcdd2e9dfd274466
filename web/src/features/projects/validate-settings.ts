// Validates settings as the server does.
import type { ProjectSettings } from "@/lib/api";
import { patternFault } from "./permission-labels";

const BUILT_IN = ["validate", "scope"];

export function validateSettings({
  gates = [],
  permissions = [],
  max_concurrent_builds: concurrent = 1,
}: ProjectSettings): Record<string, string> {
  const errors: Record<string, string> = {};
  gates.forEach((gate, index) => {
    const at = `gates.${index}`;
    if (!/^[a-z0-9-]{1,40}$/.test(gate.name))
      errors[`${at}.name`] = "Use lowercase letters, digits and hyphens";
    else if (BUILT_IN.includes(gate.name))
      errors[`${at}.name`] = "This name is used by a built-in gate";
    else if (gates.findIndex((other) => other.name === gate.name) !== index)
      errors[`${at}.name`] = "Duplicate name";
    if (!gate.command.trim()) errors[`${at}.command`] = "Enter a command";
    if (gate.timeout_s < 1 || gate.timeout_s > 3600)
      errors[`${at}.timeout_s`] = "Enter a number from 1 to 3,600";
    if (gate.report && /^\/|\\|(^|\/)(\.{0,2}|\.git)(\/|$)/i.test(gate.report))
      errors[`${at}.report`] = "Enter a path in the project, such as report.xml";
  });
  // An empty field is a text.
  if (!(Number.isInteger(concurrent) && concurrent >= 1 && concurrent <= 10))
    errors.max_concurrent_builds = "Enter a number from 1 to 10";
  permissions.forEach(({ pattern }, index) => {
    const fault = patternFault(pattern);
    if (fault) errors[`permissions.${index}.pattern`] = fault;
  });
  return errors;
}
