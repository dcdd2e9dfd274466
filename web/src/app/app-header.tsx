import { Box } from "@mantine/core";
import { Link } from "react-router";
import { SearchButton } from "@/components/keys/search-button";
import { Logo } from "@/components/logo";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";
import { BuildsLink } from "./builds-link";
import { InboxLink } from "./inbox-link";
import { UserMenu } from "./user-menu";

export function AppHeader({ loadsInbox }: { loadsInbox: boolean }) {
  return (
    <header className={classes.header}>
      <Link to={paths.home} className={`${classes.link} ${classes.brand}`}>
        <Logo />
        ForgeGuard
      </Link>
      <Box component="span" flex={1} />
      <SearchButton />
      <BuildsLink />
      <InboxLink loads={loadsInbox} />
      <UserMenu />
    </header>
  );
}
