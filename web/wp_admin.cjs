'use strict';

// Opens pages in wp-admin for browser tests and prepares the site for them.

const assert = require('node:assert/strict');
const {randomUUID} = require('node:crypto');
const axe = require('axe-core');
const {api, becomes, logIn, newPage, site} = require('./browser.cjs');

const admin = (page, address) => page.goto(`${site.url}/wp-admin/${address}`);

// Matches a message that the editor in WordPress 7.1 logs about its own style sheet.
const itsOwn = /^global-styles-css-custom-properties-inline-css was added to the iframe incorrectly/;

// Opens wp-admin as the user "login". The test fails if the console contains a message.
async function enter(t, login = site.administrator, options = {}) {
  const page = await newPage(t, options);
  const said = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || itsOwn.test(message.text())) return;
    said.push(`${message.text()} ${message.location().url}`);
  });
  t.after(() => assert.deepEqual(said, []));
  page.silence = () => said.splice(0);
  // Block requests to other hosts.
  await page.route(/^https?:/, (route) =>
    route.request().url().startsWith(site.url) ? route.fallback() : route.fulfill({}),
  );
  await page.route('**/block-directory/**', (route) => route.fulfill({json: []}));
  await logIn(page, login);
  await admin(page, '');
  return page;
}

// Sends a request to WordPress's own API as the logged-in user.
const ask = (page, address, data) =>
  page.evaluate(
    async ([url, ajax, body]) => {
      const nonce = await (await fetch(ajax)).text();
      const headers = {'X-WP-Nonce': nonce, 'Content-Type': 'application/json'};
      const answer = await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)});
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    },
    [`${site.url}/wp-json/${address}`, `${site.url}/wp-admin/admin-ajax.php?action=rest-nonce`, data],
  );

const publish = async (page, title, type = 'posts', content = 'Words.') =>
  (await ask(page, `wp/v2/${type}`, {title, content, status: 'publish'})).id;

// Adds anonymous votes. Each vote is cast by a different person.
async function vote(id, category, values) {
  for (const value of values) {
    const headers = {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID()};
    const body = JSON.stringify({object_id: id, category, value});
    const answer = await fetch(api + '/rate', {method: 'POST', headers, body});
    assert.equal(answer.status, 200, await answer.text());
  }
}

let names = 0;
const newName = (what) => `${what} ${process.pid}.${++names}`;

async function audit(page, selector) {
  await page.evaluate(axe.source);
  const {violations} = await page.evaluate((given) => window.axe.run(given), selector);
  const found = violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join('\n')}`);
  assert.deepEqual(found, []);
}

// Opens an editor panel with the keyboard, because a click may miss the panel while the panels above are
// still growing. WordPress stores which panels a user has opened, so the panel may already be open.
async function unfold(button) {
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.press('Enter');
  await becomes('true', () => button.getAttribute('aria-expanded'));
}

module.exports = {admin, ask, audit, enter, newName, publish, unfold, vote};
