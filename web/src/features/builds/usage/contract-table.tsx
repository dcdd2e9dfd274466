import { Text } from "@mantine/core";
import { contractEdition, contractName } from "@/domain/contract-names";
import { roleName } from "@/domain/role-names";
import type { BuildUsage } from "@/lib/api";
import { formatCount } from "@/lib/format";
import classes from "./usage.module.css";

/** A row for each contract and role that read it. */
export function ContractTable({ contracts }: { contracts: BuildUsage["contracts"] }) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Contract</th>
          <th scope="col">Read by</th>
          <th scope="col" className={classes.number}>
            Times
          </th>
          <th scope="col" className={classes.number}>
            Tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {contracts.map((read) => (
          <tr key={[read.role, read.contract, read.version, read.source].join(" ")}>
            <th scope="row">
              {contractName(read.contract)}{" "}
              <Text span inherit c="dimmed" fz="xs" fw={400}>
                {contractEdition(read)}
              </Text>
            </th>
            <td>{roleName(read.role)}</td>
            <td className={classes.number}>{formatCount(read.reads)}</td>
            <td className={classes.number}>{formatCount(read.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
