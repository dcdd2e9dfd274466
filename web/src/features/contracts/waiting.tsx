import { Center, Loader } from "@mantine/core";

/** In the place of a part that is still on its way. */
export function Waiting() {
  return (
    <Center py="xl">
      <Loader aria-label="Loading" />
    </Center>
  );
}
