// Syntax highlighting of a diff. The diff is shown without it until it is computed.
import { useEffect, useState } from "react";
import type { FileDiff } from "@/lib/api";
import type { TokensOf } from "./highlight-diff";
import { parserFor } from "./languages";
import type { WholeText } from "./whole-text";

const NONE: TokensOf = () => [];

/** Highlights the whole file if it is known, and otherwise its hunks. */
export function useHighlighting(
  diff: FileDiff | undefined,
  whole: WholeText | null = null,
): TokensOf {
  const [tokensOf, setTokensOf] = useState<TokensOf>(() => NONE);
  useEffect(() => {
    const cancelling = new AbortController();
    async function highlight() {
      const parser = diff && parserFor(diff.path);
      if (!parser) return;
      const { highlightDiff, highlightWhole, isHighlightable } = await import("./highlight-diff");
      const { signal } = cancelling;
      const highlighted =
        whole && isHighlightable(whole)
          ? await highlightWhole(whole, await parser, signal)
          : await highlightDiff(diff, await parser, signal);
      if (highlighted && !signal.aborted) setTokensOf(() => highlighted);
    }
    // The diff is shown without highlighting if the network or a parser fails.
    highlight().catch(() => {});
    return () => cancelling.abort();
  }, [diff, whole]);
  return tokensOf;
}
