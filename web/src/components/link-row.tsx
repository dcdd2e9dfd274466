import { Group, type GroupProps } from "@mantine/core";
import { Link, type LinkProps } from "react-router";
import classes from "./link-row.module.css";

interface LinkRowProps extends GroupProps, Pick<LinkProps, "to" | "preventScrollReset"> {}

/** A row of a list, as a link. Inside an item of the list. */
export function LinkRow({ className, ...props }: LinkRowProps) {
  return (
    <Group
      component={Link}
      gap="0.375rem 0.75rem"
      p={8}
      bdrs="md"
      className={[classes.row, className].join(" ")}
      {...props}
    />
  );
}
