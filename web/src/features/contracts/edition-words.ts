// Where the current text of a contract comes from, in words.
import type { ContractSummary, ContractType } from "@/lib/api";

/** What no model has written is never taken for it. */
export const originWords = (origin: string): string =>
  origin === "draft" ? "offline draft" : origin;

/** `origins` says how the current version came to be, where that is known yet. */
export function editionWords(
  { version, source, type }: Pick<ContractSummary, "version" | "source" | "type">,
  origins: Map<ContractType, string | null>,
): string {
  if (source === "template") return "not written yet: example";
  const origin = origins.get(type);
  return origin ? `v${version} · ${originWords(origin)}` : `v${version}`;
}
