'use strict';

// Tests widgets that cannot load the visitor's own numbers. Without the visitor's own numbers, a widget shows the
// public numbers, which caches may store. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const {randomUUID} = require('node:crypto');
const {describe, test} = require('node:test');
const {api, becomes, isOn, newPage, open, serve, star, stat} = require('./browser.cjs');

const place = (id) => `<div data-ratingd data-object-id="${id}" data-template="simple/stars"></div>`;

const failures = {
  'the database is down': (route) =>
    route.fulfill({status: 503, json: {code: 'ratingd_unavailable', message: 'x', data: {status: 503}}}),
  'a proxy answers for the service': (route) =>
    route.fulfill({status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>'}),
  'the address may not read now': (route) =>
    route.fulfill({status: 429, json: {code: 'ratingd_rate_limited', message: 'x', data: {retry_after: 1}}}),
  'the connection breaks': (route) => route.abort(),
};

const isOwn = (request) => request.url().includes('/v1/stats?');
const isPublic = (request) => request.url().includes('/v1/public/stats?');

// Casts a vote as another visitor.
async function rate(id) {
  const answer = await fetch(`${api}/rate`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID()},
    body: JSON.stringify({object_id: id, category: 'scale', value: 1}),
  });
  assert.equal(answer.status, 200);
}

describe('Widgets', () => {
  test('ask for the ids of a page in one order', async (t) => {
    const page = await newPage(t);
    const asked = page.waitForRequest(isOwn);
    await open(page, await serve(page, place(5309) + place(531) + place(5310)));
    assert.equal(new URL((await asked).url()).searchParams.get('object_ids'), '5309,531,5310');
  });

  // EasyPrivacy, a list for ad blockers, contains the rule "/stats?object".
  test('read their numbers from addresses that ad blockers leave alone', async (t) => {
    const page = await newPage(t);
    const read = [];
    page.on('request', (request) => request.url().includes('/stats') && read.push(request.url()));
    await page.route('**/v1/stats?*', failures['the connection breaks']);
    const reactions = '<ratingd-reactions object-id="5303" facets="love,funny"></ratingd-reactions>';
    await page.goto(await serve(page, place(5303) + reactions));
    await becomes(4, () => read.length);
    assert.deepEqual(read.filter((address) => address.includes('/stats?object')), []);
  });

  test('do not ask for public numbers while they have their own', async (t) => {
    const page = await newPage(t);
    const requests = [];
    page.on('request', (request) => requests.push(request));
    await open(page, await serve(page, place(5301)));
    await page.waitForLoadState('networkidle');
    assert.equal(requests.filter(isOwn).length, 1);
    assert.equal(requests.filter(isPublic).length, 0);
  });

  for (const [i, [what, fail]] of Object.entries(failures).entries()) {
    test(`show public numbers, but not instead of those that they had, when ${what}`, async (t) => {
      const id = 5320 + i;
      const page = await newPage(t);
      await open(page, await serve(page, place(id)));
      await star(page, 3).click();
      await becomes('1', stat(page, 'stars', 'total'));
      await rate(id + 10);
      // Respond with outdated numbers, as a cache might.
      await page.route('**/v1/public/stats?*', async (route) => {
        const answer = await route.fetch();
        const json = await answer.json();
        json.data[0].stats.scale.total = 0;
        await route.fulfill({response: answer, json});
      });

      await page.route('**/v1/stats?*', fail);
      const asked = page.waitForRequest(isPublic);
      await page.evaluate((html) => {
        document.body.insertAdjacentHTML('beforeend', `<section>${html}</section>`);
        return window.ratingd.scan(document.querySelector('section'));
      }, place(id) + place(id + 10));
      const headers = await (await asked).allHeaders();
      for (const name of ['cookie', 'x-wp-nonce', 'x-ratingd-device', 'authorization']) {
        assert.equal(headers[name], undefined, name);
      }
      const totals = page.locator('[data-stat=total]');
      assert.deepEqual(await totals.allTextContents(), ['1', '1', '1']);
      const third = page.locator(`[data-object-id="${id}"] [role=radio]:nth-of-type(3)`);
      assert.equal(await third.count(), 2);
      for (const one of await third.all()) await becomes('true', isOn(one));
    });
  }

  test('say why there are no numbers when public ones cannot be had either', async (t) => {
    const page = await newPage(t);
    await page.route('**/v1/stats?*', failures['the database is down']);
    await page.route('**/v1/public/stats?*', failures['the connection breaks']);
    const said = page.waitForEvent('console', (one) => one.type() === 'warning');
    await page.goto(await serve(page, place(5302)));
    const values = await Promise.all((await said).args().map((one) => one.jsonValue()));
    assert.equal(values[1].status, 503);
  });
});
