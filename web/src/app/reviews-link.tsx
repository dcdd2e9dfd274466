import { VisuallyHidden } from "@mantine/core";
import { IconGitPullRequest } from "@tabler/icons-react";
import { Link } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import { useSession } from "@/features/accounts/api";
import { useOpenReviewCount } from "@/features/reviews/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";

/** For administrators: the link to the reviews, with the number of open ones. */
export function ReviewsLink() {
  const isAdmin = useSession().data?.role === "admin";
  const count = useOpenReviewCount(isAdmin).data ?? 0;
  if (!isAdmin) return null;
  return (
    <Link to={paths.reviews} className={classes.link}>
      <IconGitPullRequest size={16} aria-hidden />
      <span className="visually-hidden-on-phones">Reviews</span>
      {count > 0 && (
        <ToneBadge tone="waiting">
          {formatCount(count)} <VisuallyHidden component="span">open</VisuallyHidden>
        </ToneBadge>
      )}
    </Link>
  );
}
