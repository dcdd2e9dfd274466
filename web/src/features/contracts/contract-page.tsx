import { Box, Button, Skeleton, Stack } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { Columns } from "@/components/columns";
import { OwnerOnly } from "@/components/owner-only";
import { PageHeader } from "@/components/page-header";
import { QueryView } from "@/components/query-view";
import { CONTRACTS, contractName } from "@/domain/contract-names";
import { useCanEdit } from "@/domain/project-access";
import { usePageTitle } from "@/domain/use-page-title";
import type { ContractType, Project } from "@/lib/api";
import { paths } from "@/lib/paths";
import { useContract } from "./api";
import { ContractBody } from "./contract-body";
import { ContractNav } from "./contract-nav";
import { DraftNotice } from "./draft-notice";
import { ContractEditor, type Editing } from "./editor/contract-editor";
import { ContractFindings } from "./findings/contract-findings";

interface ContractPageProps {
  project: Project;
  type: ContractType;
  /** Further actions besides editing. */
  actions: ReactNode;
  /** The status of a running generation. */
  notice: ReactNode;
  /** Suggestions to insert into the text; null while it is only read. */
  suggestions: (editing: Editing | null) => ReactNode;
}

/** One contract: its text, diagram, history and editor. */
export function ContractPage({ project, type, actions, notice, suggestions }: ContractPageProps) {
  const query = useContract(project.id, type);
  const [search] = useSearchParams();
  const name = contractName(type);
  const mayChange = useCanEdit();
  const editing = mayChange && search.get("view") === "edit";
  usePageTitle(name, "Contracts", project.name);
  return (
    <>
      <PageHeader
        back={{ to: paths.contracts(project.id), name: "All contracts" }}
        title={name}
        about={CONTRACTS[type]?.about ?? ""}
      >
        {!editing && (
          <OwnerOnly>
            {actions}
            <Button
              component={Link}
              to={paths.contract(project.id, type, "edit")}
              leftSection={<IconPencil size={16} aria-hidden />}
            >
              Edit
            </Button>
          </OwnerOnly>
        )}
      </PageHeader>
      <Columns widths="12.5rem minmax(0, 1fr)">
        <ContractNav projectId={project.id} type={type} />
        <Box miw={0}>
          {notice}
          {query.data && <DraftNotice gaps={[query.data.gap_count]} />}
          <ContractFindings projectId={project.id} type={type} />
          <QueryView query={query} what="contract" loading={<Skeleton height={480} radius="lg" />}>
            {(contract) =>
              editing ? (
                <ContractEditor
                  projectId={project.id}
                  contract={contract}
                  suggestions={suggestions}
                />
              ) : (
                <Stack gap="md">
                  <ContractBody projectId={project.id} contract={contract} />
                  {suggestions(null)}
                </Stack>
              )
            }
          </QueryView>
        </Box>
      </Columns>
    </>
  );
}
