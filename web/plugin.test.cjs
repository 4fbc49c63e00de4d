'use strict';

// Tests the parts of wp-admin that the plugin adds: the list column, the editor panel, the dashboard widget and the
// menu entry. tests/e2e/plugin_test.py starts the site. RATINGD_SITE also contains "classic" (a post type with the
// classic editor), "held" (the number of held votes), and the logins "editor" and "subscriber" of users with these
// roles. All wp-admin pages of the site load the script "wp-core-data".

const assert = require('node:assert/strict');
const path = require('node:path');
const {test} = require('node:test');
const {api, becomes, pictures, site} = require('./browser.cjs');
const {admin, ask, audit, enter, newName, publish, unfold, vote} = require('./wp_admin.cjs');

async function picture(page, name) {
  if (pictures) await page.screenshot({path: path.join(pictures, `plugin-${name}.png`)});
}

// --- The list column -------------------------------------------------------------------------------

const row = (page, id) => page.locator(`#post-${id} .column-ratingd`);
const order = async (page) => {
  await page.waitForLoadState();
  return page.locator('#the-list tr').evaluateAll((rows) => rows.map((one) => one.id.replace('post-', '')).join());
};

test('The column "Rating" shows all categories and sorts by the one with most ratings', async (t) => {
  const page = await enter(t);
  const word = newName('column').replace(/\W/g, '');
  const [good, none, bad] = [await publish(page, word + ' a'), await publish(page, word + ' b'), await publish(page, word + ' c')];
  await vote(good, 'scale', [1, 0.8]);
  await vote(good, 'binary', [1, 1, 0]);
  await vote(bad, 'scale', [0.2, 0.2, 0.4]);
  await vote(bad, 'bipolar', [-1, -1, 1]);

  await admin(page, 'edit.php?s=' + word);
  assert.match(await row(page, good).innerText(), /4\.50 \(2\)[^]*67% \(3\)/);
  assert.match(await row(page, good).textContent(), /Average: 4\.50 of 5 \(2 votes\)[^]*Likes: 67% of 3 votes/);
  assert.match(await page.locator('thead .column-ratingd').innerText(), /^Rating \(stars\)/);
  assert.match(await row(page, bad).textContent(), /Score: -1 \(3 votes\)/);
  assert.match(await row(page, none).textContent(), /No ratings/);
  await audit(page, '.column-ratingd');

  await page.click('thead .column-ratingd a');
  await becomes([good, bad, none].join(), () => order(page));
  await picture(page, 'list');
  await page.click('thead .column-ratingd a');
  await becomes([bad, good, none].join(), () => order(page));
  await audit(page, '.column-ratingd');
  await row(page, good).locator('a').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/admin.php?page=ratingd#/content/post/${good}`);
  page.silence(); // Another test checks the content of the page.
});

test('Quick Edit keeps the figures in the row', async (t) => {
  const page = await enter(t);
  const word = newName('quick').replace(/\W/g, '');
  const id = await publish(page, word);
  await vote(id, 'scale', [0.6]);
  await admin(page, 'edit.php?s=' + word);
  await page.hover(`#post-${id}`);
  await page.click(`#post-${id} .editinline`);
  await page.fill('#the-list .inline-edit-row [name=post_title]', word + ' changed');
  await page.click('#the-list .inline-edit-save .save');
  await page.locator(`#post-${id} .row-title`, {hasText: 'changed'}).waitFor();
  assert.match(await row(page, id).innerText(), /3\.00 \(1\)/);
});

test('Pages and other public types have the column, media have not', async (t) => {
  const page = await enter(t);
  const id = await publish(page, newName('page'), 'pages');
  await vote(id, 'scale', [1]);
  await admin(page, 'edit.php?post_type=page');
  assert.match(await row(page, id).innerText(), /5\.00 \(1\)/);
  await admin(page, 'edit.php?post_type=' + site.classic);
  assert.equal(await page.locator('thead .column-ratingd').count(), 1);
  await admin(page, 'upload.php?mode=list');
  assert.equal(await page.locator('.column-ratingd').count(), 0);
});

