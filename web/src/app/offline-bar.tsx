import { Center } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { toneBar } from "@/lib/tone";

export function OfflineBar() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Center {...toneBar("waiting")} py={6} px="md" fz="sm" ta="center">
          You are offline. Builds continue, and this page updates when you are back.
        </Center>
      )}
    </div>
  );
}
