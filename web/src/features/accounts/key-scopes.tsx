import { Checkbox, Stack } from "@mantine/core";

/** The scopes that can be chosen; reading is always included. */
export const CHOSEN_SCOPES = [
  {
    value: "build",
    label: "Builds",
    description: "Start and control builds, answer questions, push",
  },
  {
    value: "contracts",
    label: "Contracts",
    description: "Edit and generate contracts and their questionnaire",
  },
  {
    value: "review",
    label: "Reviews",
    description: "Comment on and decide about sealed builds",
  },
] as const;

export type ChosenScope = (typeof CHOSEN_SCOPES)[number]["value"];

interface Props {
  /** Null for full access. */
  value: ChosenScope[] | null;
  onChange: (value: ChosenScope[] | null) => void;
}

/** Asks what a key permits. */
export function KeyScopes({ value, onChange }: Props) {
  return (
    <Stack gap="xs">
      <Checkbox
        label="Limit what the key permits"
        description="Every key can view and clone"
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? [] : null)}
      />
      {value !== null && (
        <Checkbox.Group
          label="It also permits"
          value={value}
          onChange={(chosen) =>
            onChange(
              CHOSEN_SCOPES.map((scope) => scope.value).filter((scope) => chosen.includes(scope)),
            )
          }
        >
          <Stack gap="xs" mt="xs">
            {CHOSEN_SCOPES.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}
