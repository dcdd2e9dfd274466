// Loaded only where a document is read.
import { Anchor, Code, Table, Typography } from "@mantine/core";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

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
            <Table.ScrollContainer minWidth={400}>
              <Table>{children}</Table>
            </Table.ScrollContainer>
          ),
          pre: ({ children }) => (
            <Code block tabIndex={0} component="pre">
              {children}
            </Code>
          ),
          img: ({ alt }) => <em>{alt}</em>,
        }}
      >
        {text}
      </ReactMarkdown>
    </Typography>
  );
}
