'use strict';

// Tests how ratingd distinguishes voters. In each browser, a person counts as one voter, even if the
// browser does not store cookies or if responses are lost. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {
  api,
  becomes,
  message,
  newPage,
  newPageWithoutCookies,
  open,
  ownOf,
  sendUnheard,
  serve,
  site,
  stat,
} = require('./browser.cjs');

const place = (id) => `<div><div data-ratingd data-object-id="${id}" data-template="simple/stars"></div></div>`;
const pageOf = (page, ids) => serve(page, ids.map(place).join(''));
const widgetOf = (page, id) => page.locator(`.ratingd[data-object-id="${id}"]`);
const choose = (page, id, n) =>
  widgetOf(page, id)
    .locator('[role=radio]')
    .nth(n - 1)
    .click();
const takeBack = (page, id) => widgetOf(page, id).getByRole('button', {name: 'Remove your rating'}).click();
const own = (page, id) => ownOf(widgetOf(page, id));
const says = (n) => `Your rating: ${n}`;
const total = (page, id) => () => widgetOf(page, id).locator('[data-stat=total]').textContent();

const deviceOf = (request) => request.headers()['x-ratingd-device'];

const loseAnswerOnce = (page) =>
  page.route(
    '**/rate*',
    async (route) => {
      assert.equal((await sendUnheard(route.request())).status, 200);
      await route.abort();
    },
    {times: 1},
  );

describe('A page view', () => {
  test('names itself in votes, and in reads only after the first vote', async (t) => {
    const page = await newPage(t);
    const sent = [];
    page.on('request', (request) => {
      if (request.url().includes('/stats?') || request.url().includes('/rate')) sent.push(deviceOf(request));
    });
    const address = await pageOf(page, [5101, 5102]);
    await open(page, address);
    assert.deepEqual(sent, [undefined]);
    await choose(page, 5101, 4);
    await becomes(says(4), own(page, 5101));
    await takeBack(page, 5101);
    await becomes('', own(page, 5101));
    await choose(page, 5102, 1);
    await becomes(says(1), own(page, 5102));
    await page.evaluate(() => window.ratingd.scan());
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend', '<p data-ratingd data-object-id="5103" data-category="binary"></p>');
      return window.ratingd.scan();
    });
    const [device] = sent.slice(1);
    assert.match(device, /^[\w-]{22,128}$/);
    assert.ok(sent.length >= 5);
    assert.deepEqual(new Set(sent.slice(1)), new Set([device]));
    assert.ok(!(await page.content()).includes(device));

    sent.length = 0;
    await open(page, address);
    await choose(page, 5101, 2);
    await becomes(says(2), own(page, 5101));
    assert.equal(sent[0], undefined);
    assert.notEqual(sent[1], device);
  });

  test('whose answer is lost sends the vote again, and it counts once', async (t) => {
    const page = await newPage(t);
    const address = await pageOf(page, [5111]);
    await open(page, address);
    await loseAnswerOnce(page);
    await choose(page, 5111, 4);
    await becomes(says(4), own(page, 5111));
    await becomes('1', total(page, 5111));
    await open(page, address);
    await becomes(says(4), own(page, 5111));
    await becomes('1', total(page, 5111));
  });

  test('that hears nothing is the same voter at the next click', async (t) => {
    const page = await newPage(t);
    const address = await pageOf(page, [5112]);
    await open(page, address);
    await page.route('**/rate', async (route) => {
      assert.equal((await sendUnheard(route.request())).status, 200);
      await route.abort();
    });
    await choose(page, 5112, 4);
    await becomes('Not saved. Please try again.', message(page, 'stars'));
    // The response shows the vote, so the service recognized the voter and counted the vote.
    await becomes(says(4), own(page, 5112));
    await page.unroute('**/rate');
    await choose(page, 5112, 2);
    await becomes(says(2), own(page, 5112));
    await becomes('1', total(page, 5112));
    await open(page, address);
    await becomes(says(2), own(page, 5112));
  });

  test('takes a vote back whose removal was done unheard', async (t) => {
    const page = await newPage(t);
    await open(page, await pageOf(page, [5113]));
    await choose(page, 5113, 5);
    await becomes(says(5), own(page, 5113));
    await loseAnswerOnce(page);
    await takeBack(page, 5113);
    await becomes('Rating removed.', message(page, 'stars'));
    await becomes('', own(page, 5113));
    await becomes('0', total(page, 5113));
  });

  test('with two widgets clicked at the same moment is one voter', async (t) => {
    const page = await newPage(t);
    const ids = [5121, 5122];
    const address = await pageOf(page, ids);
    await open(page, address);
    const held = [];
    await page.route('**/rate', (route) => {
      held.push(route);
      if (held.length === ids.length) for (const one of held) one.continue();
    });
    for (const id of ids) await choose(page, id, 3);
    for (const id of ids) await becomes(says(3), own(page, id));
    await page.unroute('**/rate');
    await open(page, address);
    for (const id of ids) {
      await becomes(says(3), own(page, id));
      await becomes('1', total(page, id));
    }
  });

  test('without cookies is one voter', async (t) => {
    const page = await newPageWithoutCookies(t);
    const ids = [5131, 5132];
    await open(page, await pageOf(page, ids));
    await choose(page, 5131, 4);
    await becomes(says(4), own(page, 5131));
    assert.deepEqual(await page.context().cookies(), []);
    await choose(page, 5131, 2);
    await becomes(says(2), own(page, 5131));
    await becomes('1', total(page, 5131));
    await choose(page, 5132, 5);
    await becomes(says(5), own(page, 5132));
    await takeBack(page, 5131);
    await becomes('', own(page, 5131));
    await becomes('0', total(page, 5131));
    await becomes('1', total(page, 5132));
  });

  test('of an allowed origin that gets no cookie is one voter', async (t) => {
    const page = await newPageWithoutCookies(t);
    await open(page, site.friend);
    await choose(page, 5141, 4);
    await becomes(says(4), own(page, 5141));
    await choose(page, 5141, 1);
    await becomes(says(1), own(page, 5141));
    await becomes('1', stat(page, 'stars', 'total'));
  });
});