test('Who has no analytics sees figures without links', async (t) => {
  const page = await enter(t, site.editor);
  const word = newName('plain').replace(/\W/g, '');
  const id = await publish(page, word);
  await vote(id, 'scale', [1]);
  await admin(page, 'edit.php?s=' + word);
  assert.match(await row(page, id).innerText(), /5\.00 \(1\)/);
  assert.equal(await row(page, id).locator('a').count(), 0);
});

// --- The editors -----------------------------------------------------------------------------------

async function openBlockEditor(page, id) {
  await admin(page, `post.php?post=${id}&action=edit`);
  await page.waitForFunction(() => window.wp?.data?.select('core/editor')?.getCurrentPostId());
  await page.evaluate(() => {
    window.wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false);
    window.wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/document');
  });
  const panel = page.locator('.ratingd-panel');
  await unfold(panel.locator('button'));
  return panel;
}

test('The block editor has a panel with the ratings', async (t) => {
  const page = await enter(t);
  const [rated, fresh] = [await publish(page, newName('rated')), await publish(page, newName('fresh'))];
  await vote(rated, 'scale', [0.8, 0.8]);
  await vote(rated, 'binary', [1]);
  const panel = await openBlockEditor(page, rated);
  await panel.locator('.ratingd-figure').first().waitFor();
  assert.deepEqual(await panel.locator('p').allInnerTexts(), [
    'Likes: 100% of 1 vote',
    'Average: 4.0 of 5 (2 votes)',
    'Show all statistics',
  ]);
  assert.match(await panel.locator('a').getAttribute('href'), new RegExp(`page=ratingd#/content/post/${rated}$`));
  await panel.scrollIntoViewIfNeeded();
  await audit(page, '.ratingd-panel');
  await picture(page, 'block-editor');
  assert.match(await (await openBlockEditor(page, fresh)).innerText(), /Nobody has rated this yet\./);
  page.silence(); // WordPress's own editor logs warnings, which differ between versions.
});

test('The classic editor has a box with the ratings', async (t) => {
  const page = await enter(t);
  await admin(page, `post-new.php?post_type=${site.classic}`);
  assert.match(await page.innerText('#ratingd'), /Nobody has rated this yet\./);
  await page.fill('#title', newName('classic'));
  await page.click('#publish');
  await page.waitForURL(/action=edit/);
  const id = Number(new URL(page.url()).searchParams.get('post'));
  await vote(id, 'bipolar', [1, 1]);
  await page.reload();
  assert.match(await page.innerText('#ratingd'), /Score: \+2 \(2 votes\)/);
  await audit(page, '#ratingd .inside');
  await picture(page, 'classic-editor');
});

// --- The dashboard widget --------------------------------------------------------------------------

const figure = (page, name) => () =>
  page.locator(`#ratingd-week [data-figure=${name}]`).evaluate((one) => one.firstChild.textContent);

test('The dashboard shows the figures of the week', async (t) => {
  const page = await enter(t);
  const title = 'Tea &amp; <b>cake</b> ' + newName('week');
  const id = await publish(page, title);
  await vote(id, 'scale', Array(30).fill(0.8));
  const answered = page.waitForResponse((answer) => answer.url().includes('/analytics/stats'));
  await admin(page, 'index.php');
  const {data} = await (await answered).json();
  await becomes(data.total_ratings.toLocaleString('en-US'), figure(page, 'total_ratings'));
  assert.equal(await figure(page, 'rated_objects')(), String(data.rated_objects.total));
  // The figure also counts comments, terms and authors.
  assert.equal(await page.locator('#ratingd-week dt').nth(1).textContent(), 'Rated items');
  assert.equal(await figure(page, 'active_voters')(), String(data.active_voters));
  assert.equal(await figure(page, 'scale')(), (data.stats.scale.average * 5).toFixed(2) + ' / 5');
  assert.equal(await page.locator('#ratingd-week [data-figure=bipolar]').isVisible(), data.stats.bipolar.total > 0);
  // On a slow site, the list of top rated posts may be up to a minute old.
  const isListed = async () => {
    await page.locator('#ratingd-week:not([aria-busy])').waitFor();
    const found = /Tea & cake[^]*Votes: 30/.test(await page.innerText('.ratingd-top'));
    if (!found) await page.reload();
    return found;
  };
  await becomes(true, isListed, 120);
  assert.equal(await page.locator('.ratingd-top b').count(), 0);
  await page.locator('#ratingd-week').scrollIntoViewIfNeeded();
  await audit(page, '#ratingd .inside');
  await picture(page, 'dashboard');
});

