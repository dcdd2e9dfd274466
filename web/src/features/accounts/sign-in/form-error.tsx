import { Alert } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { isStatus, messageOf } from "@/lib/api-error";

interface FormProblemProps {
  error: unknown;
  /** Replaces the server's message for a 401. */
  unauthorized?: string;
}

export function FormError({ error, unauthorized }: FormProblemProps) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert" p="sm">
      {unauthorized && isStatus(error, 401) ? unauthorized : messageOf(error)}
    </Alert>
  );
}
