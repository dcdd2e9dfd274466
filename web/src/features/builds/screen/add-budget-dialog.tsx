import { Alert, Button, Modal, NumberInput, SimpleGrid, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { DialogActions } from "@/components/dialog-actions";

export interface AddedBudget {
  iterations: number;
  minutes: number;
  tokens: number;
  usd_micros: number;
}

const FIELDS: { key: keyof AddedBudget; label: string; step: number; scale: number }[] = [
  { key: "iterations", label: "Rounds per phase", step: 1, scale: 1 },
  { key: "minutes", label: "Working time (minutes)", step: 10, scale: 1 },
  { key: "tokens", label: "Tokens", step: 100_000, scale: 1 },
  { key: "usd_micros", label: "US dollars", step: 1, scale: 1_000_000 },
];

/** The exhausted limit, by the reason why a build is blocked. */
const USED_UP: Record<string, keyof AddedBudget> = {
  iterations: "iterations",
  minutes: "minutes",
  tokens: "tokens",
  usd: "usd_micros",
};

interface AddBudgetDialogProps {
  opened: boolean;
  /** Why the build is blocked. */
  reason: string | null | undefined;
  /** Why the server rejected a resume without a larger budget. */
  rejection: string | null;
  onClose: () => void;
  onResume: (added: AddedBudget) => void;
  /** What else the user should know. */
  children?: ReactNode;
}

/** Resumes a blocked build with a larger budget. An exhausted limit must be increased. */
export function AddBudgetDialog(props: AddBudgetDialogProps) {
  const { opened, reason, rejection, onClose, onResume, children } = props;
  const [added, setAdded] = useState<AddedBudget>({
    iterations: 0,
    minutes: 0,
    tokens: 0,
    usd_micros: 0,
  });
  const required = USED_UP[reason ?? ""];
  const isMissing =
    required === undefined
      ? rejection !== null && Object.values(added).every((amount) => amount === 0)
      : added[required] === 0;
  return (
    <Modal opened={opened} onClose={onClose} title="Resume build" centered zIndex={320}>
      {rejection && (
        <Alert color="yellow" role="alert" mb="md" p="sm">
          {rejection}
        </Alert>
      )}
      {children}
      <Text fz="sm" c="dimmed" mb="md">
        The build reached a limit. Increase it to resume the build.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {FIELDS.map(({ key, label, step, scale }) => (
          <NumberInput
            key={key}
            label={label}
            required={key === required}
            min={0}
            step={step}
            thousandSeparator=","
            value={added[key] / scale}
            onChange={(value) =>
              setAdded({ ...added, [key]: Math.round(Number(value || 0) * scale) })
            }
          />
        ))}
      </SimpleGrid>
      <DialogActions onCancel={onClose}>
        <Button disabled={isMissing} onClick={() => onResume(added)}>
          Resume
        </Button>
      </DialogActions>
    </Modal>
  );
}
