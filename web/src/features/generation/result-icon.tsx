import { ThemeIcon } from "@mantine/core";
import type { ReactNode } from "react";
import { type Tone, toneGround, toneText } from "@/lib/tone";

export function ResultIcon({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <ThemeIcon size={40} radius="xl" bg={toneGround(tone)} c={toneText(tone)} aria-hidden>
      {children}
    </ThemeIcon>
  );
}
