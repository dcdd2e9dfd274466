import { Alert, Stack, type StackProps } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import { isStatus, messageOf } from "@/lib/api-error";

interface FormProps extends Pick<StackProps, "maw"> {
  /** Why the server rejected the last submission. */
  error: unknown;
  /** Replaces the server's message for a 401. */
  unauthorized?: string;
  onSubmit: FormEventHandler<HTMLFormElement>;
  children: ReactNode;
}

/** A form with the error of its last submission above the fields. Validates in the app, not in the browser. */
export function Form({ error, unauthorized, onSubmit, children, maw }: FormProps) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md" maw={maw}>
        {error != null && (
          <Alert color="red" role="alert" p="sm">
            {unauthorized && isStatus(error, 401) ? unauthorized : messageOf(error)}
          </Alert>
        )}
        {children}
      </Stack>
    </form>
  );
}
