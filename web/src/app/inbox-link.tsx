import { VisuallyHidden } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { Link } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import { useInboxNews } from "@/features/inbox/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";

/** The link to the inbox, with the number of unread items. */
export function InboxLink({ loads }: { loads: boolean }) {
  const unread = useInboxNews(loads).data?.unread_count ?? 0;
  return (
    <Link to={paths.inbox} className={classes.link}>
      <IconInbox size={16} aria-hidden />
      <span className="visually-hidden-on-phones">Inbox</span>
      {unread > 0 && (
        <ToneBadge tone="waiting">
          {formatCount(unread)} <VisuallyHidden component="span">unread</VisuallyHidden>
        </ToneBadge>
      )}
    </Link>
  );
}
