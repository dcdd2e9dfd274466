import { Box, List, SimpleGrid, Text, Title } from "@mantine/core";
import { InlineCode } from "@/components/inline-code";
import type { Contract } from "@/lib/api";
import classes from "./diagrams.module.css";
import { UnreadableContract } from "./unreadable-contract";

/** The phases contract as a timeline. */
export function PhaseTimeline({ phases }: { phases: Contract["phases"] }) {
  if (phases === null) return <UnreadableContract what="phase" />;
  return (
    <Box component="ol" className="plain-list">
      {phases.map(({ number, title, objective, deliverables, exit_criteria }) => (
        <li key={`${number} ${title}`} className={classes.phase}>
          <span className={classes.number}>{number}</span>
          <Title order={2}>{title}</Title>
          <Text c="dimmed" mt={2}>
            <InlineCode text={objective} />
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="sm" mt="sm">
            <Items title="Deliverables" items={deliverables} />
            <Items title="Exit criteria" items={exit_criteria} />
          </SimpleGrid>
        </li>
      ))}
    </Box>
  );
}

function Items({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <div>
      <Title order={3}>{title}</Title>
      <List fz="sm" mt={4}>
        {items.map((item) => (
          <List.Item key={item}>
            <InlineCode text={item} />
          </List.Item>
        ))}
      </List>
    </div>
  );
}
