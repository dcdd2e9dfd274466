// The languages of contracts in the editor: highlighting, folding and indentation.
import {
  continuedIndent,
  defineLanguageFacet,
  foldInside,
  foldNodeProp,
  indentNodeProp,
  Language,
  LRLanguage,
  languageDataProp,
} from "@codemirror/language";
import type { ContractFormat } from "@/lib/api";

const LANGUAGES: Record<ContractFormat, () => Promise<Language>> = {
  json: async () => {
    const { parser } = await import("@lezer/json");
    return LRLanguage.define({
      parser: parser.configure({
        props: [
          foldNodeProp.add({ "Object Array": foldInside }),
          indentNodeProp.add({
            Object: continuedIndent({ except: /^\s*\}/ }),
            Array: continuedIndent({ except: /^\s*\]/ }),
          }),
        ],
      }),
    });
  },
  yaml: async () => {
    const { parser } = await import("@lezer/yaml");
    return LRLanguage.define({
      parser: parser.configure({
        props: [
          foldNodeProp.add({
            "FlowMapping FlowSequence": foldInside,
            "Item Pair BlockLiteral": (node, state) => ({
              from: state.doc.lineAt(node.from).to,
              to: node.to,
            }),
          }),
        ],
      }),
      languageData: { commentTokens: { line: "#" } },
    });
  },
  markdown: async () => {
    const { parser, GFM } = await import("@lezer/markdown");
    const facet = defineLanguageFacet();
    const props = [languageDataProp.add({ Document: facet })];
    return new Language(facet, parser.configure([GFM, { props }]), [], "markdown");
  },
};

export const codeLanguage = (format: ContractFormat) => LANGUAGES[format]();
