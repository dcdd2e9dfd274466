// Loaded on demand.
import { Anchor, Table, Text, Typography } from "@mantine/core";
import type { ReactNode } from "react";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import classes from "./markdown.module.css";

interface MarkdownProps {
  text: string;
  size?: "sm" | "md";
  /** Whether headings are shown as paragraphs, where the page has headings of its own. */
  plainHeadings?: boolean;
}

/** The headings of a text rank below the title of the page. */
const HEADINGS = { h1: "h2", h2: "h3", h3: "h4", h4: "h5", h5: "h6" } as const;

const PLAIN_HEADINGS = Object.fromEntries(
  ["h1", "h2", "h3", "h4", "h5", "h6"].map((level) => [
    level,
    ({ children }: { children?: ReactNode }) => (
      <Text fw={650} mb={4}>
        {children}
      </Text>
    ),
  ]),
);

export default function Markdown({ text, size = "md", plainHeadings = false }: MarkdownProps) {
  return (
    <Typography className={classes.text} fz={size}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) => (
            <Anchor href={href} target="_blank" rel="noreferrer noopener" underline="always">
              {children}
            </Anchor>
          ),
          table: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables are scrolled with the keyboard
            <div className={classes.scroll} tabIndex={0}>
              <Table miw={400}>{children}</Table>
            </div>
          ),
          pre: ({ children }) => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard
            <pre className={classes.block} tabIndex={0}>
              {children}
            </pre>
          ),
          img: ({ alt }) => <em>{alt}</em>,
          ...(plainHeadings ? PLAIN_HEADINGS : HEADINGS),
        }}
      >
        {text}
      </ReactMarkdown>
    </Typography>
  );
}
