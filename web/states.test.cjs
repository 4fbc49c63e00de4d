'use strict';

// Tests widgets without ratings, widgets whose votes would be rejected, and widgets whose service does
// not respond. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const {randomUUID} = require('node:crypto');
const {describe, test} = require('node:test');
const {api, becomes, message, newPage, open, remover, serve, serveWith, star, stat, widget} = require('./browser.cjs');

const rating = (id, slug, attributes = '', figures = '') =>
  `<ratingd-rating object-id="${id}" template="simple/${slug}" ${attributes}>${figures}</ratingd-rating>`;
const hint = (page, slug) => () => widget(page, slug).locator('.ratingd-hint').textContent();

// Casts a vote as another visitor.
const rate = (id, category = 'scale') =>
  fetch(`${api}/rate`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID()},
    body: JSON.stringify({object_id: id, category, value: 1}),
  });

// Changes all later responses to say that the service does not accept votes.
const refuse = (page, reason) =>
  page.route('**/v1/stats?*', async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    for (const one of json.data) {
      one.may_rate = {binary: false, bipolar: false, scale: false};
      one.refusals = {binary: reason, bipolar: reason, scale: reason};
    }
    await route.fulfill({response: answer, json});
  });

describe('A widget without ratings', () => {
  test('invites to rate', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(98201, 'stars') + rating(98201, 'slider')));
    for (const slug of ['stars', 'slider']) {
      await becomes('Be the first to rate', hint(page, slug));
      assert.ok(!(await widget(page, slug).locator('[data-stat=total]').isVisible()));
    }
    assert.ok(!(await widget(page, 'stars').locator('[data-stat=average]').isVisible()));
    // A slider without ratings must not look half full, and must show its maximum.
    assert.equal(await widget(page, 'slider').locator('input').inputValue(), '0');
    assert.match(await widget(page, 'slider').textContent(), /– \/ 10/);
    await star(page, 4).click();
    await becomes('', hint(page, 'stars'));
    await becomes(true, () => widget(page, 'stars').locator('[data-stat=total]').isVisible());
  });

  test('shows no number beside a reaction that nobody has chosen', async (t) => {
    const page = await newPage(t);
    const body = '<ratingd-reactions object-id="98203" facets="love,funny"></ratingd-reactions>';
    await open(page, await serve(page, body));
    const shown = () =>
      page.locator('[data-count]').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent).join());
    await becomes('0,0', async () => (await page.locator('[data-count]').allTextContents()).join());
    assert.equal(await shown(), '');
    await page.getByRole('button', {name: 'Love'}).click();
    await becomes('1', shown);
  });

  test('has the words of the owner for its stars', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(98202, 'stars', 'label-step_4="Yummy"')));
    assert.equal(await star(page, 4).getAttribute('title'), 'Yummy');
    assert.equal(await star(page, 5).getAttribute('title'), 'Excellent');
  });
});

describe('A vote that is refused', () => {
  test('has a fitting message if the script with the messages cannot be loaded', async (t) => {
    const page = await newPage(t);
    const json = {code: 'ratingd_rate_limited', message: 'x', data: {status: 429, policy: 'write', retry_after: 50}};
    await page.route('**/ratingd-refused.js*', (route) => route.abort());
    await page.route('**/v1/rate', (route) => route.fulfill({status: 429, json}));
    await open(page, await serve(page, rating(98291, 'stars')));
    await star(page, 4).click();
    await becomes('Rating not accepted.', message(page, 'stars'));
  });

  test('has no "undefined" in a text of the site that names a number', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(98292, 'stars', 'label-first="Be one of the first {n}" label-saved="Saved {n}!"')));
    await becomes('Be one of the first ', hint(page, 'stars'));
    await star(page, 4).click();
    await becomes('Saved !', message(page, 'stars'));
  });
});

