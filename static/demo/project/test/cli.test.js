import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../src/cli.js';
import { emptyShelf } from '../src/shelf.js';

/** A shelf in memory on which commands run, all on 1 March 2026. */
function desk() {
  let shelf = emptyShelf();
  const store = { load: () => shelf, save: (changed) => (shelf = changed) };
  return (...args) => {
    const lines = [];
    const print = (line) => lines.push(line);
    const code = run(args, { open: () => store, today: '2026-03-01', print });
    return { code, text: lines.join('\n') };
  };
}

test('a book is added, lent and returned', () => {
  const shelf = desk();
  assert.equal(shelf('list').text, 'The shelf is empty.');
  assert.equal(shelf('add', 'Dune', '--by', 'Frank Herbert').text, 'Dune is on the shelf.');
  assert.equal(shelf('lend', 'dune', '--to', 'Sam').text, 'Sam has Dune now.');
  assert.match(shelf('list').text, /^Dune by Frank Herbert, with Sam since 2026-03-01/);
  assert.equal(shelf('back', 'Dune').text, 'Welcome home, Dune.');
  assert.equal(shelf('list').text, 'Dune by Frank Herbert, at home');
});

test('--on replaces the current day', () => {
  const shelf = desk();
  shelf('add', 'Emma', '--by', 'Jane Austen');
  shelf('lend', 'Emma', '--to', 'Ada', '--on', '2026-02-14');
  assert.match(shelf('list').text, /since 2026-02-14/);
});

test('what is wrong is said in one line', () => {
  const shelf = desk();
  for (const [args, text] of [
    [['add', 'Dune'], 'This command needs --by AUTHOR.'],
    [['back', 'Dune'], 'There is no "Dune" on the shelf.'],
    [['list', '--on', '2026-02-30'], '"2026-02-30" is not a day such as 2026-05-04.'],
  ]) {
    assert.deepEqual(shelf(...args), { code: 1, text });
  }
});

test('the usage is printed without a command', () => {
  assert.match(desk()().text, /^usage: shelf COMMAND/);
  assert.equal(desk()('toString').code, 2);
});
