import { AuditLog } from "@/features/audit-log/audit-log";
import { useTitle } from "@/lib/use-title";

export default function AuditLogPage() {
  useTitle("Audit log");
  return <AuditLog />;
}
