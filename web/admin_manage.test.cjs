'use strict';

// Tests an administrator's tasks on the administration page: held votes, settings, files and health.
// tests/e2e/admin_test.py starts the site. The environment variable RATINGD_SITE describes the site and its database.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, pictures, site} = require('./browser.cjs');
const {expectAccessible, lookAt, looks, open, readRightToLeft, refused, sql, visit} = require('./admin_page.cjs');

const picture = async (page, name) =>
  pictures && page.screenshot({path: path.join(pictures, `admin-${name}.png`), fullPage: true});

// Returns the number and the sum of an object's counted votes, separated by a tab. The sum is in
// thousandths, as in the database.
const counted = (id) =>
  sql(`SELECT COUNT(*), COALESCE(SUM(value), 0) FROM wp_ratingd_votes WHERE object_id = ${id} AND held = 0`);
const heldOf = (id) => Number(sql(`SELECT COUNT(*) FROM wp_ratingd_held WHERE object_id = ${id}`));

// Sends an API request as the user who is logged in on the page.
const ask = (page, method, address, body, type = 'application/json') =>
  page.evaluate(
    async (given) => {
      const nonce = await (await fetch('/wp-admin/admin-ajax.php?action=rest-nonce')).text();
      const headers = {'X-WP-Nonce': nonce, 'Content-Type': given.type};
      const text = typeof given.body === 'object' ? JSON.stringify(given.body) : given.body;
      const answer = await fetch(given.address, {method: given.method, headers, body: text});
      return answer.json();
    },
    {method, address, body, type},
  );

// Returns the number and the sum of an object's votes in GET /stats, separated by a tab.
async function shown(page, id) {
  const {stats} = await ask(page, 'GET', `${api}/stats/${id}`);
  const {total, average} = stats.scale;
  return `${total}\t${Math.round((average || 0) * total * 1000)}`;
}

// Use the current time for the ids of objects and visitors, so that no earlier test run has used the same ids.
let objects = Date.now();
let visitors = Date.now();
const newObject = () => ++objects;

function heldRow(id, value, reason = 'one_agent') {
  const at = new Date(Date.now() - 3600000).toISOString();
  const visitor = 'v8' + (++visitors).toString(16).padStart(15, '0');
  const row = {kind: 'rating', object_id: id, object_type: 'post', category: 'scale', visitor, value};
  return {...row, created_at: at, rated_at: at, held: [reason], held_at: at};
}

async function hold(page, rows) {
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const {data} = await ask(page, 'POST', `${api}/data/import`, text, 'application/x-ndjson');
  assert.equal(data.new, rows.length, JSON.stringify(data));
}

const newPost = async (page, title, types = 'posts') =>
  (await ask(page, 'POST', `${site.url}/?rest_route=/wp/v2/${types}`, {title, status: 'publish'})).id;

// --- The page -----------------------------------------------------------------------------------------

// "expected" matches the allowed console messages.
async function administrator(t, options, expected) {
  const page = await visit(t, site.administrator, options, expected);
  await page.goto(api); // a page of the site, for ask()
  return page;
}

const button = (page, name) => page.getByRole('button', {name, exact: true});
const dialog = (page) => page.getByRole('alertdialog');
const status = (page) => page.locator('.rd-notice').first().textContent();
const row = (page, name) => page.getByRole('row').filter({hasText: name});
const field = (page, name) => page.locator(`[data-setting="${name}"]`);
const control = (page, name) => field(page, name).locator('input, select, textarea').first();

// --- Held votes ---------------------------------------------------------------------------------------

describe('Held votes', () => {
  test('show what was voted on and why, and are counted at the tab', async (t) => {
    const page = await administrator(t);
    const id = await newPost(page, 'Soup <img src=x onerror=alert(1)> & "bread"');
    await hold(page, [heldRow(id, 1, 'few_networks'), heldRow(id, 0)]);
    await open(page, `held?object_id=${id}&object_type=post`);
    assert.equal(await page.locator('tbody tr').count(), 2);
    await row(page, 'Many votes from few networks').waitFor();
    await row(page, 'Same browser and same rating from many networks').waitFor();
    assert.match(await page.locator('tbody').textContent(), /Soup.*bread.*visitor.*1 hour ago/);
    assert.equal(await page.locator('.rd-root img').count(), 0);
    const all = Number(sql('SELECT COUNT(*) FROM wp_ratingd_held'));
    await becomes(String(all), () => page.locator('.nav-tab-active .rd-badge').textContent());
    await expectAccessible(page);
  });

  test('count when they are released, one by click', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    await hold(page, [heldRow(object, 1), heldRow(object, 0.5)]);
    assert.equal(counted(object), '0\t0');
    await open(page, `held?object_id=${object}&object_type=post`);
    await row(page, '2.5 of 5').getByRole('button', {name: 'Release'}).click();
    await becomes('1 vote released. It counts now.', () => status(page));
    assert.equal(counted(object), '1\t500');
    assert.equal(await shown(page, object), counted(object));
    assert.equal(heldOf(object), 1);
    await becomes(1, () => page.locator('tbody tr').count());
  });

  test('are deleted by keyboard, after a question that Escape answers with no', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    await hold(page, [heldRow(object, 1), heldRow(object, 1)]);
    await open(page, `held?object_id=${object}&object_type=post`);
    const drop = page.locator('tbody tr').first().getByRole('button', {name: 'Delete'});
    const release = page.locator('tbody tr').first().getByRole('button', {name: 'Release'});
    const colour = (one) => one.evaluate((element) => window.getComputedStyle(element).color);
    assert.notEqual(await colour(drop), await colour(release));
    await drop.focus();
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Delete 1 held vote?').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({state: 'detached'});
    assert.equal(await drop.evaluate((element) => element === document.activeElement), true);
    assert.equal(heldOf(object), 2);
    await page.keyboard.press('Enter');
    // The "Cancel" button has focus, so pressing Enter by mistake deletes nothing.
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({state: 'detached'});
    assert.equal(heldOf(object), 2);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await becomes('1 vote deleted.', () => status(page));
    assert.equal(heldOf(object), 1);
    assert.equal(counted(object), '0\t0');
    assert.equal(sql(`SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = ${object}`), '1');
  });

  test('are resolved several at once', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    await hold(page, [heldRow(object, 1), heldRow(object, 0.8), heldRow(object, 0.2)]);
    await open(page, `held?object_id=${object}&object_type=post`);
    assert.equal(await button(page, 'Release selected').getAttribute('aria-disabled'), 'true');
    const all = page.getByLabel('Select all on this page');
    await all.focus();
    await page.keyboard.press('Space');
    await row(page, '1 of 5').getByRole('checkbox').click();
    assert.equal(await all.evaluate((box) => box.indeterminate), true);
    await button(page, 'Release selected (2)').click();
    await dialog(page).getByRole('button', {name: 'Release 2 votes'}).click();
    await becomes('2 votes released. They count now.', () => status(page));
    assert.equal(counted(object), '2\t1800');
    assert.equal(await shown(page, object), counted(object));
  });

  test('of one object are resolved together, beyond the page', async (t) => {
    const object = newObject();
    const other = newObject();
    const page = await administrator(t);
    await hold(
      page,
      Array.from({length: 60}, () => heldRow(object, 0.4)),
    );
    await hold(page, [heldRow(other, 1)]);
    await open(page, 'held');
    await row(page, `post ${object}`).first().getByRole('link', {name: 'Only this content'}).click();
    await page.getByText('60 items').waitFor();
    await button(page, 'Next page').click();
    await becomes(10, () => page.locator('tbody tr').count());
    await button(page, 'Delete all votes for this content (60)').click();
    await button(page, 'Delete 60 votes').click();
    await becomes('60 votes deleted.', () => status(page));
    await page.getByText('No votes are held.').waitFor();
    assert.equal(heldOf(object), 0);
    assert.equal(heldOf(other), 1);
  });

  test('of a burst are resolved together, and votes of other bursts stay', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    const heldAgo = (minutes, value, reason) => {
      const at = new Date(Date.now() - minutes * 60000).toISOString();
      return {...heldRow(object, value, reason), rated_at: at, created_at: at, held_at: at};
    };
    const some = (n, ...args) => Array.from({length: n}, (_, i) => heldAgo(args[0] + i / 10, ...args.slice(1)));
    await hold(page, [heldAgo(500, 1, 'few_networks')]); // A single vote is not a burst.
    await hold(page, [...some(120, 60, 1, 'one_agent'), ...some(3, 61, 0.2, 'few_networks'), ...some(2, 300, 1, 'one_agent')]);
    await open(page, `held?object_id=${object}&object_type=post`);
    const bursts = page.locator('.rd-bursts li');
    assert.equal(await bursts.count(), 3);
    await expectAccessible(page);
    // The view sends two requests, and the test delays the second request until the progress bar is visible.
    let goOn;
    const seen = new Promise((resolve) => (goOn = resolve));
    const sent = [];
    await page.route('**/data/held', async (route) => {
      sent.push(JSON.parse(route.request().postData()).ids.length);
      if (sent.length === 2) await seen;
      await route.continue();
    });
    await button(page, 'Delete these votes (120)').click();
    await button(page, 'Delete 120 votes').click();
    await page.getByText('100 of 120').waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('value').then(Number) > 0.8, true);
    goOn();
    await becomes('120 votes deleted.', () => status(page));
    assert.deepEqual(sent, [100, 20]);
    assert.equal(heldOf(object), 6);
    await button(page, 'Release these votes (2)').click();
    await button(page, 'Release 2 votes').click();
    await becomes('2 votes released. They count now.', () => status(page));
    assert.equal(counted(object), '2\t2000');
    assert.equal(heldOf(object), 4);
    await page.setViewportSize({width: 360, height: 740});
    await becomes(true, () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  });

  test('can be stopped between two requests, and votes that were decided stay decided', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    await hold(page, Array.from({length: 150}, () => heldRow(object, 0.4)));
    await open(page, `held?object_id=${object}&object_type=post`);
    let goOn;
    const pressed = new Promise((resolve) => (goOn = resolve));
    await page.route('**/data/held', async (route) => {
      if (route.request().method() === 'POST') await pressed;
      await route.continue();
    });
    await button(page, 'Delete all votes for this content (150)').click();
    await button(page, 'Delete 150 votes').click();
    await button(page, 'Stop').click();
    goOn();
    await becomes('100 votes deleted.', () => status(page));
    assert.equal(heldOf(object), 50);
  });

  test('say that no answer came', async (t) => {
    const object = newObject();
    const page = await administrator(t, {}, /^Failed to load resource/);
    await hold(page, [heldRow(object, 1)]);
    await open(page, `held?object_id=${object}&object_type=post`);
    await page.route('**/data/held', (route) => route.abort());
    await page.locator('tbody').getByRole('button', {name: 'Release'}).click();
    await becomes(
      'The service did not respond, but may have saved your change. Check the result before trying again. ',
      () => status(page),
    );
    assert.equal(heldOf(object), 1);
  });
});

