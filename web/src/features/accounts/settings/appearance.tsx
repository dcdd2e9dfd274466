import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { SectionCard } from "@/components/section-card";

const CHOICES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "auto", label: "System" },
];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SectionCard title="Appearance" description="Applies to this browser.">
      <SegmentedControl
        aria-label="Color scheme"
        data={CHOICES}
        w="fit-content"
        maw="100%"
        value={colorScheme}
        onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
      />
    </SectionCard>
  );
}
