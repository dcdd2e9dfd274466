import { Table } from "@mantine/core";
import { contractName } from "@/domain/contract-names";
import type { GeneratedContract } from "@/lib/api";
import { formatCount, formatUsd } from "@/lib/format";
import { shareLabel } from "./token-labels";

const COLUMNS: { title: string; of: (contract: GeneratedContract) => string }[] = [
  { title: "Turns", of: ({ turn }) => formatCount(turn) },
  { title: "Sent, estimated", of: ({ sent_tokens }) => formatCount(sent_tokens) },
  { title: "Full inclusion, estimated", of: ({ pasted_tokens }) => formatCount(pasted_tokens) },
  { title: "Share", of: shareLabel },
  { title: "Tokens in", of: ({ tokens_in }) => formatCount(tokens_in) },
  {
    title: "Cache read and written",
    of: ({ cache_read, cache_write }) => `${formatCount(cache_read)} / ${formatCount(cache_write)}`,
  },
  { title: "Tokens out", of: ({ tokens_out }) => formatCount(tokens_out) },
  {
    title: "Cost",
    of: ({ cost_usd_micros }) =>
      cost_usd_micros === null ? "unknown" : formatUsd(cost_usd_micros),
  },
];

/** Token counts of a generation by contract. */
export function TokenTable({ contracts }: { contracts: GeneratedContract[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className="scroll" style={{ overflowWrap: "normal" }} tabIndex={0}>
      <Table miw={720} fz="xs" aria-label="Token usage by contract">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Contract</Table.Th>
            {COLUMNS.map(({ title }) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {contracts.map((contract) => (
            <Table.Tr key={contract.type}>
              <Table.Th scope="row">{contractName(contract.type)}</Table.Th>
              {COLUMNS.map(({ title, of }) => (
                <Table.Td key={title} ta="right">
                  {of(contract)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
