import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Failure } from "@/domain/failing-test";
import classes from "./failure-text.module.css";

interface FailureTextProps {
  failure: Failure;
  /** Beside the title. */
  children?: ReactNode;
}

/** The title of a failing test, why it failed, and what differs. */
export function FailureText({ failure, children }: FailureTextProps) {
  const { title, reason, expected, actual } = failure;
  return (
    <>
      <Text span fz="sm" fw={550}>
        {title}
      </Text>{" "}
      {children}
      {reason && (
        <Text fz="xs" c="dimmed">
          {reason}
        </Text>
      )}
      {expected !== null && actual !== null && (
        <dl className={classes.difference}>
          <dt>Expected</dt>
          <dd data-side="expected">
            <code>{expected}</code>
          </dd>
          <dt>Actual</dt>
          <dd data-side="actual">
            <code>{actual}</code>
          </dd>
        </dl>
      )}
    </>
  );
}
