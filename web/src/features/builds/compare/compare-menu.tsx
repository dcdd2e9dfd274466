import { Button, Menu } from "@mantine/core";
import { IconGitCompare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { buildName } from "@/domain/build-name";
import type { Build } from "@/lib/api";
import { paths } from "@/lib/paths";
import { buildsQuery } from "../api";
import classes from "../screen/build-header.module.css";

/** Builds in the menu; the page has all. */
const MAX_CHOICES = 8;

/** Links to comparisons of a build with other builds of its project, the build that it follows first. */
export function CompareMenu({ build }: { build: Build }) {
  const builds = useQuery(buildsQuery(build.project_id)).data ?? [];
  const others = builds.filter(({ id }) => id !== build.id);
  if (others.length === 0) return null;
  const followed = others.filter(({ id }) => id === build.follows);
  const rest = others.filter(({ id }) => id !== build.follows);
  return (
    <Menu position="bottom-end" withinPortal shadow="md">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          classNames={{
            root: classes.action,
            section: classes.actionIcon,
            label: "visually-hidden-on-phones",
          }}
          leftSection={<IconGitCompare size={14} aria-hidden />}
        >
          Compare with…
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw="20rem">
        {[...followed, ...rest].slice(0, MAX_CHOICES).map((other) => (
          <Menu.Item
            key={other.id}
            component={Link}
            to={paths.compare(build.project_id, other.number, build.number)}
          >
            {buildName(other)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
