import { Box, type BoxProps, type ElementProps } from "@mantine/core";

interface CardPartProps extends BoxProps, ElementProps<"div", keyof BoxProps> {}

/** A further part of a card, below a line. */
export function CardPart(props: CardPartProps) {
  return <Box mt="lg" pt="md" style={{ borderTop: "1px solid var(--line)" }} {...props} />;
}
