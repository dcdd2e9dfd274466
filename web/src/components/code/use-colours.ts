// The colours of a diff, once they are known; until then it is read without.
import { useEffect, useState } from "react";
import type { FileDiff } from "@/lib/api";
import type { TokensOf } from "./colour-diff";
import { parserFor } from "./languages";

const NONE: TokensOf = () => [];

export function useColours(diff: FileDiff): TokensOf {
  const [tokensOf, setTokensOf] = useState<TokensOf>(() => NONE);
  useEffect(() => {
    const leaving = new AbortController();
    async function colour() {
      const parser = parserFor(diff.path);
      if (!parser) return;
      const { colourDiff } = await import("./colour-diff");
      const colours = await colourDiff(diff, await parser, leaving.signal);
      if (colours && !leaving.signal.aborted) setTokensOf(() => colours);
    }
    // Colours are a help: a diff is shown without them when the network or a parser fails.
    colour().catch(() => {});
    return () => leaving.abort();
  }, [diff]);
  return tokensOf;
}
