'use strict';

// Tests groups of criteria and rows of reactions in a browser. Most pages in these tests load the script
// as ratingd-facets.js, its name in version 0.3. tests/e2e/widget_test.py starts the site. The site's
// "facets" setting contains the names used by these tests.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, newPage, open, pictures, quiet, serveWith, site} = require('./browser.cjs');

const criteria = (id, more = '') =>
  `<ratingd-criteria object-id="${id}" facets="taste, service" ${more}></ratingd-criteria>`;
const reactions = (id, more = '') =>
  `<ratingd-reactions object-id="${id}" facets="love,funny" icon-love="❤️" icon-funny="😂" ${more}></ratingd-reactions>`;

const serve = (page, body, more = {}) => serveWith(page, {body, script: 'ratingd-facets.js', ...more});

const row = (page, facet) => page.locator(`[data-object-type="post:${facet}"]`);
const star = (page, facet, n) => row(page, facet).locator('[role=radio]').nth(n - 1);
const overall = (page) => page.locator('[data-template=criteria]');
const average = (page) => () => overall(page).locator('[data-stat=average]').textContent();
const save = (page) => overall(page).locator('button');
const button = (page, facet) => row(page, facet).locator('button');
const count = (page, facet) => () => row(page, facet).locator('[data-count]').textContent();
const pressed = (page, facet) => () => button(page, facet).getAttribute('aria-pressed');
const status = (widget) => () => widget.locator('[role=status]').textContent();

// Returns this visitor's stored ratings of the object and its facets.
const stored = (page, id) =>
  page.evaluate(
    async ([address, post]) =>
      (await fetch(`${address}/stats/${post}?object_type=post&facets=taste,service,love,funny`)).json(),
    [api, id],
  );
const ownOf = async (page, id, facet) => {
  const answer = await stored(page, id);
  const own = facet ? answer.facets[facet].user_ratings : answer.user_ratings;
  return (own.scale ?? own.binary)?.value;
};

// Returns a list that collects the method and path of all later API requests.
const requestsOf = (page) => {
  const seen = [];
  page.on('request', (one) => {
    if (one.url().startsWith(api) && !/\.js/.test(one.url())) seen.push(`${one.method()} ${one.url().slice(api.length)}`);
  });
  return seen;
};

// Delays all later votes. Returns a function that sends the delayed votes.
const holdVotes = async (page) => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route('**/rate*', async (route) => {
    await released;
    await route.continue();
  });
  return release;
};

