import { Box, Text } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { plural } from "@/lib/format";
import { usePermissionRules } from "./api";
import { actionLabel, permissionLabel, type Rule } from "./permission-labels";
import classes from "./permissions.module.css";

/** Read-only rules that apply in addition to the project's own. */
export function InheritedRules({ projectId }: { projectId: string }) {
  const query = usePermissionRules(projectId);
  return (
    <QueryView query={query} what="inherited rules">
      {({ built_in, installation }) => (
        <div className={classes.above}>
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
        </div>
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
    <details className={classes.details}>
      <summary>
        {title}{" "}
        <Text span inherit c="dimmed">
          {plural(rules.length, "rule")}
        </Text>
      </summary>
      <Text fz="xs" c="dimmed" mt={4}>
        {note}
      </Text>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            <th scope="col">Pattern</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <tr key={index}>
              <td>{permissionLabel(rule.permission)}</td>
              <td>
                <Box component="code" ff="monospace" fz={13}>
                  {rule.pattern}
                </Box>
              </td>
              <td>{actionLabel(rule.action)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
