import { Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { buildName } from "@/domain/build-name";
import { contractName } from "@/domain/contract-names";
import { roleName } from "@/domain/role-names";
import type { BuildReadiness, Schemas, StartChoices } from "@/lib/api";
import { formatDate, shortSha } from "@/lib/format";
import { useBranches, useSnapshots } from "./api";

interface StartFromProps {
  projectId: string;
  choices: StartChoices;
  ready: BuildReadiness;
  /** By field. */
  errors: Record<string, string>;
  onChange: (changed: Partial<StartChoices>) => void;
}

/** What the build starts from: branch, contracts, first phase and models. */
export function StartFrom({ projectId, choices, ready, errors, onChange }: StartFromProps) {
  const branches = useBranches(projectId).data?.items ?? [];
  const snapshots = useSnapshots(projectId).data ?? [];
  return (
    <Stack gap="md" pt="xs">
      <Select
        label="Baseline branch"
        description="The build starts from its newest commit and never changes it."
        placeholder={branches.find(({ is_default }) => is_default)?.name ?? "Default branch"}
        data={branches.map((branch) => ({ value: branch.name, label: branchLabel(branch) }))}
        searchable
        clearable
        error={errors.baseline_branch}
        value={choices.baseline_branch ?? null}
        onChange={(baseline_branch) => onChange({ baseline_branch })}
      />
      <Select
        label="Contracts"
        description="The versions that the build is bound to."
        placeholder="Current versions"
        data={snapshots.map((snapshot) => ({ value: snapshot.id, label: snapshotLabel(snapshot) }))}
        clearable
        error={errors.snapshot}
        value={choices.snapshot ?? null}
        // Other contracts have other phases.
        onChange={(snapshot) => onChange({ snapshot, first_phase: null })}
      />
      <Select
        label="First phase"
        description="Earlier phases are skipped, so that the build is never certified."
        placeholder="The first one"
        data={ready.phases
          .filter(({ number }) => number > 0)
          .map(({ number, title }) => ({ value: String(number), label: `${number}. ${title}` }))}
        clearable
        error={errors.first_phase}
        value={choices.first_phase == null ? null : String(choices.first_phase)}
        onChange={(first) => onChange({ first_phase: first === null ? null : Number(first) })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {ready.models.map(({ role, model, fixed_by }) => (
          <TextInput
            key={role}
            label={`Model of the ${roleName(role).toLowerCase()}`}
            description={fixed_by ? `Set by ${fixed_by}` : undefined}
            placeholder={model ?? undefined}
            disabled={fixed_by !== null}
            error={errors[`models.${role}`]}
            value={choices.models?.[role] ?? ""}
            onChange={(event) =>
              onChange({ models: { ...choices.models, [role]: event.currentTarget.value } })
            }
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function branchLabel(branch: Schemas["ProjectBranch"]) {
  const { name, sha, is_default, build_number: number, build_title: title } = branch;
  if (is_default) return `${name} (default, ${shortSha(sha)})`;
  return number ? `${buildName({ number, title })} (${name})` : `${name} (${shortSha(sha)})`;
}

function snapshotLabel(snapshot: Schemas["ContractSnapshot"]) {
  const { created_at, build_number: number, build_title: title, contracts } = snapshot;
  const versions = contracts.map(({ type, version }) => `${contractName(type)} ${version}`);
  return `${buildName({ number, title })}, ${formatDate(created_at)}: ${versions.join(", ")}`;
}
