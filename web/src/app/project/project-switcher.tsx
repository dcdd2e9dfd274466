import { ActionIcon, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { useProjects } from "@/features/projects/api";
import type { Project } from "@/lib/api";
import { paths } from "@/lib/paths";

/** A menu of the other projects. */
export function ProjectSwitcher({ project }: { project: Project }) {
  const [opened, setOpened] = useState(false);
  const others = (useProjects(opened).data?.items ?? []).filter(({ id }) => id !== project.id);
  return (
    <Menu position="bottom-start" width={260} zIndex={210} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={24} flex="none" aria-label="Switch project">
          <IconChevronDown size={14} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah="min(24rem, 70vh)" style={{ overflowY: "auto" }}>
        {others.map(({ id, name }) => (
          <Menu.Item key={id} component={Link} to={paths.project(id)}>
            {name}
          </Menu.Item>
        ))}
        {others.length > 0 && <Menu.Divider />}
        <Menu.Item component={Link} to={paths.home}>
          All projects
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
