// Syntax highlighting of a diff. The diff is shown without it until it is computed.
import { useEffect, useState } from "react";
import type { FileDiff } from "@/lib/api";
import type { TokensOf } from "./highlight-diff";
import { parserFor } from "./languages";

const NONE: TokensOf = () => [];

export function useHighlighting(diff: FileDiff): TokensOf {
  const [tokensOf, setTokensOf] = useState<TokensOf>(() => NONE);
  useEffect(() => {
    const cancelling = new AbortController();
    async function highlight() {
      const parser = parserFor(diff.path);
      if (!parser) return;
      const { highlightDiff } = await import("./highlight-diff");
      const highlighted = await highlightDiff(diff, await parser, cancelling.signal);
      if (highlighted && !cancelling.signal.aborted) setTokensOf(() => highlighted);
    }
    // The diff is shown without highlighting if the network or a parser fails.
    highlight().catch(() => {});
    return () => cancelling.abort();
  }, [diff]);
  return tokensOf;
}
