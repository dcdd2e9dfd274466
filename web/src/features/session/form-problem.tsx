import { Alert } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { isStatus, messageOf } from "@/lib/problem";

interface FormProblemProps {
  error: unknown;
  /** Words for a 401, where the server's are too short to help. */
  unauthorized?: string;
}

export function FormProblem({ error, unauthorized }: FormProblemProps) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert" p="sm">
      {unauthorized && isStatus(error, 401) ? unauthorized : messageOf(error)}
    </Alert>
  );
}