describe('Criteria', () => {
  test('hide the row of a removed name of a cached page, and keep the weights of the others', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97031, 'weights="3,9,1"').replace('taste, service', 'taste, gone, service')));
    await becomes('–', average(page));
    await becomes(false, () => row(page, 'gone').isVisible());
    assert.equal(await row(page, 'taste').isVisible(), true);
    await star(page, 'taste', 5).click();
    await star(page, 'service', 1).click();
    await save(page).click();
    await becomes('4.0', average(page));
    await becomes('Rating saved.', status(overall(page)));
    assert.equal(await row(page, 'service').isVisible(), true);
  });

  test('are not hidden by the numbers of other names of the same object', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97032) + reactions(97032)));
    await becomes('–', average(page));
    await becomes(true, () => button(page, 'love').isVisible());
    assert.equal(await row(page, 'taste').isVisible(), true);
    await button(page, 'love').click();
    await becomes('true', pressed(page, 'love'));
    assert.equal(await row(page, 'service').isVisible(), true);
  });

  test('are read with one request, and sent as one vote with the weighted mean', async (t) => {
    const page = await newPage(t);
    const seen = requestsOf(page);
    await open(page, await serve(page, criteria(97001, 'weights="3,1"')));
    await becomes('–', average(page));
    assert.deepEqual(seen, ['GET /stats?_method=GET&object_type=post&object_ids=97001&facets=taste%2Cservice']);
    assert.ok(await save(page).isDisabled());
    await star(page, 'taste', 5).click();
    await star(page, 'service', 1).click();
    assert.equal(await star(page, 'taste', 5).getAttribute('aria-checked'), 'true');
    assert.equal(seen.length, 1);
    await save(page).click();
    await becomes('4.0', average(page));
    assert.equal(seen.at(-1), 'POST /rate');
    assert.equal(seen.length, 2);
    assert.ok(await save(page).isDisabled());
    await becomes('Rating saved.', status(overall(page)));
    assert.equal(await ownOf(page, 97001), 0.8);
    assert.equal(await ownOf(page, 97001, 'taste'), 1);
    assert.equal(await ownOf(page, 97001, 'service'), 0.2);
  });

  test('may be rated one by one, and taken back', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97002)));
    await star(page, 'service', 3).click();
    await save(page).click();
    await becomes('3.0', average(page));
    assert.equal(await ownOf(page, 97002, 'taste'), undefined);
    await star(page, 'taste', 5).click();
    await save(page).click();
    await becomes('4.0', average(page));
    for (const facet of ['taste', 'service']) {
      await row(page, facet).locator('.ratingd-remove').click();
    }
    await save(page).click();
    await becomes('–', average(page));
    assert.equal(await ownOf(page, 97002), undefined);
    assert.equal(await ownOf(page, 97002, 'taste'), undefined);
  });

  test('that were never saved are taken back without a fault', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97007)));
    await star(page, 'taste', 5).click();
    await row(page, 'taste').locator('.ratingd-remove').click();
    await save(page).click();
    await becomes('Rating removed.', status(overall(page)));
  });

  test('count once where a weight is no number above zero', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97008, 'weights="2;1,0"')));
    await star(page, 'taste', 5).click();
    await star(page, 'service', 3).click();
    await save(page).click();
    await becomes('4.0', average(page));
  });

  test('are of the object whose type has a colon', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97009, 'object-type="book:chapter"')));
    await page.locator('[data-object-type="book:chapter:taste"] [role=radio]').nth(3).click();
    const sent = page.waitForRequest((one) => one.method() === 'POST');
    await save(page).click();
    assert.equal((await sent).postDataJSON().object_type, 'book:chapter');
    await becomes('4.0', average(page));
  });

  test('keep what is chosen while other numbers come', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97003)));
    await star(page, 'taste', 2).click();
    await page.evaluate(() => window.dispatchEvent(Object.assign(new window.Event('pageshow'), {persisted: true})));
    await page.waitForLoadState('networkidle');
    assert.equal(await star(page, 'taste', 2).getAttribute('aria-checked'), 'true');
    await save(page).click();
    await becomes('2.0', average(page));
  });

  test('keep what is chosen while a vote is under way', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97010)));
    const release = await holdVotes(page);
    await star(page, 'taste', 2).click();
    await save(page).click();
    await star(page, 'taste', 3).click();
    await star(page, 'service', 5).click();
    release();
    await becomes('2.0', average(page));
    assert.equal(await star(page, 'taste', 3).getAttribute('aria-checked'), 'true');
    assert.equal(await star(page, 'service', 5).getAttribute('aria-checked'), 'true');
    assert.equal(await ownOf(page, 97010, 'service'), undefined);
    assert.ok(await save(page).isEnabled());
    await save(page).click();
    await becomes('4.0', average(page));
    assert.ok(await save(page).isDisabled());
    assert.equal(await ownOf(page, 97010, 'taste'), 0.6);
    assert.equal(await ownOf(page, 97010, 'service'), 1);
  });

  test('are saved again after a vote that is under way, if there is more to save', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97011)));
    const seen = requestsOf(page);
    let release = await holdVotes(page);
    await star(page, 'taste', 2).click();
    await save(page).click();
    await star(page, 'service', 4).click();
    await save(page).click();
    release();
    await becomes('3.0', average(page));
    assert.equal(await ownOf(page, 97011, 'service'), 0.8);
    assert.deepEqual(seen.filter((one) => / .rate/.test(one)), ['POST /rate', 'POST /rate']);

    release = await holdVotes(page);
    for (const facet of ['taste', 'service']) {
      await row(page, facet).locator('.ratingd-remove').click();
    }
    await save(page).dblclick();
    release();
    await becomes('–', average(page));
    await becomes('false', () => overall(page).getAttribute('aria-busy'));
    assert.equal(await status(overall(page))(), 'Rating removed.');
    assert.equal(seen.filter((one) => /_method=DELETE/.test(one)).length, 2); // for the criteria, for the object
  });

  test('say why a vote is refused, and keep nothing of it', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97004)));
    await page.route('**/rate', (route) =>
      route.fulfill({status: 429, json: {code: 'ratingd_cooldown', message: '', data: {status: 429, retry_after: 7}}}),
    );
    await star(page, 'taste', 2).click();
    await star(page, 'service', 2).click();
    await save(page).click();
    await becomes('You can change your rating later.', status(overall(page)));
    await page.unroute('**/rate');
    assert.equal(await ownOf(page, 97004, 'taste'), undefined);
    // After a failed vote, the visitor's choices are still selected and can be sent again.
    await save(page).click();
    await becomes('2.0', average(page));
  });

  test('are used by keyboard, with names for screen readers', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97005, 'label-taste="Flavour"')));
    const groups = page.getByRole('radiogroup', {name: 'Flavour'});
    assert.equal(await groups.count(), 1);
    await groups.getByRole('radio', {name: '1 of 5'}).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    assert.equal(await star(page, 'taste', 2).getAttribute('aria-checked'), 'true');
    await save(page).focus();
    await page.keyboard.press('Enter');
    await becomes('2.0', average(page));
    assert.equal(await page.getByRole('group', {name: 'Overall'}).count(), 1);
  });

  test('give search engines the overall value', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, criteria(97006, 'schema="Recipe"'), {head: '<title>Soup</title>'}));
    await star(page, 'taste', 5).click();
    await star(page, 'service', 4).click();
    await save(page).click();
    const ratings = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('script[type="application/ld+json"]')]
          .map((one) => JSON.parse(one.text).aggregateRating.ratingValue).join(),
      );
    await becomes('4.5', ratings);
  });
});

