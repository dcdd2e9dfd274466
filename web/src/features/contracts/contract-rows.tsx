import { Text } from "@mantine/core";
import { Link } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import type { ContractSummary, ContractType } from "@/lib/api";
import { CONTRACTS, contractEdition, contractName } from "@/lib/contract-names";
import { formatCompact, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./contract-rows.module.css";

interface ContractRowsProps {
  projectId: string;
  contracts: ContractSummary[];
  /** Where the current texts come from, in words. */
  editions?: Map<ContractType, string>;
  /** How many findings begin in each. */
  findings?: Map<ContractType, number>;
}

/** The nine in their order, each a way to its text. */
export function ContractRows({ projectId, contracts, editions, findings }: ContractRowsProps) {
  return (
    <ol className={classes.list}>
      {contracts.map((contract, index) => {
        const found = findings?.get(contract.type) ?? 0;
        return (
          <li key={contract.type}>
            <Link to={paths.contract(projectId, contract.type)} className={classes.item}>
              <span className={classes.number}>{index + 1}</span>
              <span className={classes.text}>
                <Text span fz="sm" fw={550}>
                  {contractName(contract.type)}
                </Text>
                <Text span fz="xs" c="dimmed" truncate display="block">
                  {CONTRACTS[contract.type]?.about}
                </Text>
              </span>
              {found > 0 && (
                <span className={classes.findings}>
                  <ToneBadge tone="waiting">{plural(found, "finding")}</ToneBadge>
                </span>
              )}
              <Text span fz="xs" c="dimmed" className={classes.meta}>
                {editions?.get(contract.type) ?? contractEdition(contract)}
                <br />
                {formatCompact(contract.tokens)} tokens
              </Text>
            </Link>
          </li>
        );
      })}
    </ol>
  );
}
