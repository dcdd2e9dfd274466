// Gates that differ when a build is resumed, in words.
import type { Schemas } from "@/lib/api";

export type GateChange = Schemas["GateChange"];

export function gateChangeText({ gate, before, after }: GateChange): string {
  if (!after) return `${gate}: removed`;
  if (!before) return `${gate}: added, runs \`${after.command}\``;
  const parts = [
    before.command !== after.command &&
      `runs \`${after.command}\` instead of \`${before.command}\``,
    before.required !== after.required && (after.required ? "now required" : "no longer required"),
  ].filter(Boolean);
  return `${gate}: ${parts.join(", ") || "other settings"}`;
}

/** Whether a required gate is removed or no longer required. */
export const isRelaxed = ({ before, after }: GateChange) => !!before?.required && !after?.required;
