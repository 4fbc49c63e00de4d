'use strict';

// Tests clicks, taps and key presses. To test a new situation, add a page to tests/pages/clicks/.
// tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, count, isOn, message, newPage, open, quiet, remover, serve, star, stat, widget} = require('./browser.cjs');

const folder = path.join(__dirname, '../tests/pages/clicks');
// Returns the HTML of a test page with the given object id. Object ids in these tests begin with 98, so they differ
// from the ids in other tests.
const situation = (name, id) => fs.readFileSync(path.join(folder, `${name}.html`), 'utf8').replaceAll('@ID@', id);

async function openSituation(t, name, id, options) {
  const page = await newPage(t, options);
  await open(page, await serve(page, situation(name, id)));
  await widget(page, name === 'own-template' ? '' : 'stars').or(page.locator('.numbers')).first().waitFor();
  return page;
}

// Returns a list that collects all later vote requests.
function votesOf(page) {
  const seen = [];
  page.on('request', (one) => one.url().includes('/v1/rate') && seen.push(one));
  return seen;
}

// Delays vote requests until the returned function is called.
async function holdVotes(page, answer = (route) => route.continue()) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route('**/v1/rate*', async (route) => {
    await released;
    await answer(route);
  });
  return release;
}

const refuse = (route) =>
  route.fulfill({status: 403, json: {code: 'ratingd_blocked', message: '', data: {status: 403}}});
const heart = (page) => widget(page, 'heart').getByRole('button');
const slider = (page) => widget(page, 'slider').locator('input');
const own = (page, slug) => () => widget(page, slug).getAttribute('data-user-rating');
const isFree = (page, slug) => becomes('false', () => widget(page, slug).getAttribute('aria-busy'));
const settle = async (page, slug) => {
  await isFree(page, slug);
  await page.waitForLoadState('networkidle');
};

describe('A double click', () => {
  for (const [i, delay] of [0, 60, 150, 300].entries()) {
    test(`of ${delay} ms is one vote`, async (t) => {
      const page = await openSituation(t, 'clicks', 98100 + i);
      const votes = votesOf(page);
      const twice = (one) => one.click({clickCount: 2, delay: delay / 3});
      await twice(star(page, 4));
      await settle(page, 'stars');
      assert.equal(await own(page, 'stars')(), '0.8');
      await twice(heart(page));
      await settle(page, 'heart');
      assert.equal(await own(page, 'heart')(), '1');
      const love = page.locator('[data-object-type="post:love"] button');
      await twice(love);
      await becomes('1', () => love.locator('[data-count]').textContent());
      assert.equal(await love.getAttribute('aria-pressed'), 'true');
      assert.equal(votes.length, 3);
      assert.ok(votes.every((one) => !one.url().includes('_method')));
    });
  }

  test('on a slow line is one vote', async (t) => {
    const page = await openSituation(t, 'clicks', 98110);
    const votes = votesOf(page);
    const release = await holdVotes(page);
    // Browsers do not treat two scripted clicks as a double click.
    for (let i = 0; i < 2; ++i) await heart(page).evaluate((one) => one.click());
    release();
    await becomes('1', count(page, 'heart', 'positive'));
    await heart(page).evaluate((one) => one.click());
    await settle(page, 'heart');
    assert.equal(await own(page, 'heart')(), '1');
    assert.equal(votes.length, 1);
  });
});

