import { lazy, Suspense, useMemo } from "react";
import { CenteredLoader } from "@/components/centered-loader";
import { contractName } from "@/domain/contract-names";
import type { Contract } from "@/lib/api";

const CodeText = lazy(() => import("@/components/code/code-text"));

interface ContractTextProps {
  contract: Contract;
  /** The line in the address. */
  line: number | null;
}

/** A contract as source text with line numbers. */
export function ContractText({ contract, line }: ContractTextProps) {
  const mark = useMemo(() => (line ? { line } : null), [line]);
  return (
    <Suspense fallback={<CenteredLoader />}>
      <CodeText
        text={contract.content}
        format={contract.format}
        label={`${contractName(contract.type)} as ${contract.format}`}
        mark={mark}
      />
    </Suspense>
  );
}
