import { Skeleton, Text } from "@mantine/core";
import { IconFileText } from "@tabler/icons-react";
import { Link } from "react-router";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { CONTRACTS, contractEdition, contractName } from "@/lib/contract-names";
import { formatCompact } from "@/lib/format";
import { paths } from "@/lib/paths";
import { useContracts } from "./api";
import classes from "./contract-list.module.css";

export function ContractList({ projectId }: { projectId: string }) {
  const query = useContracts(projectId);
  return (
    <SectionCard title="Contracts" description="The nine documents that every build is held to.">
      <QueryView query={query} what="the contracts" loading={<Skeleton height={300} />}>
        {(contracts) =>
          contracts.length === 0 ? (
            <EmptyState icon={<IconFileText size={22} />} title="No contracts yet" order={3}>
              A build reads its contracts before it writes a line.
            </EmptyState>
          ) : (
            <ol className={classes.list}>
              {contracts.map((contract, index) => (
                <li key={contract.type}>
                  <Link
                    to={paths.contract(projectId, contract.type)}
                    className={classes.item}
                    preventScrollReset
                  >
                    <span className={classes.number}>{index + 1}</span>
                    <span className={classes.text}>
                      <Text span fz="sm" fw={550}>
                        {contractName(contract.type)}
                      </Text>
                      <Text span fz="xs" c="dimmed" truncate display="block">
                        {CONTRACTS[contract.type]?.about}
                      </Text>
                    </span>
                    <Text span fz="xs" c="dimmed" className={classes.meta}>
                      {contractEdition(contract)}
                      <br />
                      {formatCompact(contract.tokens)} tokens
                    </Text>
                  </Link>
                </li>
              ))}
            </ol>
          )
        }
      </QueryView>
    </SectionCard>
  );
}
