'use strict';

// Checks Python files with ruff (as WebAssembly) and ruff.toml.
//
//   node web/ruff.cjs FILE...

const fs = require('node:fs');
const path = require('node:path');
const {PositionEncoding, Workspace} = require('@astral-sh/ruff-wasm-nodejs');
const {parse} = require('smol-toml');

const settings = parse(fs.readFileSync(path.join(__dirname, '../ruff.toml'), 'utf8'));
const workspace = new Workspace(settings, PositionEncoding.Utf32);
for (const file of process.argv.slice(2)) {
  for (const {code, message, start_location: {row, column}} of workspace.check(fs.readFileSync(file, 'utf8'))) {
    process.stderr.write(`${file}:${row}:${column}: ${code ?? 'syntax'} ${message}\n`);
    process.exitCode = 1;
  }
}
