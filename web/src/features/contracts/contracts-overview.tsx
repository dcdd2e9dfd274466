import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Columns } from "@/components/columns";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { isWritten } from "@/domain/contract-names";
import { usePageTitle } from "@/domain/use-page-title";
import type { ContractSummary, ContractType, Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { useContracts, useFindings, useOrigins } from "./api";
import { ContractRows } from "./contract-rows";
import classes from "./contracts.module.css";
import { DraftNotice } from "./draft-notice";
import { findingCounts } from "./findings/findings-by-contract";
import { FindingsCard } from "./findings/findings-card";
import { ExportButton } from "./transfer/export-button";
import { ImportButton } from "./transfer/import-button";
import { versionLabel } from "./version-labels";

interface ContractsOverviewProps {
  project: Project;
  /** The status of a running generation, for the document title. */
  doing: string | null;
  marks: Map<ContractType, ReactNode>;
  /** Shown above and below the list. */
  top: ReactNode;
  bottom: ReactNode;
}

/** All contracts, and the conflicts between them. */
export function ContractsOverview({ project, doing, marks, top, bottom }: ContractsOverviewProps) {
  const query = useContracts(project.id);
  usePageTitle(doing, "Contracts", project.name);
  const contracts = query.data ?? [];
  const written = contracts.filter(isWritten).length;
  return (
    <>
      <PageHeader
        title="Contracts"
        about="The nine documents that builds implement. A build uses the versions it started with."
      >
        <OwnerOnly>
          <ImportButton projectId={project.id} contracts={contracts} />
        </OwnerOnly>
        <ExportButton projectId={project.id} disabled={written === 0} />
      </PageHeader>
      <div className={classes.top}>{top}</div>
      <DraftNotice gaps={contracts.map(({ gap_count }) => gap_count)} />
      <Columns widths="minmax(0, 1.25fr) minmax(0, 1fr)" gap="md">
        <SectionCard
          title="All contracts"
          description={
            written === 9
              ? "In the order in which they are generated."
              : written === 0
                ? "Examples are used until the contracts are written."
                : `${plural(written, "contract")} written. Examples are used for the others.`
          }
        >
          <QueryView query={query} what="the contracts" loading={<Skeleton height={420} />}>
            {(contracts) => <Nine projectId={project.id} contracts={contracts} marks={marks} />}
          </QueryView>
        </SectionCard>
        <FindingsCard projectId={project.id} written={written} />
      </Columns>
      {bottom}
    </>
  );
}

interface NineProps {
  projectId: string;
  contracts: ContractSummary[];
  marks: Map<ContractType, ReactNode>;
}

function Nine({ projectId, contracts, marks }: NineProps) {
  const origins = useOrigins(projectId, contracts);
  const findings = useFindings(projectId).data ?? [];
  return (
    <ContractRows
      projectId={projectId}
      contracts={contracts}
      editions={new Map(contracts.map((one) => [one.type, versionLabel(one, origins)]))}
      findings={findingCounts(findings)}
      marks={marks}
    />
  );
}
