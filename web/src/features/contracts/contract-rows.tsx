import { Box, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { LinkRow } from "@/components/link-row";
import { ToneBadge } from "@/components/tone-badge";
import { CONTRACTS, contractEdition, contractName, isWritten } from "@/domain/contract-names";
import type { ContractSummary, ContractType } from "@/lib/api";
import { formatCompact, plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./contract-rows.module.css";

interface ContractRowsProps {
  projectId: string;
  contracts: ContractSummary[];
  /** The origins of the current versions. */
  editions?: Map<ContractType, string>;
  /** The number of findings by contract. */
  findings?: Map<ContractType, number>;
  /** Content shown instead of the findings. */
  marks?: Map<ContractType, ReactNode>;
}

/** The contracts in order, each linked. */
export function ContractRows({
  projectId,
  contracts,
  editions,
  findings,
  marks,
}: ContractRowsProps) {
  return (
    <Box component="ol" mx={-8} mb={-8} className="plain-list">
      {contracts.map((contract, index) => {
        const found = findings?.get(contract.type) ?? 0;
        const open =
          contract.gap_count > 0 ? plural(contract.gap_count, "gap") : plural(found, "finding");
        const mark =
          marks?.get(contract.type) ??
          (contract.gap_count + found > 0 && <ToneBadge tone="waiting">{open}</ToneBadge>);
        return (
          <li key={contract.type}>
            <LinkRow
              to={paths.contract(projectId, contract.type)}
              gap="sm"
              wrap="nowrap"
              py={7}
              className={classes.item}
            >
              <Text span fz="xs" c="dimmed" w={20} ta="right" className="tabular">
                {index + 1}
              </Text>
              <Box component="span" flex={1} miw={0}>
                <Text span fz="sm" fw={550}>
                  {contractName(contract.type)}
                </Text>
                <Text span fz="xs" c="dimmed" truncate display="block">
                  {CONTRACTS[contract.type]?.about}
                </Text>
              </Box>
              {mark && <span className={classes.mark}>{mark}</span>}
              <Text span fz="xs" c="dimmed" flex="none" lh="1.35" ta="right">
                {isWritten(contract) ? (
                  <>
                    {editions?.get(contract.type) ?? contractEdition(contract)}
                    <br />
                    {formatCompact(contract.tokens)} tokens
                  </>
                ) : (
                  "Not written yet"
                )}
              </Text>
            </LinkRow>
          </li>
        );
      })}
    </Box>
  );
}
