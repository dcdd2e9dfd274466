import { Anchor, Group, List, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { Link } from "react-router";
import { type ReadinessCheck, type ReadinessFix, readinessChecks } from "@/domain/readiness-checks";
import { useIsAdmin } from "@/domain/session";
import type { BuildReadiness } from "@/lib/api";

const MARKS = {
  ready: { icon: IconCheck, color: "teal", words: "ready" },
  warning: { icon: IconAlertTriangle, color: "yellow", words: "needs attention" },
  missing: { icon: IconX, color: "red", words: "missing" },
};

interface ReadinessListProps {
  projectId: string;
  ready: BuildReadiness;
}

/** What a build needs, and how to provide what is missing. */
export function ReadinessList({ projectId, ready }: ReadinessListProps) {
  const checks = readinessChecks(ready, projectId, useIsAdmin());
  return (
    <List listStyleType="none" spacing="xs" aria-label="Readiness">
      {checks.map((check) => (
        <List.Item key={check.area} styles={{ itemWrapper: { display: "block" } }}>
          <Check check={check} />
        </List.Item>
      ))}
    </List>
  );
}

function Check({ check: { label, state, detail, problems } }: { check: ReadinessCheck }) {
  const { icon: Icon, color, words } = MARKS[state];
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <ThemeIcon size={20} radius="xl" variant="light" color={color} role="img" aria-label={words}>
        <Icon size={13} stroke={2.5} aria-hidden />
      </ThemeIcon>
      <div style={{ minWidth: 0 }}>
        <Text fz="sm">
          <Text span inherit fw={550}>
            {label}
          </Text>
          {problems.length === 0 && (
            <Text span inherit c="dimmed">
              {" "}
              {detail}
            </Text>
          )}
        </Text>
        {problems.map(({ message, fix }) => (
          <Text key={message} fz="sm" style={{ overflowWrap: "anywhere" }}>
            {message} <Fix fix={fix} />
          </Text>
        ))}
      </div>
    </Group>
  );
}

function Fix({ fix: { label, to } }: { fix: ReadinessFix }) {
  if (to === undefined) return label;
  return (
    <Anchor component={Link} to={to} fz="sm" underline="always">
      {label}
    </Anchor>
  );
}
