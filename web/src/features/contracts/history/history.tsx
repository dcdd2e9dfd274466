import { IconHistory } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { ShowMore } from "@/components/show-more";
import type { Contract } from "@/lib/api";
import { useVersions } from "../api";
import { RestoreVersion, type Restoring } from "./restore-version";
import { VersionDiff } from "./version-diff";
import { VersionRow } from "./version-row";

interface HistoryProps {
  projectId: string;
  contract: Contract;
}

/** The versions of a contract, and the differences between any two. */
export function History({ projectId, contract }: HistoryProps) {
  const query = useVersions(projectId, contract.type);
  const [pair, setPair] = useState<{ from: number; to: number } | null>(null);
  const [restoring, setRestoring] = useState<Restoring | null>(null);
  const restored = (next: Restoring) => {
    setRestoring(next);
    // The latest change by default.
    setPair(null);
  };
  return (
    <QueryView query={query} what="history">
      {({ pages }) => {
        const versions = pages.flatMap(({ items }) => items);
        const newest = versions[0]?.version;
        if (newest === undefined) {
          return (
            <EmptyState icon={<IconHistory size={22} />} title="No versions yet">
              The example is used until this contract is written.
            </EmptyState>
          );
        }
        return (
          <>
            <div role="status">
              {restoring && (
                <RestoreVersion
                  projectId={projectId}
                  type={contract.type}
                  restoring={restoring}
                  onUndone={restored}
                />
              )}
            </div>
            <ol className="plain-list lined" aria-label="Versions">
              {versions.map((version) => (
                <VersionRow
                  key={version.version}
                  projectId={projectId}
                  type={contract.type}
                  version={version}
                  newest={newest}
                  onCompare={() => setPair({ from: version.version - 1, to: version.version })}
                  onRestored={restored}
                />
              ))}
            </ol>
            <ShowMore query={query} shown={versions.length} total={newest} />
            <VersionDiff
              projectId={projectId}
              type={contract.type}
              newest={newest}
              pair={pair ?? { from: newest - 1, to: newest }}
              onChoose={setPair}
            />
          </>
        );
      }}
    </QueryView>
  );
}
