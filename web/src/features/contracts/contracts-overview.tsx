import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { PageHead } from "@/components/page-head";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import type { ContractSummary, ContractType, Project } from "@/lib/api";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";
import { useContracts, useFindings, useOrigins } from "./api";
import { ContractRows } from "./contract-rows";
import classes from "./contracts.module.css";
import { editionWords } from "./edition-words";
import { ExportButton } from "./export-button";
import { findingCounts } from "./findings-by-contract";
import { FindingsCard } from "./findings-card";
import { ImportButton } from "./import-button";

interface ContractsOverviewProps {
  project: Project;
  /** What is being done with them right now, for the tab's title. */
  doing: string | null;
  marks: Map<ContractType, ReactNode>;
  /** Above and below the nine. */
  top: ReactNode;
  bottom: ReactNode;
}

/** All nine, and in what they disagree. */
export function ContractsOverview({ project, doing, marks, top, bottom }: ContractsOverviewProps) {
  const query = useContracts(project.id);
  useTitle(doing, "Contracts", project.name);
  const contracts = query.data ?? [];
  const written = contracts.filter(({ source }) => source !== "template").length;
  return (
    <>
      <PageHead
        back={{ to: paths.project(project.id), name: project.name }}
        title="Contracts"
        about="The nine documents that every build is held to. A build keeps the ones it started with."
      >
        <OwnerOnly>
          <ImportButton projectId={project.id} contracts={contracts} />
        </OwnerOnly>
        <ExportButton projectId={project.id} disabled={written === 0} />
      </PageHead>
      <div className={classes.top}>{top}</div>
      <div className={classes.overview}>
        <SectionCard
          title="The nine"
          description={
            written === 9
              ? "In the order in which they are written."
              : written === 0
                ? "A neutral example stands in for each until it is written."
                : `${plural(written, "contract")} written. For the others a neutral example stands in.`
          }
        >
          <QueryView query={query} what="the contracts" loading={<Skeleton height={420} />}>
            {(contracts) => <Nine projectId={project.id} contracts={contracts} marks={marks} />}
          </QueryView>
        </SectionCard>
        <FindingsCard projectId={project.id} />
      </div>
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
      editions={new Map(contracts.map((one) => [one.type, editionWords(one, origins)]))}
      findings={findingCounts(findings)}
      marks={marks}
    />
  );
}
