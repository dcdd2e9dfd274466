// Labels of a contract's version and origin.
import type { ContractSummary, ContractType } from "@/lib/api";

/** Contracts are labelled as generated only if a model wrote them. */
export const originLabel = (origin: string): string =>
  origin === "draft" ? "offline draft" : origin;

/** `origins` tells how the current version was created, if known. */
export function versionLabel(
  { version, source, type }: Pick<ContractSummary, "version" | "source" | "type">,
  origins: Map<ContractType, string | null>,
): string {
  if (source === "template") return "Not written yet";
  const origin = origins.get(type);
  return origin ? `v${version} · ${originLabel(origin)}` : `v${version}`;
}
