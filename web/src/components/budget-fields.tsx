import { Checkbox, NumberInput, SimpleGrid, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { type LimitLevels, type LimitName, limitSource } from "@/domain/budget-limits";
import type { BudgetLimits, Budgets } from "@/lib/api";
import { formatCount } from "@/lib/format";

interface Field {
  name: LimitName;
  label: string;
  /** Stored units per displayed unit. */
  scale: number;
  step: number;
  min: number;
  max?: number;
  /** Whether the limit can be removed. */
  optional: boolean;
}

const FIELDS: Field[] = [
  { name: "usd_micros", label: "US dollars", scale: 1_000_000, step: 1, min: 0.01, optional: true },
  { name: "tokens", label: "Tokens", scale: 1, step: 100_000, min: 1_000, optional: true },
  {
    name: "minutes",
    label: "Working time (minutes)",
    scale: 1,
    step: 10,
    min: 1,
    max: 10_080,
    optional: true,
  },
  {
    name: "iterations",
    label: "Rounds per phase",
    scale: 1,
    step: 1,
    min: 1,
    max: 100,
    optional: false,
  },
  {
    name: "clarifications",
    label: "Questions",
    scale: 1,
    step: 1,
    min: 0,
    max: 100,
    optional: false,
  },
  {
    name: "permission_prompts",
    label: "Permission prompts",
    scale: 1,
    step: 10,
    min: 0,
    max: 1_000,
    optional: false,
  },
];

interface BudgetFieldsProps {
  limits: BudgetLimits;
  /** The limits that apply where nothing is set here. */
  inherited: Budgets;
  /** The levels above, which tell where an inherited limit comes from. */
  levels: LimitLevels;
  /** The limits to show; all of them by default. */
  names?: LimitName[];
  /** Validation errors of the server, by field: `budgets.minutes`. */
  errors?: Record<string, ReactNode>;
  onChange: (limits: BudgetLimits) => void;
}

/** The budget limits of one level; an empty field inherits. */
export function BudgetFields(props: BudgetFieldsProps) {
  const { limits, inherited, levels, names, errors = {}, onChange } = props;
  const fields = names ? FIELDS.filter(({ name }) => names.includes(name)) : FIELDS;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {fields.map(({ name, label, scale, step, min, max, optional }) => {
        const set = limits[name] ?? null;
        const unlimited = set === "unlimited";
        const change = (value: number | "unlimited" | null) =>
          onChange({ ...limits, [name]: value });
        return (
          <Stack key={name} gap={6}>
            <NumberInput
              label={label}
              placeholder={
                unlimited
                  ? "No limit"
                  : inheritedText(limitSource(name, levels), inherited[name] ?? null, scale)
              }
              disabled={unlimited}
              min={min}
              max={max}
              step={step}
              decimalScale={scale === 1 ? 0 : 2}
              clampBehavior="blur"
              thousandSeparator=","
              value={typeof set === "number" ? set / scale : ""}
              error={errors[`budgets.${name}`]}
              onChange={(value) => change(value === "" ? null : Math.round(Number(value) * scale))}
            />
            {optional && (
              <Checkbox
                size="xs"
                label="No limit"
                aria-label={`No limit: ${label}`}
                checked={unlimited}
                onChange={(event) => change(event.currentTarget.checked ? "unlimited" : null)}
              />
            )}
          </Stack>
        );
      })}
    </SimpleGrid>
  );
}

const inheritedText = (source: string, limit: number | null, scale: number) =>
  `${source}: ${limit === null ? "no limit" : formatCount(limit / scale)}`;