describe('Thirty people with equal browsers behind one address', () => {
  const people = Array.from({length: 30}, (_, i) => i);
  const ids = Array.from({length: 3}, (_, i) => 5201 + i);
  const opinion = (person, i) => ((person + i) % 5) + 1;
  const userAgent = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36';

  // Runs a task for each person. The number of parallel tasks depends on the machine.
  async function forEachPerson(task) {
    const waiting = [...people];
    const work = async () => {
      for (let person = waiting.shift(); person !== undefined; person = waiting.shift()) await task(person);
    };
    await Promise.all(Array.from({length: 5}, work));
  }

  test('give 90 votes, and each sees and changes only their own', async (t) => {
    const pages = [];
    await forEachPerson(async (person) => {
      const page = (pages[person] = await newPage(t, {userAgent}));
      await open(page, await pageOf(page, ids));
      for (const [i, id] of ids.entries()) {
        assert.equal(await own(page, id)(), '');
        await choose(page, id, opinion(person, i));
      }
      for (const [i, id] of ids.entries()) await becomes(says(opinion(person, i)), own(page, id));
    });
    const totals = async () => {
      const answer = await pages[0].request.get(`${api}/stats?object_ids=${ids}`);
      return (await answer.json()).data.map((one) => one.stats.scale.total);
    };
    assert.deepEqual(await totals(), Array(ids.length).fill(people.length));

    const changed = (person) => (opinion(person, 0) % 5) + 1;
    await forEachPerson(async (person) => {
      const page = pages[person];
      await open(page, page.url());
      for (const [i, id] of ids.entries()) await becomes(says(opinion(person, i)), own(page, id));
      await choose(page, ids[0], changed(person));
      await becomes(says(changed(person)), own(page, ids[0]));
    });
    await forEachPerson(async (person) => {
      const page = pages[person];
      await open(page, page.url());
      await becomes(says(changed(person)), own(page, ids[0]));
      for (const [i, id] of ids.entries()) {
        if (i > 0) await becomes(says(opinion(person, i)), own(page, id));
      }
    });
    assert.deepEqual(await totals(), Array(ids.length).fill(people.length));
  });
});
