import { Text, Title } from "@mantine/core";
import { InlineCode } from "@/components/inline-code";
import classes from "./diagrams.module.css";
import { readPhases } from "./phases";
import { UnreadableContract } from "./unreadable-contract";

/** The phases contract as a timeline. */
export function PhaseTimeline({ text }: { text: string }) {
  const phases = readPhases(text);
  if (phases.length === 0) return <UnreadableContract what="phase" />;
  return (
    <ol className={classes.timeline}>
      {phases.map(({ number, title, objective, deliverables, criteria }) => (
        <li key={`${number} ${title}`} className={classes.phase}>
          <span className={classes.number}>{number}</span>
          <Title order={2}>{title}</Title>
          <Text c="dimmed" mt={2}>
            <InlineCode text={objective} />
          </Text>
          <div className={classes.sides}>
            <Items title="Deliverables" items={deliverables} />
            <Items title="Exit criteria" items={criteria} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function Items({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <div>
      <Title order={3}>{title}</Title>
      <ul className={classes.items}>
        {items.map((item) => (
          <li key={item}>
            <InlineCode text={item} />
          </li>
        ))}
      </ul>
    </div>
  );
}
