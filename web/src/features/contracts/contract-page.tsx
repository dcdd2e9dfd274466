import { Button, Skeleton, Stack } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { OwnerOnly } from "@/components/owner-only";
import { PageHead } from "@/components/page-head";
import { QueryView } from "@/components/query-view";
import type { ContractType, Project } from "@/lib/api";
import { CONTRACTS, contractName } from "@/lib/contract-names";
import { paths } from "@/lib/paths";
import { useMayChange } from "@/lib/project-role";
import { useTitle } from "@/lib/use-title";
import { useContract } from "./api";
import { ContractBody } from "./contract-body";
import { ContractEditor, type Editing } from "./contract-editor";
import { ContractFindings } from "./contract-findings";
import { ContractNav } from "./contract-nav";
import classes from "./contracts.module.css";

interface ContractPageProps {
  project: Project;
  type: ContractType;
  /** What can be done besides editing it. */
  actions: ReactNode;
  /** What is being done with it right now. */
  notice: ReactNode;
  /** What could be taken over into its text; null is while it is only read. */
  suggestions: (editing: Editing | null) => ReactNode;
}

/** One of the nine: to read, to look at, to edit, and how it came to be. */
export function ContractPage({ project, type, actions, notice, suggestions }: ContractPageProps) {
  const query = useContract(project.id, type);
  const [search] = useSearchParams();
  const name = contractName(type);
  const mayChange = useMayChange();
  const editing = mayChange && search.get("view") === "edit";
  useTitle(name, "Contracts", project.name);
  return (
    <>
      <PageHead
        back={{ to: paths.contracts(project.id), name: `Contracts of ${project.name}` }}
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
      </PageHead>
      <div className={classes.columns}>
        <ContractNav projectId={project.id} type={type} />
        <div className={classes.content}>
          {notice}
          <ContractFindings projectId={project.id} type={type} />
          <QueryView
            query={query}
            what="the contract"
            loading={<Skeleton height={480} radius="lg" />}
          >
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
        </div>
      </div>
    </>
  );
}