describe('Reactions', () => {
  test('hide a removed name of a cached page', async (t) => {
    const page = await newPage(t);
    await page.goto(await serve(page, reactions(97033).replace('love,funny', 'love,funny,gone')));
    await button(page, 'love').waitFor();
    await becomes(false, () => button(page, 'gone').isVisible());
    await button(page, 'love').click();
    await becomes('1', count(page, 'love'));
    assert.equal(await button(page, 'funny').isVisible(), true);
    await becomes('Rating saved.', status(row(page, 'love')));
  });

  test('are one for each visitor, changed in one vote', async (t) => {
    const page = await newPage(t);
    const seen = requestsOf(page);
    await open(page, await serve(page, reactions(97101)));
    await becomes('0', count(page, 'love'));
    assert.equal(seen.length, 1);
    await button(page, 'love').click();
    await becomes('1', count(page, 'love'));
    await becomes('true', pressed(page, 'love'));
    await button(page, 'funny').click();
    await becomes('1', count(page, 'funny'));
    await becomes('0', count(page, 'love'));
    assert.equal(await pressed(page, 'love')(), 'false');
    assert.deepEqual(seen.slice(1), ['POST /rate', 'POST /rate']);
    await quiet(page);
    await button(page, 'funny').click();
    await becomes('0', count(page, 'funny'));
    await becomes(undefined, () => ownOf(page, 97101, 'funny'));
    assert.equal(await ownOf(page, 97101), undefined);
  });

  test('are one also if the second is chosen before the first is stored', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, reactions(97104)));
    await becomes('0', count(page, 'love'));
    const release = await holdVotes(page);
    await button(page, 'love').click();
    await button(page, 'funny').click();
    release();
    await page.waitForLoadState('networkidle');
    const own = [await ownOf(page, 97104, 'love'), await ownOf(page, 97104, 'funny')];
    assert.deepEqual(own.filter((value) => value !== undefined), [1]);
  });

  test('are several if the page says so', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, reactions(97102, 'multiple')));
    await button(page, 'love').click();
    await becomes('true', pressed(page, 'love'));
    await button(page, 'funny').click();
    await becomes('true', pressed(page, 'funny'));
    assert.equal(await pressed(page, 'love')(), 'true');
    await becomes(1, () => ownOf(page, 97102, 'love')); // a button is pressed before its vote is stored
  });

  test('are one if the attribute says "false", as frameworks write it', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, reactions(97105, 'multiple="false"')));
    await button(page, 'love').click();
    await becomes(1, () => ownOf(page, 97105, 'love'));
    await button(page, 'funny').click();
    await becomes(1, () => ownOf(page, 97105, 'funny'));
    assert.equal(await ownOf(page, 97105, 'love'), undefined);
  });

  test('have names for screen readers, and texts that cannot be markup', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, reactions(97103, 'label-love="&lt;b&gt;Adore" counts="false"')));
    assert.equal(await page.getByRole('button', {name: '<b>Adore'}).count(), 1);
    assert.equal(await page.locator('ratingd-reactions b, ratingd-reactions [data-count]').count(), 0);
  });
});

