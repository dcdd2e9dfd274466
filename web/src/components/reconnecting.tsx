import { Center, Loader } from "@mantine/core";
import { toneBar } from "@/lib/tone";

/** Shown while the connection is lost. */
export function Reconnecting({ lost }: { lost: boolean }) {
  return (
    <div role="status">
      {lost && (
        <Center {...toneBar("neutral")} p={4} fz="xs">
          <Loader size={12} color="currentColor" mr="xs" aria-hidden />
          Reconnecting… Missed activity is loaded once the connection is back.
        </Center>
      )}
    </div>
  );
}