describe('A click', () => {
  test('on the own star takes nothing back', async (t) => {
    const page = await openSituation(t, 'clicks', 98120);
    await star(page, 4).click();
    await becomes('1', stat(page, 'stars', 'total'));
    const votes = votesOf(page);
    await quiet(page);
    await star(page, 4).click();
    await page.waitForLoadState('networkidle');
    assert.equal(await own(page, 'stars')(), '0.8');
    assert.deepEqual(votes, []);
  });

  test('on a heart that was given long ago takes it back', async (t) => {
    const page = await openSituation(t, 'clicks', 98121);
    await heart(page).click();
    await becomes('1', count(page, 'heart', 'positive'));
    await open(page, page.url());
    await becomes('true', isOn(heart(page), 'aria-pressed'));
    await heart(page).click();
    await becomes('0', count(page, 'heart', 'positive'));
  });

  test('before the numbers are known gives a vote', async (t) => {
    const page = await newPage(t);
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route('**/v1/stats?*', async (route) => {
      const answer = await route.fetch();
      await released;
      await route.fulfill({response: answer});
    });
    await page.goto(await serve(page, situation('clicks', 98122)));
    const love = page.locator('[data-object-type="post:love"] button');
    const votes = votesOf(page);
    await love.click();
    await becomes('1', () => love.locator('[data-count]').textContent());
    await heart(page).click();
    await becomes('1', count(page, 'heart', 'positive'));
    assert.deepEqual(votes.map((one) => [one.method(), one.url().includes('_method')]), [['POST', false], ['POST', false]]);
    // A response to a request that was sent before the vote must not replace the vote.
    release();
    await page.waitForLoadState('networkidle');
    assert.equal(await love.getAttribute('aria-pressed'), 'true');
    assert.equal(await own(page, 'heart')(), '1');
  });

  test('shows the choice at once, dim until it is stored', async (t) => {
    const page = await openSituation(t, 'clicks', 98123, {reducedMotion: 'reduce'});
    const release = await holdVotes(page);
    await star(page, 4).click();
    await page.mouse.move(0, 400);
    const filled = () =>
      widget(page, 'stars').locator('.ratingd-all').evaluateAll((all) =>
        all.map((one) => getComputedStyle(one).fillOpacity).join(),
      );
    const opacity = () => star(page, 1).evaluate((one) => getComputedStyle(one).opacity);
    await becomes('1,1,1,1,0', filled);
    assert.equal(await opacity(), '0.6');
    release();
    await becomes('1', opacity);
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
  });

  test('that is refused goes back, with the reason', async (t) => {
    const page = await openSituation(t, 'clicks', 98124);
    await star(page, 2).click();
    await becomes('1', stat(page, 'stars', 'total'));
    const release = await holdVotes(page, refuse);
    await star(page, 5).click();
    await becomes('true', isOn(star(page, 5)));
    release();
    await becomes('Rating not accepted.', message(page, 'stars'));
    await becomes('true', isOn(star(page, 2)));
    await becomes('Your rating: 2', stat(page, 'stars', 'own'));
    await heart(page).click();
    await becomes('Rating not accepted.', message(page, 'heart'));
    await becomes('false', isOn(heart(page), 'aria-pressed'));
  });

  for (const [name, id] of [
    ['card', 98125],
    ['form', 98126],
  ]) {
    test(`in a ${name} votes, and the page stays`, async (t) => {
      const page = await openSituation(t, name, id);
      const address = page.url();
      await star(page, 4).click();
      await becomes('Rating saved.', message(page, 'stars'));
      await heart(page).click();
      await becomes('1', count(page, 'heart', 'positive'));
      await remover(page, 'stars').click();
      await widget(page, 'stars').getByRole('button', {name: 'Undo'}).click();
      await becomes('0.8', own(page, 'stars'));
      await page.waitForLoadState('networkidle');
      if (name === 'card') {
        await slider(page).click({position: {x: 3, y: 5}});
        await becomes('Rating saved.', message(page, 'slider'));
      } else {
        await page.locator('#choice').check();
      }
      assert.equal(page.url(), address);
    });
  }
});

describe('A slow phone', () => {
  test('shows a vote during the tap, before it is stored', async (t) => {
    const page = await openSituation(t, 'clicks', 98160, {
      viewport: {width: 360, height: 640},
      hasTouch: true,
      isMobile: true,
    });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', {rate: 4});
    // Simulates a 3G connection on which a response takes at least a second.
    const line = {offline: false, latency: 1000, downloadThroughput: 50_000, uploadThroughput: 25_000};
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', line);
    // A listener on the document runs after all other click listeners.
    await page.evaluate(() => {
      const stars = document.querySelector('[data-template="simple/stars"]');
      document.addEventListener('ratingd:updated', () => (window.isStored = true));
      document.addEventListener('click', () => (window.atTap = ['pending' in stars.dataset, Boolean(window.isStored)]));
    });
    await star(page, 4).tap();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    await page.waitForFunction(() => window.isStored);
    assert.deepEqual(await page.evaluate(() => window.atTap), [true, false]);
    await becomes('1', stat(page, 'stars', 'total'));
  });
});

describe('A tap that withdraws a rating', () => {
  for (const [i, slug] of ['heart', 'thumbs', 'like-dislike'].entries()) {
    test(`leaves no colour of a pointer: ${slug}`, async (t) => {
      const page = await newPage(t, {hasTouch: true, isMobile: true, reducedMotion: 'reduce'});
      await open(page, await serve(page, `<ratingd-rating object-id="${98170 + i}" template="simple/${slug}"></ratingd-rating>`));
      const one = widget(page, slug).locator('[data-value]').first();
      const look = () =>
        one.evaluate((button) => [button, button.firstElementChild].map((part) => {
          const {borderColor, stroke} = getComputedStyle(part);
          return borderColor + stroke;
        }).join());
      const before = await look();
      await one.tap();
      await becomes('true', isOn(one, 'aria-pressed'));
      await settle(page, slug);
      await quiet(page);
      await one.tap();
      await becomes('false', isOn(one, 'aria-pressed'));
      assert.equal(await look(), before);
    });
  }
});