test('Groups of a cached page are hidden if the site has none of their names any more', async (t) => {
  const page = await newPage(t);
  const gone = (group) => group.replace(/facets="[^"]*"/, 'facets="gone,over"');
  await page.goto(await serve(page, gone(criteria(97034)) + gone(reactions(97034)) + reactions(97035)));
  await becomes(true, () => button(page, 'love').isVisible());
  await becomes(0, () => page.locator('[data-object-id="97034"] button').filter({visible: true}).count());
  await page.locator('ratingd-reactions').first().evaluate((one) => one.setAttribute('facets', 'funny'));
  await becomes(true, () => page.locator('[data-object-id="97034"][data-object-type="post:funny"] button').isVisible());
});

test('Groups may be inserted and changed at any time', async (t) => {
  const page = await newPage(t);
  await open(page, await serve(page, reactions(97201)));
  await page.evaluate(() => {
    const group = document.createElement('ratingd-criteria');
    document.body.append(group);
    group.setAttribute('object-id', '97202');
    group.setAttribute('facets', 'taste');
  });
  await star(page, 'taste', 4).click();
  await save(page).click();
  await becomes('4.0', average(page));
  await page.evaluate(() => document.querySelector('ratingd-criteria').setAttribute('facets', 'service'));
  await row(page, 'service').locator('[role=radio]').first().waitFor();
  assert.equal(await row(page, 'taste').count(), 0);
});

test('Groups keep what is chosen while they move, and while attributes change that are not theirs', async (t) => {
  const page = await newPage(t);
  await open(page, await serve(page, criteria(97203, 'template="simple/stars"') + '<footer></footer>'));
  await star(page, 'taste', 4).click();
  await page.evaluate(() => {
    const group = document.querySelector('ratingd-criteria');
    group.className = 'theme';
    group.setAttribute('data-theme', 'dark');
    group.setAttribute('template', 'simple/stars');
  });
  await page.evaluate(() => document.querySelector('footer').append(document.querySelector('ratingd-criteria')));
  assert.equal(await star(page, 'taste', 4).getAttribute('aria-checked'), 'true');
  await save(page).click();
  await becomes('4.0', average(page));
});

