import { Box } from "@mantine/core";
import { Disclosure } from "@/components/disclosure";
import { FailureText } from "@/components/failure-text";
import { OutputText } from "@/components/output-text";
import { failureOf } from "@/domain/failing-test";

/** The message of an error, with its output on demand. */
export function FailureMessage({ message }: { message: string }) {
  const failure = failureOf(message);
  return (
    <Box mt={4}>
      <FailureText failure={failure} />
      {failure.output.trim() !== "" && (
        <Disclosure summary="Output">
          <OutputText text={failure.output} />
        </Disclosure>
      )}
    </Box>
  );
}