describe("A screen reader's tree", () => {
  test('names the group, each choice, the average and the buttons of the own rating', async (t) => {
    const page = await openSituation(t, 'clicks', 98161);
    await star(page, 4).click();
    await becomes('1', stat(page, 'stars', 'total'));
    const tree = await widget(page, 'stars').ariaSnapshot();
    for (const part of [
      'group "Rating"',
      'radiogroup "Rating"',
      'radio "4 of 5" [checked]',
      'Average rating: 4.0',
      '1 vote',
      'Your rating: 4',
      'button "Change"',
      'button "Remove your rating"',
      'status',
    ]) {
      assert.ok(tree.includes(part), `${part} is not in\n${tree}`);
    }
    await heart(page).click();
    await becomes('1', count(page, 'heart', 'positive'));
    assert.match(await widget(page, 'heart').ariaSnapshot(), /button "Like.*" \[pressed\]/);
  });
});

describe('A key', () => {
  test('that is held is one vote', async (t) => {
    const page = await openSituation(t, 'clicks', 98130);
    const votes = votesOf(page);
    for (const [slug, one] of [['stars', star(page, 3)], ['heart', heart(page)]]) {
      await one.focus();
      // Simulates a key that is held down and repeats.
      for (let i = 0; i < 30; ++i) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await settle(page, slug);
    }
    assert.equal(await own(page, 'stars')(), '0.6');
    assert.equal(await own(page, 'heart')(), '1');
    assert.equal(votes.length, 2);
  });
});

describe('A removed rating', () => {
  test('can be given again for some seconds', async (t) => {
    const page = await openSituation(t, 'clicks', 98140);
    await star(page, 4).click();
    await becomes('1', stat(page, 'stars', 'total'));
    await remover(page, 'stars').click();
    await becomes('Rating removed. Undo', message(page, 'stars'));
    await becomes('0', stat(page, 'stars', 'total'));
    assert.ok(await widget(page, 'stars').evaluate((one) => one.contains(document.activeElement)));
    await widget(page, 'stars').getByRole('button', {name: 'Undo'}).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), '4 of 5');
    await becomes('1', stat(page, 'stars', 'total'));
    await remover(page, 'stars').click();
    await becomes(1, () => widget(page, 'stars').getByRole('button', {name: 'Undo'}).count());
    await becomes(0, () => widget(page, 'stars').getByRole('button', {name: 'Undo'}).count());
    // The widget removes a rating with a POST request, because all hosts allow POST.
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().includes('_method=DELETE')),
      star(page, 2).click().then(() => remover(page, 'stars').click()),
    ]);
    assert.equal(request.method(), 'POST');
  });

  test('is within reach of a template of the site that has no button for it', async (t) => {
    const page = await openSituation(t, 'own-template', 98141);
    const numbers = page.locator('.numbers');
    await numbers.getByRole('button', {name: '10'}).click();
    await becomes('1', () => numbers.getAttribute('data-user-rating'));
    await numbers.getByRole('button', {name: 'Remove your rating'}).click();
    await becomes('', () => numbers.getAttribute('data-user-rating'));
    await numbers.getByRole('button', {name: 'Undo'}).click();
    await becomes('1', () => numbers.getAttribute('data-user-rating'));
  });
});

describe('A page that is left', () => {
  const stored = (page, id) =>
    page.evaluate(
      async ([address, one]) => {
        const answer = await fetch(`${address}/stats/${one}?object_type=post`);
        return (await answer.json()).user_ratings.scale?.value;
      },
      [api, id],
    );

  test('sends the value of a slider that has just moved', async (t) => {
    const page = await openSituation(t, 'clicks', 98150);
    await slider(page).press('End');
    await page.goto(api + '/health');
    await becomes(1, () => stored(page, 98150));
  });

  test('sends what was clicked while another vote was under way', async (t) => {
    const page = await openSituation(t, 'clicks', 98151);
    const seen = votesOf(page);
    await star(page, 2).click({noWaitAfter: true});
    await star(page, 5).evaluate((one) => {
      one.click();
      window.location = '/wp-json/ratingd/v1/health';
    });
    await page.waitForURL(/health/);
    await becomes(1, () => stored(page, 98151));
    assert.ok(seen.length >= 1);
  });
});
