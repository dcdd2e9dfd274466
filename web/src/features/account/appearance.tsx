import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { SectionCard } from "@/components/section-card";

const CHOICES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "auto", label: "As the system" },
];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SectionCard title="Appearance" description="Kept in this browser.">
      <SegmentedControl
        aria-label="Colour scheme"
        data={CHOICES}
        w="fit-content"
        maw="100%"
        value={colorScheme}
        onChange={(value) => setColorScheme(value as "light" | "dark" | "auto")}
      />
    </SectionCard>
  );
}
