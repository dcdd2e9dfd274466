import { Text } from "@mantine/core";
import type { ReactNode } from "react";
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
  /** What else there is to see of each, in place of its findings. */
  marks?: Map<ContractType, ReactNode>;
}

/** The nine in their order, each a way to its text. */
export function ContractRows({
  projectId,
  contracts,
  editions,
  findings,
  marks,
}: ContractRowsProps) {
  return (
    <ol className={classes.list}>
      {contracts.map((contract, index) => {
        const found = findings?.get(contract.type) ?? 0;
        const mark =
          marks?.get(contract.type) ??
          (found > 0 && <ToneBadge tone="waiting">{plural(found, "finding")}</ToneBadge>);
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
              {mark && <span className={classes.mark}>{mark}</span>}
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
