import type { Schemas } from "@/lib/api";

export type BlockReason = Schemas["BlockReason"];

const LIMITS: readonly BlockReason[] = ["iterations", "minutes", "tokens", "usd"];

/** Whether a larger budget resolves the block. */
export const isLimit = (reason: BlockReason | null | undefined) =>
  !!reason && LIMITS.includes(reason);
