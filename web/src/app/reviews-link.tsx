import { IconGitPullRequest } from "@tabler/icons-react";
import { Link } from "react-router";
import { ToneBadge } from "@/components/tone-badge";
import { useOpenReviewCount } from "@/features/reviews/api";
import { useSession } from "@/features/session/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";

/** The way to the reviews, for administrators, with the number of builds that wait for one. */
export function ReviewsLink() {
  const isAdmin = useSession().data?.role === "admin";
  const count = useOpenReviewCount(isAdmin).data ?? 0;
  if (!isAdmin) return null;
  return (
    <Link to={paths.reviews} className={classes.link}>
      <IconGitPullRequest size={16} aria-hidden />
      <span className={classes.linkText}>Reviews</span>
      {count > 0 && (
        <ToneBadge tone="waiting">
          {formatCount(count)} <span className="visually-hidden">open</span>
        </ToneBadge>
      )}
    </Link>
  );
}
