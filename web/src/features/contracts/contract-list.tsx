import { Anchor, Group, Skeleton } from "@mantine/core";
import { Link } from "react-router";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { paths } from "@/lib/paths";
import { useContracts } from "./api";
import { ContractRows } from "./contract-rows";

/** The contracts on the project's page. */
export function ContractList({ projectId }: { projectId: string }) {
  const query = useContracts(projectId);
  return (
    <SectionCard
      title="Contracts"
      description="The nine documents that builds implement."
      action={
        <Group gap="sm">
          <Anchor component={Link} to={paths.requirements(projectId)} fz="sm">
            Requirements
          </Anchor>
          <Anchor component={Link} to={paths.contracts(projectId)} fz="sm">
            All contracts
          </Anchor>
        </Group>
      }
    >
      <QueryView query={query} what="contracts" loading={<Skeleton height={300} />}>
        {(contracts) => <ContractRows projectId={projectId} contracts={contracts} />}
      </QueryView>
    </SectionCard>
  );
}
