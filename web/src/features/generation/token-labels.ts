// Tokens sent during a contract generation, compared with including everything in every conversation.
import type { GeneratedContract, Generation } from "@/lib/api";
import { formatCount, plural } from "@/lib/format";

type Counted = Pick<GeneratedContract, "sent_tokens" | "pasted_tokens">;

export const totalOf = (contracts: Counted[]): Counted => ({
  sent_tokens: contracts.reduce((sum, { sent_tokens }) => sum + sent_tokens, 0),
  pasted_tokens: contracts.reduce((sum, { pasted_tokens }) => sum + pasted_tokens, 0),
});

/** `16%`; empty without a value to compare with. */
export function shareLabel({ sent_tokens, pasted_tokens }: Counted): string {
  if (pasted_tokens === 0) return "";
  const share = (100 * sent_tokens) / pasted_tokens;
  return share > 0 && share < 1 ? "less than 1%" : `${Math.round(share)}%`;
}

/** The whole generation in one sentence. */
export function totalLabel({ contracts }: Pick<Generation, "contracts">): string {
  const counted = contracts.filter(({ pasted_tokens }) => pasted_tokens > 0);
  const total = totalOf(counted);
  const what = plural(counted.length, "contract");
  const sent = formatCount(total.sent_tokens);
  const pasted = formatCount(total.pasted_tokens);
  const way =
    total.sent_tokens > total.pasted_tokens
      ? "more than with full inclusion"
      : `${shareLabel(total)} of full inclusion`;
  return `${what}: ${sent} tokens sent, ${way} (${pasted}).`;
}
