import { Button } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import type { Contract } from "@/lib/api";
import { useVersions } from "./api";
import { Comparison } from "./comparison";
import classes from "./history.module.css";
import { Restored, type Restoring } from "./restored";
import { VersionRow } from "./version-row";

interface HistoryProps {
  projectId: string;
  contract: Contract;
}

/** How a contract came to be: its versions, and what changed between any two. */
export function History({ projectId, contract }: HistoryProps) {
  const query = useVersions(projectId, contract.type);
  const [pair, setPair] = useState<{ from: number; to: number } | null>(null);
  const [restoring, setRestoring] = useState<Restoring | null>(null);
  const restored = (next: Restoring) => {
    setRestoring(next);
    // What has changed last is what somebody wants to see next.
    setPair(null);
  };
  return (
    <QueryView query={query} what="the history">
      {({ pages }) => {
        const versions = pages.flatMap(({ items }) => items);
        const newest = versions[0]?.version;
        if (newest === undefined) {
          return (
            <EmptyState icon={<IconHistory size={22} />} title="No versions yet">
              The example stands in until somebody writes this contract.
            </EmptyState>
          );
        }
        return (
          <>
            <div role="status">
              {restoring && (
                <Restored
                  projectId={projectId}
                  type={contract.type}
                  restoring={restoring}
                  onUndone={restored}
                />
              )}
            </div>
            <ol className={classes.versions} aria-label="Versions">
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
            {query.hasNextPage && (
              <Button
                variant="default"
                size="xs"
                mt="sm"
                loading={query.isFetchingNextPage}
                onClick={() => query.fetchNextPage()}
              >
                Older versions
              </Button>
            )}
            <Comparison
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
