// Loaded on demand.
import { Anchor, Table, Typography } from "@mantine/core";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import classes from "./markdown.module.css";

export default function Markdown({ text }: { text: string }) {
  return (
    <Typography fz="md">
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
        }}
      >
        {text}
      </ReactMarkdown>
    </Typography>
  );
}