// --- Settings -----------------------------------------------------------------------------------------

const settings = async (page) => (await ask(page, 'GET', `${api}/settings`)).data;

// Returns whether an element is completely visible in the window and not covered by other elements.
const isInSight = (locator) =>
  locator.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const ends = [box.top + 2, box.bottom - 2].map((y) => document.elementFromPoint(box.left + 4, y));
    return ends.every((one) => one && (element.contains(one) || one.contains(element)));
  });

// Opens the settings view, including the advanced settings.
async function openSettings(page) {
  await open(page, 'settings');
  await page.locator('.rd-settings summary').first().waitFor();
  for (const fold of await page.locator('.rd-settings summary').all()) await fold.click();
}

// Some hosts allow only the GET and POST methods.
const isChange = (request) => request.method() === 'POST' && request.url().includes('_method=PATCH');

describe('Settings', () => {
  test('are told from when a new time zone applies', async (t) => {
    const page = await administrator(t);
    await page.route('**/health', async (route) => {
      const response = await route.fetch();
      const zone = {timezone: 'Europe/Berlin', timezone_pending: 'Asia/Tokyo'};
      const changed = {...(await response.json()), ...zone, timezone_changes_at: '2026-12-01T23:00:00Z'};
      await route.fulfill({response, json: changed});
    });
    const sentence = page.getByText(/^Statistics use the Europe\/Berlin time zone\. From .*, statistics use the Asia\/Tokyo time zone\.$/);
    await open(page, 'settings');
    await sentence.waitFor();
    await expectAccessible(page);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('are all there, in groups, and one that ratingd adds appears by itself', async (t) => {
    const page = await administrator(t);
    const {data, meta} = await ask(page, 'GET', `${api}/settings`);
    await page.route('**/settings*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const added = {
        type: 'integer',
        minimum: 0,
        maximum: 9,
        default: 3,
        title: 'A new one',
        group: 'new',
        description: '',
      };
      answer.data.new_one = 4;
      answer.meta.schema.new_one = added;
      await route.fulfill({response, json: answer});
    });
    await openSettings(page);
    for (const name of Object.keys(data)) assert.equal(await field(page, name).count(), 1, name);
    assert.deepEqual(await page.locator('.rd-settings h3').allTextContents(), [
      ...meta.groups.map((group) => group.title),
      'Other',
    ]);
    assert.equal(await page.getByRole('spinbutton', {name: 'A new one'}).inputValue(), '4');
    await button(page, 'Reset to default (3): A new one').click();
    assert.equal(await page.getByRole('spinbutton', {name: 'A new one'}).inputValue(), '3');
    await expectAccessible(page);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('report in the save bar whether they were saved, until the next change', async (t) => {
    const page = await administrator(t, {viewport: {width: 1280, height: 600}}, /^Failed to load resource/);
    await openSettings(page);
    const minutes = control(page, 'rate_limit_write');
    const before = await minutes.inputValue();
    await minutes.fill(String(Number(before) - 1));
    const bar = page.locator('.rd-save-bar');
    await page.route('**/settings?*', (route) => route.abort());
    await button(page, 'Save').click();
    await bar.getByRole('alert').getByText('The service did not respond').waitFor();
    assert.equal(await isInSight(bar.locator('.rd-notice')), true);
    await page.unroute('**/settings?*');
    await button(page, 'Save').click();
    await bar.getByText('Settings saved.').waitFor();
    assert.equal(await isInSight(bar.locator('.rd-notice')), true);
    assert.equal(await button(page, 'Save').isVisible(), false);
    await expectAccessible(page);
    await minutes.fill(before);
    assert.equal(await bar.locator('.rd-notice').count(), 0);
    await button(page, 'Save').click();
    await bar.getByText('Settings saved.').waitFor();
  });

  test('are sent if they changed, and stored', async (t) => {
    const page = await administrator(t);
    await openSettings(page);
    const sent = [];
    page.on('request', (request) => isChange(request) && sent.push(request.postDataJSON().data));
    await control(page, 'bayesian_prior_weight').fill('25');
    await control(page, 'require_login').check();
    await control(page, 'revote').selectOption('cooldown');
    await control(page, 'blocked_networks').fill('192.0.2.0/24\n\n  2001:db8::/32 \n');
    await control(page, 'cooldown_seconds').fill('7');
    await control(page, 'cooldown_seconds').fill('0'); // the value as before
    await becomes('4 changes', () => page.locator('.rd-save-bar [role=status]').textContent());
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    const expected = {
      bayesian_prior_weight: 25,
      require_login: true,
      revote: 'cooldown',
      blocked_networks: ['192.0.2.0/24', '2001:db8::/32'],
    };
    assert.deepEqual(sent, [expected]);
    assert.equal(await button(page, 'Save').isVisible(), false);
    const {bayesian_prior_weight: weight, blocked_networks: networks} = await settings(page);
    assert.deepEqual([weight, networks], [25, expected.blocked_networks]);
    assert.equal(sql("SELECT value FROM wp_ratingd_settings WHERE name = 'bayesian_prior_weight'"), '25');
    // Restore the earlier values with the keyboard.
    for (const name of Object.keys(expected)) {
      await field(page, name).getByRole('button').focus();
      await page.keyboard.press('Enter');
    }
    await control(page, 'bayesian_prior_weight').focus();
    await page.keyboard.press('Enter');
    await becomes(10, async () => (await settings(page)).bayesian_prior_weight);
    await becomes(false, () => button(page, 'Save').isVisible());
  });

  test('that are refused show the sentence at the field, and nothing is lost', async (t) => {
    const page = await administrator(t, {}, refused);
    await openSettings(page);
    const before = await settings(page);
    await control(page, 'hold_threshold').fill('77');
    await control(page, 'voter_cookie_days').fill('9999');
    await control(page, 'allowed_origins').fill('https://www.example.org\nno origin');
    await page.keyboard.press('Tab');
    await button(page, 'Save').click();
    const summary = page.locator('.rd-save-bar [role=alert]');
    await becomes(
      'Nothing was saved. 2 values are not allowed: ' +
        'Days to recognize anonymous visitors, Other sites whose visitors may rate',
      () => summary.textContent(),
    );
    const days = control(page, 'voter_cookie_days');
    const origins = control(page, 'allowed_origins');
    assert.equal(await days.getAttribute('aria-invalid'), 'true');
    const reason = async (one) => {
      const [described] = (await one.getAttribute('aria-describedby')).split(' ');
      return page.locator('#' + described).textContent();
    };
    assert.equal(
      await reason(days),
      'Days to recognize anonymous visitors must be a whole number from 1 to 730.',
    );
    assert.equal(
      await reason(origins),
      'Other sites whose visitors may rate must not contain "no origin". Each item must be the address of a site ' +
        'or an app such as https://www.example.org or capacitor://localhost.',
    );
    for (const one of [summary, days, field(page, 'voter_cookie_days').locator('.rd-field-error')]) {
      assert.equal(await isInSight(one), true);
    }
    assert.equal(await origins.getAttribute('aria-invalid'), 'true');
    assert.equal(await control(page, 'hold_threshold').getAttribute('aria-invalid'), null);
    assert.equal(await days.evaluate((element) => element === document.activeElement), true);
    assert.deepEqual(await settings(page), before);
    await expectAccessible(page);
    assert.equal(await control(page, 'hold_threshold').inputValue(), '77');
    assert.equal(await origins.inputValue(), 'https://www.example.org\nno origin');
    await days.fill('400');
    assert.equal(await days.getAttribute('aria-invalid'), null);
    await origins.fill('https://www.example.org');
    assert.equal(await summary.isVisible(), false);
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    assert.equal((await settings(page)).voter_cookie_days, 400);
    await ask(page, 'POST', `${api}/settings`, before);
  });

  test('offer the types that WordPress has, and take others', async (t) => {
    const page = await administrator(t);
    await open(page, 'settings', 'wordpress');
    const types = field(page, 'enabled_object_types');
    // Saving the "Only these types" option without a type is an error, because "All types" is a separate
    // option.
    assert.ok(await types.getByRole('radio', {name: /^All types/}).isChecked());
    assert.equal(await types.getByRole('checkbox', {name: 'Pages'}).isVisible(), false);
    await types.getByRole('radio', {name: 'Only these types:'}).check();
    await button(page, 'Save').click();
    await types.getByText('Choose at least one type, or all types.').waitFor();
    assert.deepEqual((await settings(page)).enabled_object_types, []);
    await types.getByRole('checkbox', {name: 'All WordPress content'}).check();
    await types.getByRole('checkbox', {name: 'Posts', exact: true}).check();
    await types.getByRole('checkbox', {name: 'Pages'}).check();
    await types.getByRole('textbox', {name: 'Other types'}).fill('product-x, song');
    await expectAccessible(page);
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    const expected = ['post', 'post:post', 'page', 'product-x', 'song'];
    assert.deepEqual((await settings(page)).enabled_object_types, expected);
    await types.getByRole('button').click();
    assert.ok(await types.getByRole('radio', {name: /^All types/}).isChecked());
    await button(page, 'Save').click();
    await becomes('[]', async () => JSON.stringify((await settings(page)).enabled_object_types));
  });

  test('that are refused, or have no effect, are explained in the language of the page', async (t) => {
    const page = await administrator(t, {locale: 'de'}, refused);
    sql("REPLACE INTO wp_ratingd_settings VALUES ('cooldown_seconds', '3601'), ('from_the_future', '1')");
    try {
      await openSettings(page);
      const error = (name) => field(page, name).locator('.rd-field-error').textContent();
      assert.match(await error('cooldown_seconds'), /^Der gespeicherte Wert ist nicht lesbar, es gilt „0“\./);
      assert.match(
        await page.locator('.rd-settings .rd-notice').textContent(),
        /^Eine gespeicherte Einstellung hat keine Wirkung\. Diese Version kennt sie nicht\. .* from_the_future$/,
      );
      await control(page, 'voter_cookie_days').fill('9999');
      await control(page, 'allowed_origins').fill('no origin');
      await button(page, 'Speichern').click();
      await becomes(true, async () => /: Erlaubt ist eine ganze Zahl von 1 bis 730\.$/.test(await error('voter_cookie_days')));
      assert.match(await error('allowed_origins'), /: „no origin“ ist nicht erlaubt\. Erlaubt: die Adresse einer Website/);
      assert.doesNotMatch(await error('voter_cookie_days'), /voter_cookie_days/);
    } finally {
      sql("DELETE FROM wp_ratingd_settings WHERE name IN ('cooldown_seconds', 'from_the_future')");
    }
  });

  test('survive a stale nonce', async (t) => {
    const page = await administrator(t, {}, refused);
    await openSettings(page);
    const {hold_threshold: before} = await settings(page);
    let attempts = 0;
    await page.route('**/settings*', (route, request) => {
      const stale = ++attempts === 1 && {'x-wp-nonce': '0123456789'};
      return route.continue({headers: {...request.headers(), ...stale}});
    });
    await control(page, 'hold_threshold').fill('55');
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    assert.equal(attempts, 2);
    assert.equal((await settings(page)).hold_threshold, 55);
    await ask(page, 'POST', `${api}/settings`, {hold_threshold: before});
  });

  test('stay in the form while the service is away or nobody is logged in', async (t) => {
    const page = await administrator(t, {}, /^Failed to load resource/);
    await openSettings(page);
    const {hold_threshold: before} = await settings(page);
    await control(page, 'hold_threshold').fill('56');
    await page.route('**/settings*', (route) => route.abort());
    await button(page, 'Save').click();
    await becomes(
      'The service did not respond, but may have saved your change. Check the result before trying again. ',
      () => status(page),
    );
    await page.unroute('**/settings*');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await button(page, 'Save').click();
    await becomes(true, async () => /You are logged out/.test(await status(page)));
    assert.equal(await control(page, 'hold_threshold').inputValue(), '56');
    await page.context().addCookies(cookies);
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    await ask(page, 'POST', `${api}/settings`, {hold_threshold: before});
  });

  test('are not left unsaved without a question', async (t) => {
    const page = await administrator(t);
    await openSettings(page);
    await control(page, 'hold_threshold').fill('57');
    const asked = [];
    let leave = false;
    page.on('dialog', (question) => {
      asked.push(question.message());
      return leave ? question.accept() : question.dismiss();
    });
    await page.getByRole('link', {name: 'Health', exact: true}).click();
    await becomes(1, () => asked.length);
    assert.equal(await control(page, 'hold_threshold').inputValue(), '57');
    assert.match(page.url(), /#\/settings/);
    await button(page, 'Discard').click();
    await button(page, 'Keep editing').click();
    assert.equal(await control(page, 'hold_threshold').inputValue(), '57');
    await button(page, 'Discard').click();
    await dialog(page).getByRole('button', {name: 'Discard'}).click();
    await becomes(false, async () => (await control(page, 'hold_threshold').inputValue()) === '57');
    await control(page, 'hold_threshold').fill('58');
    leave = true;
    await page.getByRole('link', {name: 'Health', exact: true}).click();
    await page.getByRole('heading', {name: 'Health'}).waitFor();
    assert.equal(asked.length, 2);
  });

  test('that the network has fixed are shown, and cannot be changed', async (t) => {
    const page = await administrator(t);
    await page.route('**/settings*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const name of ['rate_limit_write', 'enabled_categories', 'revote']) {
        answer.meta.schema[name].readOnly = true;
      }
      answer.data.rate_limit_write = 77;
      await route.fulfill({response, json: answer});
    });
    await openSettings(page);
    const said = 'The network enforces this setting for all sites.';
    assert.equal(await control(page, 'rate_limit_write').inputValue(), '77');
    for (const name of ['rate_limit_write', 'enabled_categories', 'revote']) {
      assert.equal(await control(page, name).isDisabled(), true, name);
      assert.equal(await field(page, name).getByText(said).isVisible(), true, name);
      assert.equal(await field(page, name).getByRole('button').count(), 0, name);
    }
    assert.equal(await control(page, 'hold_threshold').isDisabled(), false);
    assert.equal(await field(page, 'hold_threshold').getByText(said).isVisible(), false);
    await expectAccessible(page);
  });

  test('count as changed by their set of choices; after Save the keyboard is at the heading', async (t) => {
    const page = await administrator(t);
    const {hold_threshold: before} = await settings(page);
    await page.route('**/settings*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      answer.data.enabled_categories.reverse();
      await route.fulfill({response, json: answer});
    });
    await openSettings(page);
    await control(page, 'hold_threshold').fill('54');
    await becomes('1 change', () => page.locator('.rd-save-bar [role=status]').textContent());
    await button(page, 'Save').focus();
    await page.keyboard.press('Enter');
    await becomes('Settings saved.', () => status(page));
    const heading = page.locator('.rd-head h2');
    await becomes(true, () => heading.evaluate((element) => element === document.activeElement));
    await page.unrouteAll({behavior: 'ignoreErrors'});
    await ask(page, 'POST', `${api}/settings`, {hold_threshold: before});
  });

  test('are found by their words', async (t) => {
    const page = await administrator(t);
    await openSettings(page);
    const sent = [];
    page.on('request', (request) => isChange(request) && sent.push(request.url()));
    await control(page, 'hold_threshold').fill('53');
    await page.getByLabel('Find a setting').fill('cookie recognizes');
    await page.keyboard.press('Enter');
    await becomes(1, () => page.locator('.rd-setting:visible').count());
    assert.equal(await field(page, 'voter_cookie_days').isVisible(), true);
    await page.getByLabel('Find a setting').fill('xyz');
    await page.getByText('No setting matches.').waitFor();
    assert.deepEqual(sent, []);
  });

  test('are found by other words, advanced ones too', async (t) => {
    const page = await administrator(t);
    await open(page, 'settings');
    const find = page.getByLabel('Find a setting');
    const found = async (typed, name) => {
      await find.fill(typed);
      await page.keyboard.press('Enter');
      assert.equal(await field(page, name).isVisible(), true, typed);
    };
    assert.equal(await field(page, 'rate_limit_write').isVisible(), false);
    for (const typed of ['spam', 'bot', 'Captcha', 'rate_limit_write']) await found(typed, 'rate_limit_write');
    assert.equal(await field(page, 'revote').isVisible(), false);
    for (const typed of ['GDPR', 'privacy']) await found(typed, 'store_address');
    await found('cors', 'allow_null_origin');
    await find.fill('');
    await page.keyboard.press('Enter');
    assert.equal(await field(page, 'rate_limit_write').isVisible(), false);
    assert.equal(await field(page, 'revote').isVisible(), true);
  });

  test('that are damaged say so at their field, and any choice replaces them', async (t) => {
    const page = await administrator(t);
    const stored = (name) => sql(`SELECT value FROM wp_ratingd_settings WHERE name = '${name}'`);
    for (const name of ['revote', 'cooldown_seconds', 'hold_threshold']) {
      sql(`REPLACE INTO wp_ratingd_settings VALUES ('${name}', 'oops')`);
    }
    await open(page, 'settings');
    const problem = (name) => field(page, name).locator('.rd-field-error');
    await becomes(
      'The stored value cannot be read, so the default “0” is used. Choose a value and save.',
      () => problem('cooldown_seconds').textContent(),
    );
    for (const name of ['revote', 'hold_threshold']) assert.equal(await problem(name).isVisible(), true, name);
    assert.equal(await page.locator('.rd-notice').count(), 0);
    assert.equal(await page.locator('.rd-save-bar').isVisible(), false);
    await expectAccessible(page);
    await control(page, 'revote').selectOption('never');
    await button(page, 'Reset to default (0): Minimum time between two ratings by a visitor (seconds)').click();
    await becomes('2 changes', () => page.locator('.rd-save-bar [role=status]').textContent());
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    assert.equal(await problem('cooldown_seconds').isVisible(), false);
    assert.equal(await problem('hold_threshold').isVisible(), true);
    assert.deepEqual(['revote', 'cooldown_seconds', 'hold_threshold'].map(stored), ['"never"', '0', 'oops']);
    // While the page is open, another user corrects the hold_threshold setting. Saving a different
    // setting must not overwrite the correction.
    await ask(page, 'POST', `${api}/settings`, {hold_threshold: 55});
    await control(page, 'revote').selectOption('replace');
    await button(page, 'Save').click();
    await becomes('55', () => control(page, 'hold_threshold').inputValue());
    assert.equal(await problem('hold_threshold').isVisible(), false);
    sql("DELETE FROM wp_ratingd_settings WHERE name IN ('revote', 'cooldown_seconds', 'hold_threshold')");
  });

  test('that are advanced are unfolded by keyboard, and by a refusal', async (t) => {
    const page = await administrator(t, {}, refused);
    await open(page, 'settings');
    const fold = page.locator('details', {has: field(page, 'hold_threshold')});
    await fold.locator('summary').focus();
    await page.keyboard.press('Enter');
    await control(page, 'hold_threshold').fill('0');
    await page.locator('.rd-settings h3').first().scrollIntoViewIfNeeded();
    await fold.locator('summary').click();
    assert.equal(await control(page, 'hold_threshold').isVisible(), false);
    await button(page, 'Save').click();
    await becomes(true, () => control(page, 'hold_threshold').isVisible());
    await becomes(true, () => isInSight(field(page, 'hold_threshold').locator('.rd-field-error')));
  });

  test('offer the templates of their category', async (t) => {
    const page = await administrator(t);
    const html =
      '<div role="group" aria-label="{{LABEL_RATING}}" data-object-id="{{OBJECT_ID}}" ' +
      'data-object-type="{{OBJECT_TYPE}}" data-category="{{CATEGORY}}" data-template="{{TEMPLATE}}" ' +
      'data-user-rating="{{USER_RATING}}"><button type="button" data-value="1" aria-pressed="false">' +
      '+ {{LABEL_LIKE}}</button></div>';
    const mine = {slug: 'mine/plus', name: 'Plus', category: 'binary', html};
    assert.equal((await ask(page, 'POST', `${api}/templates`, mine)).success, true);
    await open(page, 'settings');
    const options = (name) => control(page, name).locator('option').allTextContents();
    assert.deepEqual(await options('default_template_binary'), ['Heart', 'Plus (mine/plus)']);
    assert.deepEqual(await options('default_template_bipolar'), ['Like and dislike', 'Thumbs']);
    await control(page, 'default_template_binary').selectOption('mine/plus');
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
    // Delete the template directly in the database.
    sql("DELETE FROM wp_ratingd_templates WHERE slug = 'mine/plus'");
    await page.reload();
    await becomes('mine/plus', () => control(page, 'default_template_binary').inputValue());
    assert.deepEqual(await options('default_template_binary'), ['Heart', 'mine/plus (missing)']);
    await page.getByText('This template does not exist, so widgets use “Heart”.').waitFor();
    assert.equal(await page.locator('.rd-notice').count(), 0);
    await expectAccessible(page);
    await open(page, 'health');
    await row(page, 'A stored setting has no effect').waitFor();
    await open(page, 'settings');
    await control(page, 'default_template_binary').selectOption('simple/heart');
    await button(page, 'Save').click();
    await becomes('Settings saved.', () => status(page));
  });
});

