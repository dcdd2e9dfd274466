import { Box, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { type Tone, toneText } from "@/lib/tone";
import classes from "./bars.module.css";

interface Series {
  key: string;
  label: string;
  tone: Tone;
}

interface BarRow {
  key: string;
  label: string;
  detail?: string;
  /** By key of the series. */
  values: Record<string, number>;
  /** Overrides the tones of the series. */
  tone?: Tone;
  /** Shown at the end of the row. */
  total: string;
}

interface BarsProps {
  caption: string;
  /** What a row is, as the first column header of the table. */
  of: string;
  series: Series[];
  rows: BarRow[];
  format: (value: number) => string;
  /** One bar per series, below each other for comparison; otherwise one stacked bar. */
  grouped?: boolean;
}

/** The bars of a row, each a list of series. */
const barsOf = (series: Series[], apart: boolean) =>
  apart ? series.map((each) => [each]) : [series];

const sum = (row: BarRow, series: Series[]) =>
  series.reduce((total, { key }) => total + (row.values[key] ?? 0), 0);

/** A bar chart, and the same numbers as a table for screen readers. */
export function Bars({ caption, of, series, rows, format, grouped = false }: BarsProps) {
  const used = series.filter(({ key }) => rows.some((row) => row.values[key]));
  const bars = barsOf(used, grouped);
  const longest = Math.max(1, ...rows.flatMap((row) => bars.map((bar) => sum(row, bar))));
  return (
    <Box component="figure" pos="relative">
      <div aria-hidden>
        {used.length > 1 && (
          <Group gap="0.25rem 1rem" mb="sm" c="dimmed" fz="xs">
            {used.map(({ key, label, tone }) => (
              <Group component="span" key={key} gap={6}>
                <Box
                  component="span"
                  w={10}
                  h={10}
                  bdrs={2}
                  style={{ background: toneText(tone) }}
                />
                {label}
              </Group>
            ))}
          </Group>
        )}
        <Stack gap={12}>
          {rows.map((row) => (
            <div key={row.key}>
              <Group justify="space-between" align="baseline" gap="0 1rem" mb={4} fz="sm">
                <Box component="span" miw={0} fw={550}>
                  {row.label}{" "}
                  {row.detail && (
                    <Text span inherit c="dimmed" fz="xs" fw={400}>
                      {row.detail}
                    </Text>
                  )}
                </Box>
                <span className="tabular">{row.total}</span>
              </Group>
              {bars.map((bar) => (
                <div key={bar[0]?.key} className={classes.track}>
                  {bar
                    .filter(({ key }) => row.values[key])
                    .map(({ key, tone }) => (
                      <span
                        key={key}
                        className={classes.part}
                        style={{
                          width: `${(100 * (row.values[key] ?? 0)) / longest}%`,
                          background: toneText(row.tone ?? tone),
                        }}
                      />
                    ))}
                </div>
              ))}
            </div>
          ))}
        </Stack>
      </div>
      <VisuallyHidden component="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            {series.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{[row.label, row.detail].filter(Boolean).join(", ")}</th>
              {series.map(({ key }) => (
                <td key={key}>{format(row.values[key] ?? 0)}</td>
              ))}
              <td>{row.total}</td>
            </tr>
          ))}
        </tbody>
      </VisuallyHidden>
    </Box>
  );
}
