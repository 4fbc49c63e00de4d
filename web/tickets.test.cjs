'use strict';

// Tests that the jose package accepts exactly the valid tickets in tests/fixtures/ticket_vectors.json.
// tests/identity/ticket_test.cpp tests ratingd with the same file. The test does not need a site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {test} = require('node:test');

const file = path.join(__dirname, '../tests/fixtures/ticket_vectors.json');
const {vectors, ...setting} = JSON.parse(fs.readFileSync(file, 'utf8'));

test('tickets: jose and the rules judge each vector as it is stored', async () => {
  const {judge} = await import('./ticket_rules.mjs');
  assert.ok(vectors.length >= 200);
  for (const {name, token, audiences, ...stored} of vectors) {
    assert.deepEqual(await judge({token, audiences}, setting), stored, name);
  }
});

test('tickets: what jose refuses is never accepted', () => {
  const refused = vectors.filter(({jose}) => jose !== 'accepted');
  assert.ok(refused.length >= 100);
  for (const {name, verdict} of refused) assert.notEqual(verdict, 'accepted', name);
});