// --- Files --------------------------------------------------------------------------------------------

function fileOf(t, name, text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ratingd-file-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

const card = (page, name) => page.getByRole('region', {name, exact: true});
const figure = (page, name) =>
  card(page, 'Import').locator('dt', {hasText: name}).locator('xpath=following-sibling::dd[1]').textContent();

describe('Files', () => {
  test('are exported with filters', async (t) => {
    const object = newObject();
    const other = newObject();
    const page = await administrator(t);
    const {held, held_at: heldAt, ...counts} = heldRow(object, 0.6);
    await hold(page, [counts, heldRow(other, 1)]);
    await open(page, 'transfer');
    await expectAccessible(page);
    const form = card(page, 'Export');
    const settingsBox = form.getByLabel('Settings');
    await form.getByText('Only some ratings').click();
    await form.getByLabel('User ID').fill('7');
    assert.deepEqual([await settingsBox.isChecked(), await settingsBox.isDisabled()], [false, true]);
    await form.getByLabel('User ID').fill('');
    assert.deepEqual([await settingsBox.isChecked(), await settingsBox.isDisabled()], [true, false]);
    await form.getByLabel('Content ID').fill(String(object));
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    assert.match(download.suggestedFilename(), /^ratingd.*\.ndjson$/);
    const lines = fs
      .readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
      .map(JSON.parse);
    assert.deepEqual(
      lines.map(({kind, object_id: id}) => [kind, id]),
      [
        ['rating', object],
        ['end', undefined],
      ],
    );
    assert.equal(lines[0].visitor, counts.visitor);
    assert.ok(held && heldAt);
  });

  test('are exported for spreadsheets, in the numbers of the page, and of a time', async (t) => {
    const object = newObject();
    const page = await administrator(t, {locale: 'de-DE'});
    const {held, held_at: heldAt, ...counts} = heldRow(object, 0.76);
    assert.ok(held && heldAt);
    const at = (day) => `2026-03-0${day}T10:00:00Z`;
    const of = (day, more) => ({...counts, ...more, created_at: at(day), rated_at: at(day)});
    const [first, second] = [1, 2].map((n) => `v900000000${(object % 1e7) + n}`.padEnd(17, '0'));
    await hold(page, [
      of(1, {visitor: first}),
      of(2, {visitor: second}),
      of(3, {category: 'binary', value: 0, visitor: second}),
    ]);
    await open(page, 'transfer', 'wordpress');
    const form = card(page, 'Export');
    await form.getByLabel('Format').selectOption('csv');
    assert.deepEqual(
      [await form.getByLabel('Settings').isDisabled(), await form.getByLabel('Ratings').isChecked()],
      [true, true],
    );
    await form.getByText('Only some ratings').click();
    await form.getByLabel('Content ID').fill(String(object));
    await form.getByLabel('From').fill('2026-03-02');
    const save = async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
      assert.match(download.suggestedFilename(), /^ratingd.*\.csv$/);
      return fs.readFileSync(await download.path(), 'utf8').split('\r\n');
    };
    assert.deepEqual(await save(), [
      '\ufeffType;Content ID;Kind of rating;Rating / 5;Ratings;User ID;Visitor;First;Last;Reason;Held',
      `WordPress content;${object};Likes;Dislike;1;;${second};2026-03-03 10:00:00;2026-03-03 10:00:00;;`,
      `WordPress content;${object};Stars;3,8;1;;${second};2026-03-02 10:00:00;2026-03-02 10:00:00;;`,
      '',
    ]);
    await form.getByLabel('To').fill('2026-03-02');
    assert.equal((await save()).length, 3);
    await form.getByLabel('From').fill('');
    assert.equal((await save()).length, 4);
  });

  test('are exported, and ratings deleted, by types that exist; those of WordPress mean its posts', async (t) => {
    const page = await administrator(t, {}, /^Failed to load resource.*404/); // the page of another template type
    const id = await newPost(page, 'About onions', 'pages');
    const rows = [heldRow(id, 1), heldRow(id, 0.5), heldRow(newObject(), 1)];
    await hold(
      page,
      rows.map(({held, held_at: heldAt, ...counts}) => (assert.ok(held && heldAt), counts)),
    );
    await open(page, 'transfer', 'wordpress');
    const form = card(page, 'Export');
    await form.getByText('Only some ratings').click();
    const names = await form.getByLabel('Type').locator('option').allTextContents();
    assert.deepEqual(names.slice(0, 4), ['all', 'All WordPress content', 'Posts', 'Pages']);
    await form.getByLabel('Type').selectOption({label: 'Pages'});
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
    const lines = fs.readFileSync(await download.path(), 'utf8').trim().split('\n').map(JSON.parse);
    const pages = sql("SELECT ID FROM wp_posts WHERE post_type = 'page'").split('\n').map(Number);
    const exported = lines.slice(0, -1).map(({object_id: object}) => object);
    assert.deepEqual([exported.includes(id), exported.filter((object) => !pages.includes(object))], [true, []]);

    const deletion = card(page, 'Delete ratings');
    assert.equal(await deletion.getByLabel('Type').inputValue(), 'post');
    await deletion.getByLabel('Content ID').fill(String(id));
    await deletion.getByLabel('Type').selectOption({label: 'Posts'});
    await expectAccessible(page);
    await button(page, 'Delete …').click();
    await dialog(page).getByText(`Selected: Posts ${id}.`).waitFor();
    await button(page, 'Delete ratings').click();
    await becomes('0 ratings deleted.', () => status(page));
    assert.equal(counted(id), '2\t1500');
    await deletion.getByLabel('Type').selectOption({label: 'Pages'});
    await button(page, 'Delete …').click();
    await dialog(page).getByText('About onions').waitFor();
    await button(page, 'Delete 2 ratings').click();
    await becomes('2 ratings deleted.', () => status(page));
    assert.equal(counted(id), '0\t0');
  });

  test('have an object that can be found by its title', async (t) => {
    const page = await administrator(t);
    const id = await newPost(page, 'Leek & "potato" soup');
    const rows = [heldRow(id, 1), heldRow(id, 0.5)].map(({held, held_at: at, ...counts}) => (assert.ok(held && at), counts));
    await hold(page, [...rows, {...rows[0], category: 'binary', value: 1}]);
    await open(page, 'transfer');
    for (const name of ['Export', 'Delete ratings']) {
      const form = card(page, name);
      if (name === 'Export') await form.getByText('Only some ratings').click();
      await form.getByLabel('Find by title').fill('POTATO');
      await form.getByText('3 ratings').waitFor();
      await expectAccessible(page);
      await form.getByRole('button', {name: 'Leek & "potato" soup'}).click();
      assert.equal(await form.getByLabel('Content ID').inputValue(), String(id));
      assert.equal(await form.getByLabel('Type').inputValue(), 'post');
      await form.getByText('Selected: Leek & "potato" soup').waitFor();
    }
    await page.waitForURL(new RegExp(`object_id=${id}`));
    await button(page, 'Delete …').click();
    await dialog(page).getByText('3 ratings will be deleted: Leek & "potato" soup.').waitFor();
    await dialog(page).getByRole('button', {name: 'Cancel'}).click();
    await card(page, 'Export').getByLabel('Find by title').fill('nothing is called so');
    await page.getByText(/^No rated content has these words in its title\./).waitFor();
  });

  test('have square boxes to choose from on a narrow screen', async (t) => {
    const page = await administrator(t, looks.narrow);
    for (const door of ['alone', 'wordpress']) {
      await open(page, 'transfer', door);
      const boxes = page.locator('[type=checkbox], [type=radio]').filter({visible: true});
      const sizes = await boxes.evaluateAll((all) => all.map((box) => [box.offsetWidth, box.offsetHeight]));
      assert.ok(sizes.length >= 9);
      assert.deepEqual(sizes.filter(([width, height]) => width !== height), []);
    }
  });

  test('are not exported without an answer or a login, and the page says so', async (t) => {
    const page = await administrator(t, {}, /^Failed to load resource/);
    await open(page, 'transfer');
    page.on('download', () => assert.fail('an error was saved'));
    await page.route('**/admin-ajax.php**', (route) => route.abort());
    await button(page, 'Download').click();
    await becomes('The service is not responding. Please try again.', () => status(page));
    await page.unroute('**/admin-ajax.php**');
    await page.context().clearCookies();
    await button(page, 'Download').click();
    await becomes(true, async () => /You are logged out/.test(await status(page)));
  });

  test('are imported, and what was refused is listed', async (t) => {
    const object = newObject();
    const page = await administrator(t, {}, refused);
    await open(page, 'transfer');
    const {held, held_at: heldAt, ...first} = heldRow(object, 0.6);
    const rows = [first, {...first, value: 7}, {...first, visitor: 'nobody'}, {kind: 'end', rows: 9}];
    const text = rows.map((one) => JSON.stringify(one)).join('\n');
    let attempts = 0;
    await page.route('**/data/import', (route, request) => {
      const stale = ++attempts === 1 && {'x-wp-nonce': '0123456789'};
      return route.continue({headers: {...request.headers(), ...stale}});
    });
    await page.getByLabel('File', {exact: true}).setInputFiles(fileOf(t, 'ratings.ndjson', text));
    await button(page, 'Upload').click();
    await becomes('2 rows were refused. All other rows were stored.', () => status(page));
    assert.equal(attempts, 2);
    assert.deepEqual([await figure(page, 'Rows read'), await figure(page, 'New')], ['3', '1']);
    assert.equal(await figure(page, 'Refused'), '2');
    await page.getByText('Part of the file may be missing').waitFor();
    assert.match(await row(page, 'value must be').textContent(), /^2/);
    assert.match(await row(page, 'visitor').last().textContent(), /^3/);
    assert.equal(counted(object), '1\t600');
    await expectAccessible(page);
    assert.ok(held && heldAt);
  });

  test('are previewed with their numbers by object', async (t) => {
    const [first, second] = [newObject(), newObject()];
    const page = await administrator(t);
    await open(page, 'transfer');
    const at = '2026-01-01T00:00:00Z';
    const line = (object, user) => `rating,${object},post,scale,${user},0.5,${at},${at}\n`;
    const csv =
      'kind,object_id,object_type,category,user_id,value,created_at,rated_at\n' +
      line(first, 7) + line(second, 7) + line(second, 8);
    const part = card(page, 'Import');
    await part.getByLabel('File', {exact: true}).setInputFiles(fileOf(t, 'ratings.csv', csv));
    await button(part, 'Preview').click();
    await part.getByText('3 rows can be imported.').waitFor();
    assert.equal(await row(part, `post ${second}`).textContent(), `post ${second}200`);
    assert.equal(await row(part, `post ${first}`).textContent(), `post ${first}100`);
    assert.equal(counted(first), '0\t0');
    await expectAccessible(page);
    await button(part, 'Upload').click();
    await part.getByText('The file was imported.').waitFor();
    assert.equal(counted(second), '2\t1000');
    assert.equal(await part.getByText('Rows by content').count(), 0);
    await part.getByLabel('File', {exact: true}).setInputFiles(fileOf(t, 'ratings.csv', csv));
    await button(part, 'Preview').click();
    await part.getByText('There is nothing new to import.').waitFor();
  });

  test('that are refused say why in the language of the page', async (t) => {
    const page = await administrator(t, {locale: 'de'});
    await open(page, 'transfer');
    const {held, held_at: heldAt, ...first} = heldRow(newObject(), 0.6);
    const rows = [{...first, value: 7}, {...first, object_id: 0}, {kind: 'setting', name: 'hold_threshold', value: -1}];
    const text = rows.map((one) => JSON.stringify(one)).join('\n') + '\nno JSON';
    await page.locator('input[type=file]').setInputFiles(fileOf(t, 'ratings.ndjson', text));
    await button(page, 'Hochladen').click();
    await row(page, 'Die Zeile ist kein JSON: ').waitFor();
    assert.match(await row(page, 'Der Wert muss').textContent(), /^1Der Wert muss bei der Kategorie „scale“ zwischen 0 und 1 liegen\.$/);
    assert.match(await row(page, 'object_id:').textContent(), /^2object_id: Erlaubt ist eine ganze Zahl von 1 bis 9223372036854775807\.$/);
    assert.match(await row(page, 'hold_threshold').textContent(), /^3hold_threshold: Erlaubt ist eine ganze Zahl von/);
    assert.ok(held && heldAt);
  });

  test('of a spreadsheet are imported, too; again they change nothing', async (t) => {
    const object = newObject();
    const page = await administrator(t);
    await open(page, 'transfer');
    const at = '2026-01-01T00:00:00Z';
    const csv =
      'kind,object_id,object_type,category,visitor,value,created_at,rated_at\n' +
      `rating,${object},post,scale,v8000000000000777,0.25,${at},${at}\n`;
    const file = fileOf(t, 'ratings.csv', csv);
    for (const [name, expected] of [
      ['New', '1'],
      ['Kept', '1'],
    ]) {
      await page.getByLabel('File', {exact: true}).setInputFiles(file);
      await button(page, 'Upload').click();
      await becomes(expected, () => figure(page, name).catch(() => ''));
    }
    assert.equal(counted(object), '1\t250');
  });

  test('that are too large are not sent', async (t) => {
    const page = await administrator(t);
    await open(page, 'transfer');
    const file = fileOf(t, 'large.ndjson', '');
    fs.truncateSync(file, 64 * 1024 * 1024 + 1);
    await page.getByLabel('File', {exact: true}).setInputFiles(file);
    await button(page, 'Upload').click();
    await becomes(true, async () => /exceeds the upload limit of 64 MiB/.test(await status(page)));
  });

  test('are not needed to delete ratings, after a question with their number', async (t) => {
    const page = await administrator(t);
    const id = await newPost(page, 'Onion tart');
    const rows = [heldRow(id, 1), heldRow(id, 0.5), heldRow(id, 0)];
    await hold(
      page,
      rows.map(({held, held_at: heldAt, ...counts}) => (assert.ok(held && heldAt), counts)),
    );
    await hold(page, [heldRow(id, 1)]);
    await open(page, 'transfer');
    const form = card(page, 'Delete ratings');
    await form.getByLabel('Content ID').fill(String(id));
    await button(page, 'Delete …').click();
    await dialog(page).getByText('Delete 3 ratings?').waitFor();
    await dialog(page).getByText('Onion tart').waitFor();
    await expectAccessible(page);
    await button(page, 'Cancel').click();
    assert.equal(counted(id), '3\t1500');
    await button(page, 'Delete …').click();
    await button(page, 'Delete 3 ratings').click();
    await becomes('4 ratings deleted.', () => status(page));
    assert.equal(sql(`SELECT COUNT(*) FROM wp_ratingd_votes WHERE object_id = ${id}`), '0');
  });

  test('are not needed to delete ratings of one type only', async (t) => {
    const page = await administrator(t);
    const id = newObject();
    const rows = ['post', 'comment'].map((type) => ({...heldRow(id, 1), object_type: type}));
    await hold(
      page,
      rows.map(({held, held_at: heldAt, ...counts}) => (assert.ok(held && heldAt), counts)),
    );
    await open(page, 'transfer');
    await card(page, 'Delete ratings').getByLabel('Content ID').fill(String(id));
    await button(page, 'Delete …').click();
    await button(page, 'Delete 1 rating').click();
    await becomes('1 rating deleted.', () => status(page));
    assert.equal(counted(id), '1\t1000');
  });
});

