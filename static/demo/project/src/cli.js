// The commands: reads the arguments, changes the shelf and prints the result.
import { parseArgs } from 'node:util';
import { ShelfError, addBook, findBook, lendBook, returnBook } from './shelf.js';

const USAGE = `usage: shelf COMMAND

  add TITLE --by AUTHOR     put a book on the shelf
  lend TITLE --to FRIEND    write down who has it
  back TITLE                it came home
  list                      every book, and where it is

  --on YYYY-MM-DD           take this day for today
  --file PATH               another shelf than ~/.shelf.json`;

const OPTIONS = {
  by: { type: 'string' },
  to: { type: 'string' },
  on: { type: 'string' },
  file: { type: 'string' },
};

// Each command gets the shelf, a title and the options; it returns lines and possibly a new shelf.
const COMMANDS = {
  add(shelf, title, { by }) {
    const book = { title: needed(title, 'a title'), author: needed(by, '--by AUTHOR') };
    return { shelf: addBook(shelf, book), lines: [`${title} is on the shelf.`] };
  },

  lend(shelf, title, { to, on }) {
    const book = findBook(shelf, needed(title, 'a title'));
    const loan = { to: needed(to, '--to FRIEND'), since: on };
    return { shelf: lendBook(shelf, title, loan), lines: [`${to} has ${book.title} now.`] };
  },

  back(shelf, title) {
    const book = findBook(shelf, needed(title, 'a title'));
    return { shelf: returnBook(shelf, title), lines: [`Welcome home, ${book.title}.`] };
  },

  list(shelf) {
    if (shelf.books.length === 0) return { lines: ['The shelf is empty.'] };
    return { lines: shelf.books.map((book) => `${book.title} by ${book.author}, ${place(book)}`) };
  },
};

/**
 * Runs one command and returns the exit code. `open(path)` gives a store, `today` is a day such as
 * "2026-05-04", and `print` takes one line.
 */
export function run(args, { open, today, print }) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    const [name, title] = positionals;
    if (!Object.hasOwn(COMMANDS, name ?? '')) {
      print(USAGE);
      return 2;
    }
    const store = open(values.file);
    const options = { ...values, on: day(values.on ?? today) };
    const { shelf, lines } = COMMANDS[name](store.load(), title, options);
    if (shelf) store.save(shelf);
    lines.forEach((line) => print(line));
    return 0;
  } catch (error) {
    const isOurs = error instanceof ShelfError || error.code?.startsWith('ERR_PARSE_ARGS');
    if (!isOurs) throw error;
    print(error.message);
    return 1;
  }
}

function place({ loan }) {
  return loan ? `with ${loan.to} since ${loan.since}` : 'at home';
}

function needed(value, what) {
  if (!value) throw new ShelfError(`This command needs ${what}.`);
  return value;
}

function day(text) {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (!isDay) throw new ShelfError(`"${text}" is not a day such as 2026-05-04.`);
  return text;
}
