import { lazy, Suspense, useMemo } from "react";
import type { Contract } from "@/lib/api";
import { contractName } from "@/lib/contract-names";
import { Waiting } from "./waiting";

const CodeText = lazy(() => import("@/components/code/code-text"));

interface ContractTextProps {
  contract: Contract;
  /** Where the reader was sent. */
  line: number | null;
}

/** A contract as it is written, with the numbers of its lines. */
export function ContractText({ contract, line }: ContractTextProps) {
  const mark = useMemo(() => (line ? { line } : null), [line]);
  return (
    <Suspense fallback={<Waiting />}>
      <CodeText
        text={contract.content}
        format={contract.format}
        label={`${contractName(contract.type)} as ${contract.format}`}
        mark={mark}
      />
    </Suspense>
  );
}
