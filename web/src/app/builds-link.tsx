import { IconHammer } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "@/lib/paths";
import classes from "./app-layout.module.css";

/** The link to the builds of all projects. */
export function BuildsLink() {
  return (
    <Link to={paths.allBuilds} className={classes.link}>
      <IconHammer size={16} aria-hidden />
      <span className="visually-hidden-on-phones">Builds</span>
    </Link>
  );
}
