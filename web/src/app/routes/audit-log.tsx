import { usePageTitle } from "@/domain/use-page-title";
import { AuditLog } from "@/features/audit-log/audit-log";

export default function AuditLogPage() {
  usePageTitle("Audit log");
  return <AuditLog />;
}
