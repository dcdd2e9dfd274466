import { Anchor, Button, Card, Group, Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconClock,
  IconFileText,
  IconLock,
  IconRefresh,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import { VerdictBadge } from "@/components/verdict-badge";
import { plural } from "@/lib/format";
import { paths } from "@/lib/paths";
import type { BacklogItem } from "./api";
import { itemHint, namesOf } from "./item-labels";

interface ItemCardProps {
  item: BacklogItem;
  /** All items that the page shows. */
  items: BacklogItem[];
  /** On the board across projects. */
  showsProject?: boolean;
  /** The menu and buttons of the owner. */
  menu?: ReactNode;
  onStart?: (() => void) | undefined;
}

export function ItemCard({ item, items, showsProject = false, menu, onStart }: ItemCardProps) {
  const { build } = item;
  const hint = itemHint(item, items);
  return (
    <Card p="sm" component="article" aria-label={`Item ${item.number} ${item.title}`}>
      <Stack gap={6}>
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Text fz="sm" fw={500} miw={0} dir="auto">
            <Text span inherit c="dimmed" className="tabular">
              {item.number}
            </Text>{" "}
            {item.title}
          </Text>
          {menu}
        </Group>
        {showsProject && (
          <Anchor component={Link} to={paths.backlog(item.project_id)} fz="xs">
            {item.project_name}
          </Anchor>
        )}
        <ItemBadges item={item} />
        {hint && (
          <Text fz="xs" c={item.start_error ? "var(--tone-bad-text)" : "dimmed"}>
            {hint}
          </Text>
        )}
        {item.overlaps_with.length > 0 && item.state === "queued" && (
          <Group gap={4} wrap="nowrap" align="flex-start" c="var(--tone-waiting-text)">
            <IconAlertTriangle size={14} aria-hidden style={{ marginTop: 2 }} />
            <Text fz="xs" c="inherit">
              May change the same files as {namesOf(item.overlaps_with, items)}
            </Text>
          </Group>
        )}
        {(build || onStart) && (
          <Group gap="xs" justify="space-between">
            {build ? (
              <Anchor component={Link} to={paths.build(item.project_id, build.number)} fz="xs">
                Build #{build.number}
              </Anchor>
            ) : (
              <span />
            )}
            {onStart && (
              <Button
                size="compact-xs"
                variant="light"
                onClick={onStart}
                aria-label={`Start ${item.title}`}
              >
                {item.attempts > 0 ? "Start again" : "Start"}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function ItemBadges({ item }: { item: BacklogItem }) {
  const icon = { size: 14, stroke: 2, "aria-hidden": true } as const;
  const badges = [
    item.build?.verdict && <VerdictBadge key="verdict" verdict={item.build.verdict} />,
    item.start_requested && (
      <ToneBadge key="scheduled" tone="accent" icon={<IconClock {...icon} />}>
        Scheduled
      </ToneBadge>
    ),
    item.blocked_by.length > 0 && item.state === "queued" && (
      <ToneBadge key="blocked" tone="neutral" icon={<IconLock {...icon} />}>
        Blocked by {item.blocked_by.length}
      </ToneBadge>
    ),
    item.has_spec && (
      <ToneBadge key="spec" tone="neutral" icon={<IconFileText {...icon} />}>
        Spec
      </ToneBadge>
    ),
    item.attempts > 1 && (
      <ToneBadge key="attempts" tone="neutral" icon={<IconRefresh {...icon} />}>
        {plural(item.attempts, "attempt")}
      </ToneBadge>
    ),
  ].filter(Boolean);
  return badges.length > 0 && <Group gap={6}>{badges}</Group>;
}
