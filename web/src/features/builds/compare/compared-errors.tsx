import { Anchor, Badge, Box, Group, Tabs, Text } from "@mantine/core";
import { Link } from "react-router";
import { LimitedList } from "@/components/limited-list";
import { SectionCard } from "@/components/section-card";
import { ToneBadge } from "@/components/tone-badge";
import type { BuildError } from "@/lib/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import type { BuildComparison, ComparedBuild } from "./api";

/** The errors of both builds, by their fingerprints. */
export function ComparedErrors({
  comparison: { from, to, errors },
}: {
  comparison: BuildComparison;
}) {
  const parts = [
    { key: "new", label: "New", of: to, items: errors.new, count: errors.new_count },
    { key: "gone", label: "Gone", of: from, items: errors.gone, count: errors.gone_count },
    { key: "same", label: "In both", of: to, items: errors.same, count: errors.same_count },
  ];
  const first = parts.find(({ count }) => count > 0)?.key;
  return (
    <SectionCard
      title="Errors"
      description={
        first === undefined
          ? "Neither build had errors."
          : "Every distinct error that occurred, also if it was fixed."
      }
    >
      {first !== undefined && (
        <Tabs defaultValue={first} keepMounted={false}>
          <Tabs.List>
            {parts.map(({ key, label, count }) => (
              <Tabs.Tab
                key={key}
                value={key}
                rightSection={
                  <Badge size="sm" variant="default" className="tabular">
                    {formatCount(count)}
                  </Badge>
                }
              >
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {parts.map(({ key, of, items, count }) => (
            <Tabs.Panel key={key} value={key} pt="xs">
              <Errors of={of} items={items} count={count} />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </SectionCard>
  );
}

function Errors({ of, items, count }: { of: ComparedBuild; items: BuildError[]; count: number }) {
  if (items.length === 0) {
    return (
      <Text fz="sm" c="dimmed" py="xs">
        None.
      </Text>
    );
  }
  return (
    <LimitedList items={items}>
      {(shown) => (
        <>
          <ul className="plain-list lined">
            {shown.map(({ id, message, source, file_path, occurrence_count, resolved }) => (
              <Box component="li" key={id} py={8}>
                <Text fz="sm" ff="monospace" lineClamp={2}>
                  {message}
                </Text>
                <Group gap="xs" mt={4}>
                  <ToneBadge tone={resolved ? "good" : "bad"}>
                    {resolved ? "Resolved" : "Open"}
                  </ToneBadge>
                  <Text span fz="xs" c="dimmed">
                    {[source, file_path, `${formatCount(occurrence_count)}×`]
                      .filter(Boolean)
                      .join(" · ")}
                  </Text>
                </Group>
              </Box>
            ))}
          </ul>
          {shown.length === items.length && count > items.length && (
            <Text fz="sm" c="dimmed" mt="xs">
              The first {formatCount(items.length)} of {formatCount(count)}.{" "}
              <Anchor
                component={Link}
                to={paths.build(of.project_id, of.number, "errors")}
                fz="inherit"
              >
                All errors of #{of.number}
              </Anchor>
            </Text>
          )}
        </>
      )}
    </LimitedList>
  );
}
