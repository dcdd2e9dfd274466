import { usePageTitle } from "@/domain/use-page-title";
import { InboxList } from "@/features/inbox/inbox-list";

export default function InboxPage() {
  usePageTitle("Inbox");
  return <InboxList />;
}
