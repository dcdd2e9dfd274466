import { Skeleton } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import type { ContractType, Project } from "@/lib/api";
import { CONTRACTS, contractName } from "@/lib/contract-names";
import { paths } from "@/lib/paths";
import { useTitle } from "@/lib/use-title";
import { useContract } from "./api";
import { ContractBody } from "./contract-body";
import { ContractFindings } from "./contract-findings";
import { ContractNav } from "./contract-nav";
import classes from "./contracts.module.css";
import { ContractsHead } from "./contracts-head";

interface ContractPageProps {
  project: Project;
  type: ContractType;
}

/** One of the nine: to read, to look at, to edit, and how it came to be. */
export function ContractPage({ project, type }: ContractPageProps) {
  const query = useContract(project.id, type);
  const name = contractName(type);
  useTitle(name, "Contracts", project.name);
  return (
    <>
      <ContractsHead
        back={{ to: paths.contracts(project.id), name: `Contracts of ${project.name}` }}
        title={name}
        about={CONTRACTS[type]?.about ?? ""}
      />
      <div className={classes.columns}>
        <ContractNav projectId={project.id} type={type} />
        <div className={classes.content}>
          <ContractFindings projectId={project.id} type={type} />
          <QueryView
            query={query}
            what="the contract"
            loading={<Skeleton height={480} radius="lg" />}
          >
            {(contract) => <ContractBody projectId={project.id} contract={contract} />}
          </QueryView>
        </div>
      </div>
    </>
  );
}
