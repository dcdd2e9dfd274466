import { Card, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Link } from "react-router";
import type { ProjectStep, StepName } from "@/domain/project-steps";
import classes from "./project-stepper.module.css";

interface ProjectStepperProps {
  steps: ProjectStep[];
  /** The pages of the steps that have one. */
  to: Partial<Record<StepName, string>>;
}

/** The way of a project from its description to the finished code. */
export function ProjectStepper({ steps, to }: ProjectStepperProps) {
  return (
    <Card component="nav" aria-label="Progress" py="md" px={{ base: "xs", sm: "md" }}>
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <li
            key={step.name}
            className={classes.step}
            data-state={step.state}
            aria-current={step.state === "current" ? "step" : undefined}
          >
            <ThemeIcon
              size={26}
              radius="xl"
              color={step.state === "ahead" ? "gray" : undefined}
              variant={step.state === "current" ? "filled" : "light"}
              aria-hidden
            >
              {step.state === "done" ? <IconCheck size={15} stroke={2.5} /> : index + 1}
            </ThemeIcon>
            <div className={classes.words}>
              <Name step={step} to={to[step.name]} />
              <Text span fz="xs" c="dimmed" visibleFrom="sm">
                {step.note}
              </Text>
              {step.state === "done" && <VisuallyHidden component="span">, done</VisuallyHidden>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Name({ step, to }: { step: ProjectStep; to: string | undefined }) {
  const name = (
    <Text span display="block" fz={{ base: "xs", sm: "sm" }} fw={550} truncate>
      {step.label}
    </Text>
  );
  return to ? (
    <Link to={to} className={classes.link}>
      {name}
    </Link>
  ) : (
    name
  );
}
