import { Table, Text } from "@mantine/core";
import { type Endpoint, readEndpoints } from "./endpoints";
import classes from "./pictures.module.css";
import { Unreadable } from "./unreadable";

/** The physics contract as a table. */
export default function EndpointTable({ text }: { text: string }) {
  const endpoints = readEndpoints(text);
  if (!endpoints) return <Unreadable what="endpoint" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <div className={classes.scroll} tabIndex={0}>
      <Table miw={640} verticalSpacing="sm" aria-label="Endpoints">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Endpoint</Table.Th>
            <Table.Th>Takes</Table.Th>
            <Table.Th>Gives</Table.Th>
            <Table.Th>Errors</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {endpoints.map((endpoint, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: endpoints of a text never move
            <Row key={index} endpoint={endpoint} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ endpoint: { name, call, takes, gives, errors } }: { endpoint: Endpoint }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text fz="sm" fw={600}>
          {name}
        </Text>
        <Text fz="xs" ff="monospace">
          {call}
        </Text>
      </Table.Td>
      <Table.Td>{takes}</Table.Td>
      <Table.Td>{gives}</Table.Td>
      <Table.Td>{errors}</Table.Td>
    </Table.Tr>
  );
}
