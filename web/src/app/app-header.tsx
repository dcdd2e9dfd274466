import { Box } from "@mantine/core";
import { IconMessageQuestion } from "@tabler/icons-react";
import { Link } from "react-router";
import { SearchButton } from "@/components/keys/search-button";
import { Logo } from "@/components/logo";
import { ToneBadge } from "@/components/tone-badge";
import { useProjects } from "@/features/projects/api";
import { formatCount } from "@/lib/format";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";
import { ReviewsLink } from "./reviews-link";
import { UserMenu } from "./user-menu";

export function AppHeader() {
  const projects = useProjects().data?.items ?? [];
  const count = projects.reduce((sum, project) => sum + project.open_questions, 0);
  return (
    <header className={classes.header}>
      <Link to={paths.home} className={`${classes.link} ${classes.brand}`}>
        <Logo />
        ForgeGuard
      </Link>
      <Box component="span" flex={1} />
      <span role="status">
        {count > 0 && (
          <Link to={paths.questions} style={{ textDecoration: "none" }}>
            <ToneBadge tone="waiting" icon={<IconMessageQuestion size={14} aria-hidden />}>
              {formatCount(count)}{" "}
              <span className="visually-hidden-on-phones">
                {count === 1 ? "question" : "questions"}
              </span>
            </ToneBadge>
          </Link>
        )}
      </span>
      <SearchButton />
      <ReviewsLink />
      <UserMenu />
    </header>
  );
}
