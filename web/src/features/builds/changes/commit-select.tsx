import { Group, Select } from "@mantine/core";
import { IconRobot, IconUser } from "@tabler/icons-react";
import type { Commit } from "@/lib/api";
import { shortSha } from "@/lib/format";

interface CommitSelectProps {
  commits: Commit[];
  /** The first choice, which is not a commit of the list. */
  first: { value: string; label: string };
  value: string;
  onChange: (value: string) => void;
}

/** The commits of a branch, newest first. */
export function CommitSelect({ commits, first, value, onChange }: CommitSelectProps) {
  const choices = [
    first,
    ...commits.map(({ sha, title }) => ({ value: sha, label: `${shortSha(sha)} ${title}` })),
  ];
  return (
    <Select
      aria-label="Commit"
      size="xs"
      data={choices}
      value={value}
      allowDeselect={false}
      comboboxProps={{ width: 340, position: "bottom-start" }}
      renderOption={({ option }) => (
        <CommitOption
          label={option.label}
          kind={commits.find(({ sha }) => sha === option.value)?.author_kind}
        />
      )}
      onChange={(chosen) => onChange(chosen ?? first.value)}
    />
  );
}

function CommitOption({ label, kind }: { label: string; kind: "forge" | "human" | undefined }) {
  const Icon = kind === "human" ? IconUser : IconRobot;
  const by = kind === "human" ? "By a user" : "By ForgeGuard";
  return (
    <Group gap={6} wrap="nowrap">
      {kind && <Icon size={14} role="img" aria-label={by} />}
      <span>{label}</span>
    </Group>
  );
}