test('Groups show other icons and words', async (t) => {
  const page = await newPage(t);
  await open(page, await serve(page, reactions(97204)));
  await page.evaluate(() => {
    const group = document.querySelector('ratingd-reactions');
    group.setAttribute('icon-love', '💚');
    group.setAttribute('label-funny', 'Hilarious');
  });
  await becomes('💚', () => button(page, 'love').locator('[aria-hidden]').textContent());
  assert.equal(await button(page, 'funny').getAttribute('title'), 'Hilarious');
  const set = (name, value) =>
    page.locator('ratingd-reactions').evaluate((group, [one, text]) => group.setAttribute(one, text), [name, value]);
  await set('facets', 'very-funny');
  await button(page, 'very-funny').waitFor();
  await set('label-very-funny', 'Hilarious');
  await becomes('Hilarious', () => button(page, 'very-funny').getAttribute('title'));
});

test('Pages with groups and other widgets need one script', async (t) => {
  const page = await newPage(t);
  const body = criteria(97301) + '<ratingd-rating object-id="97301" template="simple/stars"></ratingd-rating>';
  await open(page, await serve(page, body));
  await star(page, 'taste', 4).click();
  await star(page, 'service', 4).click();
  await save(page).click();
  // The <ratingd-rating> widget also shows the object's new rating.
  await becomes('4.0', () => page.locator('ratingd-rating [data-stat=average]').textContent());
});

test('Numbers are shown while the service does not answer', async (t) => {
  const page = await newPage(t);
  await page.route('**/v1/stats?*', (route) => route.abort());
  const address = await serve(page, reactions(97401));
  await page.goto(address);
  await becomes('0', count(page, 'love'));
});

test('The script loads what a page needs, in its own version, and nothing else', async (t) => {
  const page = await newPage(t);
  const scripts = [];
  page.on('request', (one) => /ratingd-[\w-]+\.js/.test(one.url()) && scripts.push(one.url().replace(/.*\/ratingd-/, '')));
  await open(page, await serveWith(page, {body: reactions(97402), script: 'ratingd-widget.js?ver=7'}));
  await becomes('0', count(page, 'love'));
  assert.deepEqual(scripts, ['widget.js?ver=7', 'reactions.js?ver=7']);
});

for (const [name, options, attributes, style] of [
  ['light', {}, '', 'background: #fff'],
  ['dark', {colorScheme: 'dark'}, '', 'color-scheme: dark; background: #111; color: #eee'],
  ['phone', {viewport: {width: 360, height: 640}}, '', ''],
  ['rtl', {}, 'dir="rtl"', ''],
]) {
  test(`Groups fit into a page: ${name}`, async (t) => {
    const page = await newPage(t, options);
    const labels = 'label-taste="Taste and smell" label-service="Friendliness of the service"';
    const body = `<div style="font-family: sans-serif; ${style}">` + criteria(97501, labels) +
      reactions(97501, 'label-love="Love" label-funny="Funny"') + '</div>';
    await open(page, await serve(page, body, {attributes}));
    await star(page, 'taste', 4).click();
    await button(page, 'love').click();
    await becomes('true', pressed(page, 'love'));
    const {wide, room} = await page.evaluate(() => {
      const {scrollWidth, clientWidth} = document.documentElement;
      return {wide: scrollWidth, room: clientWidth};
    });
    assert.ok(wide <= room, `${wide} > ${room}`);
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('button')].filter((one) => {
        const {width, height} = one.getBoundingClientRect();
        return width < 24 || height < 24;
      }).length,
    );
    assert.equal(small, 0);
    if (pictures) await page.screenshot({path: path.join(pictures, `facets-${name}.png`)});
  });
}

test('The plugin shows groups', async (t) => {
  const page = await newPage(t);
  await open(page, 'facets');
  assert.equal(await page.locator('script[src*="ratingd-widget.js"]').count(), 1);
  await star(page, 'taste', 4).click();
  await save(page).click();
  await becomes('4.0', average(page));
  await button(page, 'love').click();
  await becomes('1', count(page, 'love'));
  assert.equal(await page.locator('ratingd-reactions[icon-love="❤️"]').count(), 1);
  await page.goto(`${site.url}/facets-block/`);
  await row(page, 'taste').locator('[role=radio]').first().waitFor();
  await row(page, 'funny').locator('button').waitFor();
});
