import { Text } from "@mantine/core";
import { QueryView } from "@/components/query-view";
import { plural } from "@/lib/format";
import { usePermissionRules } from "./api";
import { actionLabel, permissionLabel, type Rule } from "./permission-words";
import classes from "./permissions.module.css";

/** The rules that hold beside the project's own, to read. */
export function RulesAbove({ projectId }: { projectId: string }) {
  const query = usePermissionRules(projectId);
  return (
    <QueryView query={query} what="the other rules">
      {({ built_in, installation }) => (
        <div className={classes.above}>
          <Rules
            title="Rules of this installation"
            rules={installation}
            note="Set by whoever runs ForgeGuard. Yours can be stricter, not looser."
            none="This installation has no rules of its own."
          />
          <Rules
            title="Built-in rules"
            rules={built_in}
            note="They hold where no other rule says otherwise."
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
        {title} <span className={classes.count}>{plural(rules.length, "rule")}</span>
      </summary>
      <Text fz="xs" c="dimmed" mt={4}>
        {note}
      </Text>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">When agents</th>
            <th scope="col">Pattern</th>
            <th scope="col">Then</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <tr key={index}>
              <td>{permissionLabel(rule.permission)}</td>
              <td>
                <code className={classes.subject}>{rule.pattern}</code>
              </td>
              <td>{actionLabel(rule.action)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