describe('A vote that would be refused', () => {
  for (const [i, [reason, words]] of [
    ['disabled', 'Ratings are closed.'],
    ['type_disabled', 'Ratings are closed.'],
    ['category_disabled', 'Ratings are closed.'],
    ['login_required', 'Log in to rate'],
  ].entries()) {
    test(`is not offered: ${reason}`, async (t) => {
      const id = 98210 + i;
      for (const category of ['scale', 'binary']) await rate(id, category);
      const page = await newPage(t);
      const votes = [];
      page.on('request', (one) => one.url().includes('/rate') && votes.push(one));
      await refuse(page, reason);
      await open(page, await serve(page, rating(id, 'stars') + rating(id, 'heart') + rating(id, 'slider')));
      for (const slug of ['stars', 'heart', 'slider']) await becomes(words, hint(page, slug));
      await becomes('5.0', stat(page, 'stars', 'average'));
      await star(page, 2).click({force: true}); // it is marked as disabled
      await becomes(words, message(page, 'stars'));
      await widget(page, 'heart').getByRole('button').click({force: true});
      assert.ok(await widget(page, 'slider').locator('input').isDisabled());
      assert.equal(await star(page, 2).getAttribute('aria-disabled'), 'true');
      assert.deepEqual(votes, []);
    });
  }

  test('shows pale stars instead of outlines', async (t) => {
    const page = await newPage(t);
    await rate(98222);
    await fetch(`${api}/rate`, {
      method: 'POST',
      headers: {'Content-Type': 'application/json', 'X-Ratingd-Device': randomUUID()},
      body: JSON.stringify({object_id: 98222, category: 'scale', value: 0.2}),
    });
    const look = () =>
      widget(page, 'stars').locator('.ratingd-all').evaluateAll((all) =>
        all.map((one) => getComputedStyle(one)).map(({fillOpacity, stroke}) => `${fillOpacity} ${stroke === 'none'}`).join(),
      );
    const address = await serve(page, rating(98222, 'stars'));
    await open(page, address);
    await becomes('1 false,1 false,1 false,0 false,0 false', look);
    await refuse(page, 'disabled');
    await open(page, address);
    await becomes('1 true,1 true,1 true,0.25 true,0.25 true', look);
  });

  test('on any of several reactions is explained once, behind the last button', async (t) => {
    const page = await newPage(t);
    const refuseFacets = async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      for (const one of Object.values(json.data[0].facets)) {
        one.may_rate = {binary: false};
        one.refusals = {binary: 'login_required'};
      }
      await route.fulfill({response: answer, json});
    };
    await page.route('**/v1/stats?*', refuseFacets);
    const body = '<ratingd-reactions object-id="98223" facets="love,funny"></ratingd-reactions>';
    await open(page, await serve(page, body));
    const hints = page.locator('.ratingd-hint');
    await becomes('Log in to rate,Log in to rate', async () => (await hints.allTextContents()).join());
    assert.deepEqual(await hints.evaluateAll((all) => all.map((one) => one.checkVisibility())), [false, true]);
    const [button, reason] = await Promise.all([page.locator('[data-value]').last(), hints.last()].map((one) => one.boundingBox()));
    assert.ok(reason.x >= button.x + button.width);
  });

  test('on a reaction does not move the other buttons', async (t) => {
    const page = await newPage(t);
    const body = '<ratingd-reactions object-id="98224" facets="love,funny"></ratingd-reactions>';
    await open(page, await serve(page, body));
    const json = {code: 'ratingd_blocked', message: '', data: {status: 403}};
    await page.route('**/v1/rate*', (route) => route.fulfill({status: 403, json}));
    const [love, funny] = await page.locator('[data-value]').all();
    const before = await funny.boundingBox();
    await love.click();
    await page.getByText('Rating not accepted.').waitFor();
    assert.deepEqual(await funny.boundingBox(), before);
  });

  test('may still be one that can be withdrawn', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(98220, 'stars')));
    await star(page, 4).click();
    await becomes('Rating saved.', message(page, 'stars'));
    await refuse(page, 'disabled');
    await page.reload();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    assert.equal(await widget(page, 'stars').getByRole('button', {name: 'Change'}).count(), 0);
    await page.unroute('**/v1/stats?*');
    await remover(page, 'stars').click();
    await becomes('0', stat(page, 'stars', 'total'));
  });

  for (const reason of ['already_rated', 'cooldown']) {
    test(`has no button that would be refused: ${reason}`, async (t) => {
      const page = await newPage(t);
      await open(page, await serve(page, rating(98221, 'stars')));
      await star(page, 4).click();
      await becomes('Rating saved.', message(page, 'stars'));
      await refuse(page, reason);
      await page.reload();
      await becomes('Your rating: 4', stat(page, 'stars', 'own'));
      assert.equal(await widget(page, 'stars').locator('.ratingd-actions button').count(), 0);
    });
  }
});

describe('A page whose service is down', () => {
  test('keeps the figures of its server until there are others', async (t) => {
    const page = await newPage(t);
    await page.clock.install();
    await page.route(/v1\/(public\/)?stats/, (route) => route.abort());
    await page.goto(await serve(page, rating(98230, 'stars', '', '<bdi>4.3 of 5 (12 votes)</bdi>')));
    await page.clock.runFor(5000);
    await page.waitForLoadState('networkidle');
    assert.ok(await page.getByText('4.3 of 5 (12 votes)').isVisible());
    assert.equal(await page.locator('.ratingd').count(), 0);
    await page.unroute(/v1\/(public\/)?stats/);
    await page.clock.runFor(61_000);
    await becomes(0, async () => {
      await page.clock.runFor(1000);
      return page.getByText('4.3 of 5 (12 votes)').count();
    });
    assert.equal(await widget(page, 'stars').count(), 1);
  });
});

describe('Criteria', () => {
  test('say whether they are saved, with labels that are words', async (t) => {
    const page = await newPage(t);
    const body = '<ratingd-criteria object-id="98240" facets="taste,very-funny"></ratingd-criteria>';
    await open(page, await serveWith(page, {body}));
    await page.getByText('Very funny').waitFor();
    const overall = page.locator('[data-template=criteria]');
    await page.locator('[data-object-type="post:taste"] [role=radio]').nth(3).click();
    await becomes(true, () => overall.getByText('Not saved yet').isVisible());
    const asked = new Promise((resolve) => {
      page.on('dialog', async (dialog) => {
        resolve(dialog.type());
        await dialog.dismiss();
      });
    });
    await page.evaluate(() => window.location.reload());
    assert.equal(await asked, 'beforeunload');
    await overall.getByRole('button', {name: 'Save'}).click();
    await becomes(true, () => overall.getByText('Rating saved.').isVisible());
    assert.equal(await overall.getByText('Not saved yet').count(), 0);
    assert.match(await overall.textContent(), /4\.0.*1 vote/);
  });
});