test('The dashboard shows how averages have changed since the week before', async (t) => {
  const page = await enter(t);
  const stats = (total, average) => ({total, average});
  const data = {
    total_ratings: 12,
    rated_objects: {total: 3},
    active_voters: 7,
    stats: {binary: stats(8, 0.5715), bipolar: stats(0, null), scale: stats(21, 0.819)},
    change: {total_ratings: -2, previous_averages: {binary: null, bipolar: 0.5, scale: 0.9}},
  };
  await page.route('**/analytics/stats*', (route) => route.fulfill({json: {data}}));
  await admin(page, 'index.php');
  await becomes('4.10 / 5', figure(page, 'scale'));
  const text = (name) => page.locator(`#ratingd-week [data-figure=${name}]`).textContent();
  assert.equal(await text('total_ratings'), '12-2 compared with the week before');
  assert.equal(await text('scale'), '4.10 / 5-0.40 compared with the week before');
  assert.equal(await text('binary'), '57.2 %');
  assert.equal(await page.locator('#ratingd-week [data-figure=bipolar]').isVisible(), false);
  await audit(page, '#ratingd .inside');
});

test('The dashboard shows averages with the number of stars of the site', async (t) => {
  const page = await enter(t);
  const none = {total: 0, average: null};
  const data = {
    total_ratings: 4,
    rated_objects: {total: 1},
    active_voters: 4,
    stats: {binary: none, bipolar: none, scale: {total: 4, average: 0.84}},
    change: {total_ratings: 4, previous_averages: {binary: null, bipolar: null, scale: 0.9}},
  };
  await page.route('**/analytics/stats*', (route) => route.fulfill({json: {data}}));
  const choose = async (stars) => {
    await admin(page, 'admin.php?page=ratingd-placement');
    await page.selectOption('#ratingd-stars', stars);
    await page.click('#submit');
    await page.waitForURL(/settings-updated/);
  };
  await choose('10');
  try {
    await admin(page, 'index.php');
    await becomes('8.40 / 10', figure(page, 'scale'));
    assert.match(await page.locator('#ratingd-week [data-figure=scale]').textContent(), /^8\.40 \/ 10-0\.60 /);
  } finally {
    await choose('5');
  }
});

test('The dashboard asks once if its nonce has expired', async (t) => {
  const page = await enter(t);
  let requests = 0;
  const json = {code: 'rest_cookie_invalid_nonce', message: ''};
  await page.route('**/analytics/**', (route) => route.fulfill({status: 401, json}) && ++requests);
  await admin(page, 'index.php');
  await page.locator('.ratingd-failed').waitFor();
  await becomes(0, () => page.locator('#ratingd-week[aria-busy]').count());
  page.silence(); // The browser itself reports the 401.
  assert.equal(requests, 2);
});

test('The dashboard says that the figures are not available', async (t) => {
  const page = await enter(t);
  await page.route('**/analytics/**', (route) => route.fulfill({status: 503, json: {code: 'ratingd_unavailable', message: ''}}));
  await admin(page, 'index.php');
  await page.locator('.ratingd-failed').waitFor();
  page.silence(); // The browser itself reports the 503.
});

// --- The menu entry --------------------------------------------------------------------------------

const entry = '#toplevel_page_ratingd';

test('The menu entry says how many votes are held', async (t) => {
  const page = await enter(t);
  assert.match(await page.locator(entry).textContent(), new RegExp(`Ratings ${site.held}${site.held} held votes`));
  await audit(page, entry);
  await picture(page, 'menu');

  const left = new RegExp(`^ ?Ratings ${site.held - 1}${site.held - 1} held votes?$`);
  const shown = async () => left.test(await page.locator(`${entry} .wp-menu-name`).textContent());
  await admin(page, 'admin.php?page=ratingd#/held');
  await page.getByRole('button', {name: /^Release the vote/}).first().click();
  await becomes(true, shown);
  await admin(page, 'index.php');
  assert.ok(await shown());
});

