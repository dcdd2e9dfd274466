import { Select } from "@mantine/core";

const NEVER = "never";
const LIVES = [
  { value: NEVER, label: "Never" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "365", label: "1 year" },
];

interface Props {
  label: string;
  /** In days; null for a key that does not expire. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** Asks when a key expires. */
export function KeyLife({ label, value, onChange }: Props) {
  return (
    <Select
      label={label}
      data={LIVES}
      value={value === null ? NEVER : String(value)}
      onChange={(chosen) => onChange(chosen === null || chosen === NEVER ? null : Number(chosen))}
      allowDeselect={false}
    />
  );
}
