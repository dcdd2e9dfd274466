import { Box, Table, Text } from "@mantine/core";
import { CardPart } from "@/components/card-part";
import { Disclosure } from "@/components/disclosure";
import { QueryView } from "@/components/query-view";
import { plural } from "@/lib/format";
import { usePermissionRules } from "./api";
import { actionLabel, permissionLabel, type Rule } from "./permission-labels";

/** Read-only rules that apply in addition to the project's own. */
export function InheritedRules({ projectId }: { projectId: string }) {
  const query = usePermissionRules(projectId);
  return (
    <QueryView query={query} what="inherited rules">
      {({ built_in, installation }) => (
        <CardPart>
          <Rules
            title="Installation rules"
            rules={installation}
            note="Set by the operator of this installation. Project rules can only be stricter."
            none="This installation has no rules."
          />
          <Rules
            title="Built-in rules"
            rules={built_in}
            note="Apply if no other rule matches."
            none=""
          />
        </CardPart>
      )}
    </QueryView>
  );
}

interface RulesProps {
  title: string;
  rules: Rule[];
  note: string;
  none: string;
}

function Rules({ title, rules, note, none }: RulesProps) {
  if (rules.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        {none}
      </Text>
    );
  }
  return (
    <Disclosure
      summary={
        <span>
          {title}{" "}
          <Text span inherit c="dimmed">
            {plural(rules.length, "rule")}
          </Text>
        </span>
      }
    >
      <Text fz="xs" c="dimmed" mt={4}>
        {note}
      </Text>
      <Table mt="xs" fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Permission</Table.Th>
            <Table.Th scope="col">Pattern</Table.Th>
            <Table.Th scope="col">Action</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map((rule, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <Table.Tr key={index}>
              <Table.Td>{permissionLabel(rule.permission)}</Table.Td>
              <Table.Td>
                <Box component="code" ff="monospace" fz={13}>
                  {rule.pattern}
                </Box>
              </Table.Td>
              <Table.Td>{actionLabel(rule.action)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Disclosure>
  );
}
