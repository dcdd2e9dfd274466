import { useComputedColorScheme } from "@mantine/core";

export const useComputedScheme = () => useComputedColorScheme("light");
