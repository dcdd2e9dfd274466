#!/usr/bin/env node
// The program: the only module that uses the clock, the home folder and the terminal.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './cli.js';
import { fileStore } from './store.js';

process.exitCode = run(process.argv.slice(2), {
  open: (path) => fileStore(path ?? join(homedir(), '.shelf.json')),
  today: new Date().toISOString().slice(0, 10),
  print: (line) => console.log(line),
});
