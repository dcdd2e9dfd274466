import { Table, Text } from "@mantine/core";
import { contractEdition, contractName } from "@/domain/contract-names";
import { roleName } from "@/domain/role-names";
import type { BuildUsage } from "@/lib/api";
import { formatCount } from "@/lib/format";

/** A row for each contract and role that read it. */
export function ContractTable({ contracts }: { contracts: BuildUsage["contracts"] }) {
  return (
    <Table maw="40rem" fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Contract</Table.Th>
          <Table.Th scope="col">Read by</Table.Th>
          <Table.Th scope="col" ta="right">
            Times
          </Table.Th>
          <Table.Th scope="col" ta="right">
            Tokens
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {contracts.map((read) => (
          <Table.Tr key={[read.role, read.contract, read.version, read.source].join(" ")}>
            <Table.Th scope="row" fw={550}>
              {contractName(read.contract)}{" "}
              <Text span inherit c="dimmed" fz="xs" fw={400}>
                {contractEdition(read)}
              </Text>
            </Table.Th>
            <Table.Td>{roleName(read.role)}</Table.Td>
            <Table.Td ta="right">{formatCount(read.reads)}</Table.Td>
            <Table.Td ta="right">{formatCount(read.tokens)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
