import { Table, Text } from "@mantine/core";
import { type Endpoint, readEndpoints } from "./endpoints";
import { UnreadableContract } from "./unreadable-contract";

export default function EndpointTable({ text }: { text: string }) {
  const endpoints = readEndpoints(text);
  if (!endpoints) return <UnreadableContract what="endpoint" />;
  // Empty columns are omitted.
  const columns = COLUMNS.filter(({ of }) => endpoints.some((endpoint) => endpoint[of]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className="scroll" tabIndex={0}>
      <Table miw={640} verticalSpacing="sm" aria-label="Endpoints">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Endpoint</Table.Th>
            {columns.map(({ of, title }) => (
              <Table.Th key={of}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {endpoints.map((endpoint, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: endpoints of a text never move
            <Row key={index} endpoint={endpoint} columns={columns} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const COLUMNS = [
  { of: "takes", title: "Request" },
  { of: "gives", title: "Response" },
  { of: "errors", title: "Errors" },
] as const;

type RowProps = { endpoint: Endpoint; columns: readonly (typeof COLUMNS)[number][] };

function Row({ endpoint, columns }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text fz="sm" fw={600}>
          {endpoint.name}
        </Text>
        <Text fz="xs" ff="monospace">
          {endpoint.call}
        </Text>
      </Table.Td>
      {columns.map(({ of }) => (
        <Table.Td key={of}>{endpoint[of]}</Table.Td>
      ))}
    </Table.Tr>
  );
}
