import {
  IconArrowUp,
  IconBan,
  IconCheck,
  IconFileDiff,
  IconGavel,
  IconListCheck,
  IconMessage,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPointFilled,
  IconRefresh,
  IconRocket,
  IconTerminal,
  IconTool,
} from "@tabler/icons-react";
import { InlineCode } from "@/components/inline-code";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import type { NoteIcon, Row } from "./row";
import { RowDisclosure } from "./row-disclosure";

const ICONS: Record<NoteIcon, typeof IconCheck> = {
  start: IconRocket,
  pause: IconPlayerPause,
  play: IconPlayerPlay,
  stop: IconPlayerStop,
  blocked: IconBan,
  message: IconMessage,
  plan: IconListCheck,
  task: IconCheck,
  file: IconFileDiff,
  push: IconArrowUp,
  retry: IconRefresh,
  fix: IconTool,
  check: IconGavel,
  log: IconTerminal,
  dot: IconPointFilled,
};

export function NoteRow({ row }: { row: Row & { kind: "note" } }) {
  const Icon = ICONS[row.icon];
  const color = row.tone === "neutral" ? "var(--mantine-color-dimmed)" : toneText(row.tone);
  const text = (
    <span className={row.tone === "neutral" ? classes.quiet : classes.words}>
      <InlineCode text={row.text} />
    </span>
  );
  const short = row.detail !== undefined && row.icon === "file";
  return (
    <Line
      icon={<Icon size={row.icon === "dot" ? 10 : 15} color={color} aria-hidden />}
      at={row.at}
      strong={row.tone === "bad"}
    >
      {row.detail && !short ? (
        <RowDisclosure rowKey={row.key} summary={text} openByDefault={row.icon === "plan"}>
          <pre className={classes.detail}>
            <InlineCode text={row.detail} />
          </pre>
        </RowDisclosure>
      ) : (
        <>
          {text}
          {short && <span className={classes.faint}>{row.detail}</span>}
        </>
      )}
    </Line>
  );
}
