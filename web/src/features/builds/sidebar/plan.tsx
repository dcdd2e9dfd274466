import { Text } from "@mantine/core";
import {
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconProgress,
} from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import type { Build } from "@/lib/api";
import { toneText } from "@/lib/tone";
import classes from "./plan.module.css";

const PHASE = {
  complete: { icon: IconCircleCheckFilled, color: toneText("good"), label: "Done" },
  running: { icon: IconProgress, color: toneText("accent"), label: "In progress" },
  pending: { icon: IconCircleDashed, color: "var(--mantine-color-dimmed)", label: "Not started" },
};

/** The phases with their plans. */
export function Plan({ build }: { build: Build }) {
  return (
    <ol className={classes.phases}>
      {build.phases.map((phase) => {
        const { icon: Icon, color, label } = PHASE[phase.status];
        return (
          <li key={phase.number}>
            <div className={classes.phase}>
              <Icon size={16} color={color} aria-label={label} role="img" />
              <Text
                span
                fz="sm"
                fw={phase.status === "pending" ? 450 : 600}
                c={phase.status === "pending" ? "dimmed" : undefined}
              >
                {phase.number}. {phase.title}
              </Text>
            </div>
            {phase.plan.length > 0 && (
              <ul className={classes.steps}>
                {phase.plan.map((step, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: steps of a plan have no other identity
                  <li key={index} className={classes.step} data-done={step.done || undefined}>
                    {step.done ? (
                      <IconCircleCheckFilled
                        size={14}
                        color={toneText("good")}
                        aria-label="Done"
                        role="img"
                      />
                    ) : (
                      <IconCircle size={14} aria-label="To do" role="img" />
                    )}
                    <span>
                      <InlineCode text={step.text} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
}
