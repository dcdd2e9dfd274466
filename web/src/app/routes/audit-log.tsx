import { usePageTitle } from "@/domain/use-page-title";
import { useUsers } from "@/features/accounts/users/api";
import { AuditLog } from "@/features/audit-log/audit-log";

export default function AuditLogPage() {
  usePageTitle("Audit log");
  return <AuditLog people={useUsers().data ?? []} />;
}
