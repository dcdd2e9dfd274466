// Writes a compressed copy of each text file of the build, which the server sends to browsers that accept it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(js|css|html|svg)$/;

export function precompress(): Plugin {
  return {
    name: "precompress",
    apply: "build",
    writeBundle({ dir = "" }) {
      for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!TEXT.test(file)) continue;
        const text = readFileSync(join(dir, file));
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
        writeFileSync(join(dir, `${file}.br`), brotliCompressSync(text, { params }));
      }
    },
  };
}