// Replaces ratingd-admin.js so that the test can check how the page loads the script.
const stub = `document.getElementById('ratingd-admin').textContent = import.meta.url;`;

test('The page gets its root element and a module, and no inline script', async (t) => {
  const page = await enter(t);
  await page.route('**/admin/ratingd-admin.js*', (route) => route.fulfill({contentType: 'text/javascript', body: stub}));
  await page.route('**/admin/ratingd-admin.css*', (route) => route.fulfill({contentType: 'text/css', body: ''}));
  await page.click(entry + ' a');
  const root = page.locator('#ratingd-admin');
  await becomes(true, async () => (await root.textContent()).startsWith(api + '/admin/ratingd-admin.js'));
  const {base, rights, edit, locale, nonce, ajax} = await root.evaluate((one) => ({...one.dataset}));
  assert.deepEqual([base, rights, locale], [api, 'administer see_persons edit_others analytics', 'en-US']);
  assert.equal(edit, site.url + '/wp-admin/post.php?post={id}&action=edit');
  assert.equal(await page.evaluate(async (url) => (await fetch(url)).text(), ajax + '?action=rest-nonce'), nonce);
  const inline = await page.locator('script:not([src])').evaluateAll((all) => all.map((one) => one.textContent));
  assert.deepEqual(
    // Ignore WordPress's own inline scripts, which also contain the name of the page.
    inline.filter((text) => /ratingd/.test(text) && !/adminpage|preferencesStore|initializeCommandPalette/.test(text)),
    [],
  );
  assert.equal(await page.isVisible('#ratingd-admin-missing'), false);
});

test('The page says that the web server does not know ratingd', async (t) => {
  const page = await enter(t);
  await page.route('**/admin/ratingd-admin.*', (route) => route.fulfill({status: 404, body: ''}));
  await admin(page, 'admin.php?page=ratingd');
  await page.locator('#ratingd-admin-missing').waitFor({state: 'visible'});
  page.silence(); // The browser itself reports the 404.
});

test('An editor sees the entry if the setting says so, without the number', async (t) => {
  const chief = await enter(t);
  const page = await enter(t, site.editor);
  assert.equal(await page.locator(entry).count(), 0);
  assert.equal((await admin(page, 'admin.php?page=ratingd')).status(), 403);
  page.silence(); // The browser itself reports the 403.

  await page.route('**/admin/ratingd-admin.js*', (route) => route.fulfill({contentType: 'text/javascript', body: stub}));
  await page.route('**/admin/ratingd-admin.css*', (route) => route.fulfill({contentType: 'text/css', body: ''}));
  await ask(chief, 'ratingd/v1/settings', {analytics_access: 'editor'});
  try {
    await admin(page, 'admin.php?page=ratingd');
    assert.equal((await page.locator(entry).innerText()).trim(), 'Ratings');
    assert.equal(await page.getAttribute('#ratingd-admin', 'data-rights'), 'edit_others analytics');
  } finally {
    await ask(chief, 'ratingd/v1/settings', {analytics_access: 'administrator'});
  }
});

// --- Permissions in WordPress's scripts -------------------------------------------------------------

// Returns the permissions that the @wordpress/core-data package reads from the Allow header. Before
// WordPress 6.7, @wordpress/core-data accepts only paths below /wp/v2.
const permissions = (page) =>
  page.evaluate(async () => {
    const {canUser} = window.wp.data.resolveSelect('core');
    const asked = ['read settings', 'update settings', 'read templates', 'create templates', 'delete settings'];
    const allowed = [];
    // Await each call of canUser() before the next call, so that calls for the same resource share one
    // response.
    for (const words of asked) {
      const [action, resource] = words.split(' ');
      if (await canUser(action, `../../ratingd/v1/${resource}`)) allowed.push(words);
    }
    return allowed;
  });

test('canUser() says what users may do', async (t) => {
  assert.deepEqual(await permissions(await enter(t)), [
    'read settings', 'update settings', 'read templates', 'create templates',
  ]);
  assert.deepEqual(await permissions(await enter(t, site.subscriber)), ['read templates']);
});
