import { Code, Modal, Table, Text } from "@mantine/core";
import { COMMANDS } from "./parse-command";

export function CommandHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Commands" centered zIndex={320}>
      <Table>
        <Table.Tbody>
          {COMMANDS.map(({ name, usage, about }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Code>{usage}</Code>
              </Table.Td>
              <Table.Td>{about}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text fz="sm" c="dimmed" mt="md">
        Plain text answers the open question. Otherwise, agents receive it before their next step.
      </Text>
    </Modal>
  );
}