// --- Health -------------------------------------------------------------------------------------------

describe('Health', () => {
  test('survives a stale nonce, and says who is logged out', async (t) => {
    const page = await administrator(t, {}, refused);
    let attempts = 0;
    // Without a proxy header, ratingd returns all details to every client on this host.
    const proxy = {'x-forwarded-for': '203.0.113.9'};
    await page.route('**/health', (route, request) => {
      const stale = ++attempts === 1 && {'x-wp-nonce': '0123456789'};
      return route.continue({headers: {...request.headers(), ...proxy, ...stale}});
    });
    await open(page, 'health');
    await row(page, /worker process/).waitFor();
    assert.equal(attempts, 2);
    await page.context().clearCookies();
    await button(page, 'Check again').click();
    await page.getByText('You are logged out.').waitFor();
    assert.doesNotMatch(await page.locator('.rd-root').textContent(), /undefined|NaN/);
  });

  test('is shown in words, and refreshes itself', async (t) => {
    const page = await administrator(t);
    const state = await ask(page, 'GET', `${api}/health`);
    await open(page, 'health');
    await becomes(true, async () => /OK.*Database/.test(await page.locator('.rd-root').textContent()));
    await row(page, `${state.workers} worker process`).waitFor();
    await page.getByText('Service report').click();
    for (const {text} of state.findings) await page.getByText(text, {exact: true}).last().waitFor();
    await expectAccessible(page);
    await page.route('**/health', async (route) => {
      const response = await route.fetch();
      const title = 'Clocks';
      const advice = 'The clocks of the web server and the database differ. Synchronize both clocks.';
      const findings = [{subject: 'clock', health: 'warn', title, advice, text: 'The clocks differ.'}];
      await route.fulfill({response, json: {...(await response.json()), findings}});
    });
    await row(page, 'The clocks differ.').waitFor({timeout: 15000});
    assert.match(await row(page, 'The clocks differ.').textContent(), /Clock.*Warning.*Synchronize both clocks\./);
    await page.locator('details[open] .rd-report').waitFor(); // the page has not changed
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('says what was found and what to do in the language of the page, and marks what is English', async (t) => {
    const page = await administrator(t, {locale: 'de'}, /^Failed to load resource/);
    await page.route('**/health', async (route) => {
      const response = await route.fetch();
      const findings = [
        {
          subject: 'clock',
          health: 'warn',
          title: 'Clocks',
          advice: 'The clocks of the web server and the database differ. Synchronize both clocks.',
          text: "the database's clock is 90 seconds behind this host's clock. Synchronize both clocks (NTP)",
          pattern: "the database's clock is {time} behind this host's clock. Synchronize both clocks (NTP)",
          values: {time: {number: 90, unit: 'second'}},
        },
        {subject: 'rights', health: 'ok', title: 'Database privileges', text: 'a message of the database'},
        {
          subject: 'engine',
          health: 'warn',
          title: 'Table storage engine',
          text: 'this check was skipped, because the database took too long to respond',
        },
      ];
      await route.fulfill({response, json: {...(await response.json()), findings}});
    });
    await open(page, 'health');
    const line = row(page, 'Uhren');
    assert.match(await line.textContent(), /Warnung.*Bitte synchronisieren.*geht gegenüber diesem Server nach \(90 Sekunden\)/);
    assert.equal(await line.locator('.rd-report').getAttribute('lang'), null);
    const unchecked = row(page, 'Nicht geprüft: Die Datenbank braucht zu lange für ihre Antwort.');
    assert.equal(await unchecked.locator('p').count(), 1);
    const english = page.getByText('a message of the database');
    assert.equal(await english.isVisible(), false);
    assert.equal(await english.getAttribute('lang'), 'en');
    const body = {code: 'ratingd_internal', message: 'An internal error occurred. The log contains the error and the request ID.'};
    await page.route('**/analytics/**', (route) => route.fulfill({status: 500, json: {...body, data: {status: 500}}}));
    await page.goto(`${api}/admin/#/content`);
    await page.getByText('Dies konnte nicht geladen werden.').waitFor();
    assert.match(await page.locator('.rd-banner').textContent(), /Ein interner Fehler ist aufgetreten/);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('has a translation of all that the service finds', async (t) => {
    const page = await administrator(t, {locale: 'de'});
    await open(page, 'health');
    await page.getByText('Was der Dienst meldet').click();
    await page.locator('details[open] .rd-report').first().waitFor();
    assert.deepEqual(await page.locator('.rd-report[lang]').allTextContents(), []);
    assert.doesNotMatch(await page.locator('.rd-root').textContent(), /\b(the|is|of)\b/);
  });

  test('shows what is wrong when the service is not ready', async (t) => {
    const page = await administrator(t, {}, /^Failed to load resource/);
    const {version, workers, schema_wanted: wanted} = await ask(page, 'GET', `${api}/health`);
    const health = {
      version,
      alive: true,
      ready: false,
      database: 'away',
      schema: null,
      schema_wanted: wanted,
      workers,
      queue: 0,
      queue_limit: 1000,
    };
    await page.route('**/health', (route) =>
      route.fulfill({
        status: 503,
        json: {code: 'ratingd_unavailable', message: 'Unavailable.', data: {status: 503, health}},
      }),
    );
    await open(page, 'health');
    assert.match(await row(page, 'The database is not responding.').textContent(), /Database.*Failed/);
    await expectAccessible(page);
  });
});

// --- Selected ratings -----------------------------------------------------------------------------------

describe('Ratings', () => {
  const counting = (id, value) => {
    const {held, held_at: heldAt, ...counts} = heldRow(id, value);
    assert.ok(held && heldAt);
    return counts;
  };

  test('are chosen in a list, downloaded, and deleted after a question with their number', async (t) => {
    const page = await administrator(t, looks.narrow);
    const id = await newPost(page, 'Waffles');
    await hold(page, [counting(id, 1), counting(id, 0.6), counting(id, 0.2)]);
    await open(page, `content/post/${id}?period=all`);
    assert.equal(await button(page, 'Delete selected').getAttribute('aria-disabled'), 'true');
    for (const value of ['5 of 5', '1 of 5']) await page.getByLabel(`Select the ${value} rating from`).check();
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download selected (2)').click(),
    ]);
    const lines = fs.readFileSync(await download.path(), 'utf8').trim().split('\r\n');
    assert.equal(lines.length, 3);
    await picture(page, 'chosen');
    await button(page, 'Delete selected (2)').click();
    await dialog(page).getByText('2 ratings will be deleted: Waffles.').waitFor();
    await expectAccessible(page);
    await button(page, 'Cancel').click();
    assert.equal(counted(id), '3\t1800');
    await button(page, 'Delete selected (2)').click();
    await button(page, 'Delete 2 ratings').click();
    await becomes('2 ratings deleted.', () => status(page));
    assert.equal(counted(id), '1\t600');
    await becomes(1, () => page.locator('[data-id]').count());
    await page.getByLabel('Select all on this page').check();
    await button(page, 'Delete selected (1)').click();
    await button(page, 'Delete 1 rating').click();
    await becomes('1 rating deleted.', () => status(page));
    assert.equal(counted(id), '0\t0');
  });
});

describe('Ratings that are stored only as sums', () => {
  test('are counted in the period of their day, and the list says why it is empty', async (t) => {
    const page = await administrator(t);
    const id = await newPost(page, 'Imported stars');
    const day = sql('SELECT UTC_DATE() - INTERVAL 3 DAY');
    const bins = [0, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0];
    const sums = {kind: 'balance', object_id: id, object_type: 'post', category: 'scale', day, source: 'test'};
    await hold(page, [{...sums, sum: 40.8, bins, last_rated_at: `${day}T12:00:00Z`}]);
    const inPeriod = () =>
      page.locator('.rd-figures > div').filter({hasText: 'In this period'}).locator('.rd-figure').textContent();
    const empty = page.locator('.rd-list .rd-empty-title');
    for (const interval of ['day', 'week', 'month']) {
      await open(page, `content/post/${id}?period=7d&interval=${interval}`);
      assert.equal(await inPeriod(), '51', interval);
      assert.equal(await empty.textContent(), 'Ratings in this period are stored only as totals.');
    }
    const dayBefore = sql('SELECT UTC_DATE() - INTERVAL 4 DAY');
    for (const interval of ['week', 'month']) {
      await open(page, `content/post/${id}?from=${dayBefore}&to=${dayBefore}&interval=${interval}`);
      assert.equal(await inPeriod(), '0', interval);
      assert.equal(await empty.textContent(), 'No ratings in this period.');
    }
    await page.route('**/analytics/recent?*', async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({json: {...answer, data: []}});
    });
    await open(page, 'overview?period=all');
    await page.getByRole('heading', {name: 'Latest ratings'}).scrollIntoViewIfNeeded();
    await becomes('Ratings in this period are stored only as totals.', () => empty.first().textContent());
  });
});

describe('A person', () => {
  test('of whom only held votes are stored can be erased', async (t) => {
    const page = await administrator(t);
    const login = `held${newObject()}`;
    const user = {username: login, name: 'Dora', email: `${login}@example.org`, password: login};
    const {id} = await ask(page, 'POST', `${site.url}/?rest_route=/wp/v2/users`, user);
    await ask(page, 'POST', `${api}/data/clean`, {scope: 'ratings', user_id: id, confirm: true}); // of the demo data
    const object = newObject();
    await hold(page, [{...heldRow(object, 1), visitor: undefined, user_id: id}]);
    await open(page, `people/${id}?period=all`);
    const erase = async () => {
      await button(page, 'Erase all ratings …').click();
      await dialog(page).getByText('Held votes are also deleted, but not the account.').waitFor();
      assert.doesNotMatch(await dialog(page).textContent(), /\d/);
      await button(page, 'Delete ratings').click();
    };
    await erase();
    await becomes('1 rating by Dora was erased.', () => status(page));
    assert.equal(heldOf(object), 0);
    await erase();
    await becomes('Nothing is stored about this person.', () => status(page));
  });
});

describe('The address of the page', () => {
  const hash = (page) => new URL(page.url()).hash;

  test('keeps the filters of an export and of settings, and the period that was chosen elsewhere', async (t) => {
    const page = await administrator(t);
    await open(page, 'transfer');
    const form = card(page, 'Export');
    await form.getByText('Only some ratings').click();
    await form.getByLabel('User ID').fill('7');
    await form.getByLabel('From').fill('2026-03-02');
    await form.getByLabel('Format').selectOption('csv');
    assert.equal(await hash(page), '#/transfer?user_id=7&from=2026-03-02&format=csv');
    await page.reload();
    await form.getByLabel('User ID').waitFor();
    assert.deepEqual(
      await Promise.all(['User ID', 'From', 'Format'].map((label) => form.getByLabel(label).inputValue())),
      ['7', '2026-03-02', 'csv'],
    );
    assert.equal(await form.getByLabel('Settings').isDisabled(), true);

    await open(page, 'settings');
    await page.getByLabel('Find a setting').fill('cooldown');
    await becomes('#/settings?search=cooldown', () => hash(page));
    const seen = () => page.locator('.rd-setting').filter({visible: true}).count();
    const found = await seen();
    await page.reload();
    await field(page, 'cooldown_seconds').waitFor();
    assert.equal(await seen(), found);

    await open(page, 'overview?period=this_year');
    await page.getByRole('link', {name: 'Content', exact: true}).click();
    await becomes('#/content?period=this_year', () => hash(page));
  });
});

// --- Votes from other plugins ---------------------------------------------------------------------------

describe('Votes from other plugins', () => {
  const rights = ['yasr_log', 'postmeta'].map((table) => `SELECT ON \`wordpress\`.\`wp_${table}\``);
  // Creates a user's vote, a visitor's vote, and a vote on a missing post, which cannot be imported.
  function makeVotes(id) {
    sql(`CREATE TABLE wp_yasr_log (id bigint PRIMARY KEY AUTO_INCREMENT, post_id bigint, user_id bigint,
      vote decimal(2,1), date datetime, ip varchar(45))`);
    sql(`INSERT INTO wp_yasr_log VALUES (1, ${id}, 1, 5, '2026-01-10 12:00:00', ''),
      (2, ${id}, 0, 3, '2026-01-10 12:00:00', '192.0.2.1'), (3, 999999999, 0, 3, '2026-01-10 12:00:00', '')`);
    sql("INSERT INTO wp_options (option_name, option_value) VALUES ('yasr_general_options', '')");
  }
  function removeVotes() {
    sql("DELETE FROM wp_options WHERE option_name = 'yasr_general_options'");
    for (const right of rights) sql(`REVOKE ${right} FROM ratingd@localhost`);
    sql('DROP TABLE wp_yasr_log');
  }

  test('are previewed and imported, again without a change, as soon as the database allows it', async (t) => {
    const page = await administrator(t);
    const id = await newPost(page, 'Pancakes');
    makeVotes(id);
    t.after(removeVotes);
    await open(page, 'transfer');
    const part = card(page, 'Votes from other rating plugins');
    await part.getByText('Yet Another Stars Rating').waitFor();
    await expectAccessible(page);
    const statements = await part.locator('.rd-code').textContent();
    assert.deepEqual(
      statements.split('\n').slice(0, 2),
      rights.map((right) => `GRANT ${right} TO \`ratingd\`@\`localhost\`;`),
    );
    sql(statements.split('\n').slice(0, 2).join(''));

    await open(page, 'transfer');
    await button(part, 'Preview').click();
    await part.getByText('2 votes can be imported.').waitFor();
    await row(page, 'the rated content no longer exists on this site').getByText('post 999999999 (row 3)').waitFor();
    const numbers = await part.locator('.rd-figure').allTextContents();
    assert.deepEqual(numbers, ['3', '2', '1']); // the numbers of read, new and refused votes
    assert.equal(counted(id), '0\t0');
    await expectAccessible(page);
    await picture(page, 'plugin-preview');
    await part.getByRole('button', {name: 'Import', exact: true}).click();
    await part.getByText('2 votes were imported.').waitFor();
    assert.equal(counted(id), '2\t1600');
    assert.equal(await shown(page, id), counted(id));
    await button(part, 'Preview').click();
    await part.getByText('There is nothing new to import.').waitFor();
    assert.equal(await part.getByRole('button', {name: 'Import', exact: true}).count(), 0);
  });

  test('whose tables are damaged are named with the error', async (t) => {
    const page = await administrator(t);
    const damaged = [{table: 'wp_yasr_log', error: 'Table is marked as crashed'}];
    await page.route('**/data/plugins', (route) =>
      route.fulfill({
        json: {success: true, data: [{name: 'yasr', title: 'YASR', readable: false, grants: [], damaged}]},
      }),
    );
    await open(page, 'transfer');
    await page.getByText('wp_yasr_log: Table is marked as crashed').waitFor();
    assert.equal(await button(card(page, 'Votes from other rating plugins'), 'Preview').count(), 0);
    await expectAccessible(page);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('come with a hint if their plugin has another number of stars', async (t) => {
    const page = await administrator(t);
    const hint = 'The plugin YASR uses 7 stars on this site, but ratingd shows ratings with 5 stars.';
    await page.route('**/data/plugins', (route) =>
      route.fulfill({json: {success: true, data: [{name: 'yasr', title: 'YASR', readable: true, grants: []}]}}),
    );
    await page.route('**/admin.php?page=ratingd', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/data-hint="[^"]*"/, `data-hint="${hint}"`);
      await route.fulfill({response, body});
    });
    await open(page, 'transfer', 'wordpress');
    const text = card(page, 'Votes from other rating plugins').locator('p').filter({hasText: hint});
    await text.getByRole('link', {name: 'Change this'}).click();
    await page.locator('#ratingd-stars').waitFor();
    assert.match(page.url(), /page=ratingd-placement#ratingd-stars$/);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });

  test('are imported in parts, and what is done stays if one fails', async (t) => {
    const page = await administrator(t, {}, refused);
    const none = {read: 0, anonymous: 0, new: 0, changed: 0, kept: 0, folded: 0};
    const sums = {objects: 0, votes: 0, new: 0, changed: 0, kept: 0, removed: 0};
    const reason = 'the plugin shows fewer votes than it stores, and all stored votes are imported';
    const difference = {object: 'post 17', plugin_votes: 2, plugin_average: 3.5, votes: 3, average: 4, reason};
    const nothing = {refused: [], withdrawn: 0, taken_back: 0, different: 1, differences: [difference]};
    const ofPart = (n, next) => ({
      votes: {...none, read: n, new: n},
      sums,
      ...nothing,
      percent: next ? 50 : 100,
      next,
    });
    const sent = [];
    const answers = [ofPart(2000, '2048'), ofPart(3, null), ofPart(2000, '2048')];
    await page.route('**/data/plugins', (route) =>
      route.fulfill({json: {success: true, data: [{name: 'yasr', title: 'YASR', readable: true, grants: []}]}}),
    );
    await page.route('**/data/plugins/yasr', (route, request) => {
      sent.push(request.postDataJSON());
      const data = answers.shift();
      const error = {code: 'ratingd_unavailable', message: 'Another import runs.', data: {status: 503}};
      return data ? route.fulfill({json: {success: true, data}}) : route.fulfill({status: 503, json: error});
    });
    await open(page, 'transfer');
    await button(card(page, 'Votes from other rating plugins'), 'Preview').click();
    await page.getByText('2,003 votes can be imported.').waitFor();
    await page.getByText('The plugin shows different figures for 2 items.').waitFor();
    assert.equal(await row(page, 'post 17').first().textContent(), `post 1723.534${reason}`);
    await card(page, 'Votes from other rating plugins').getByRole('button', {name: 'Import', exact: true}).click();
    await page.getByText('You can start again.').waitFor();
    assert.match(await status(page), /Another import runs\./);
    assert.deepEqual(sent, [
      {dry_run: true},
      {dry_run: true, after: '2048'},
      {dry_run: false},
      {dry_run: false, after: '2048'},
    ]);
    await page.unrouteAll({behavior: 'ignoreErrors'});
  });
});

// --- Looks --------------------------------------------------------------------------------------------

const views = ['held', 'settings', 'transfer', 'health'];
describe('Every view', () => {
  const rtl = {viewport: looks.light.viewport, locale: 'he'};
  for (const [look, {media, ...options}] of Object.entries({...looks, rtl})) {
    test(`is accessible and fits its window: ${look}`, async (t) => {
      const page = await administrator(t, {...options, reducedMotion: 'reduce'});
      if (look === 'rtl') await readRightToLeft(page);
      const plugin = (name, readable) => ({name, title: `Plugin ${name}`, readable, grants: readable ? [] : [grant]});
      const grant = `GRANT SELECT ON \`wordpress\`.\`wp_yasr_log\` TO \`ratingd\`@\`localhost\`;`;
      await page.route('**/data/plugins', (route) =>
        route.fulfill({json: {success: true, data: [plugin('kk-star-ratings', true), plugin('yasr', false)]}}),
      );
      await hold(page, [heldRow(newObject(), 1), heldRow(newObject(), 0.4, 'few_networks')]);
      for (const view of views) await lookAt(page, view, 'alone', look, media);
      if (look !== 'light' && look !== 'narrow') return;
      for (const view of views) await lookAt(page, view, 'wordpress', look);
    });
  }
});
