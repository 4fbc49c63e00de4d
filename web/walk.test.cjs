'use strict';

// Tests an owner's steps from the plugin's ZIP file to the first vote and to criteria with their own
// labels. The test clicks only visible elements. tests/e2e/walk_test.py starts the site, without the
// plugin.

const assert = require('node:assert/strict');
const path = require('node:path');
const {test} = require('node:test');
const {becomes, canvas, logInByForm, newPage, pictures, site} = require('./browser.cjs');
const {publish} = require('./wp_admin.cjs');

const desk = {viewport: {width: 1280, height: 900}};

// Counts the clicks and measures the duration of each step.
class Walk {
  #step = 0;
  #clicks = 0;

  constructor(t, page) {
    this.t = t;
    this.page = page;
  }

  async click(locator) {
    this.#clicks += 1;
    await locator.click();
  }

  // Counts two clicks: one opens the list, and one selects the value.
  async choose(list, value) {
    this.#clicks += 2;
    await list.selectOption(value);
  }

  async step(name, act, page = this.page) {
    const start = Date.now();
    const clicks = this.#clicks;
    await act();
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    this.t.diagnostic(`${site.theme}: ${name}: ${seconds} s, ${this.#clicks - clicks} clicks`);
    this.#step += 1;
    const file = `${site.theme}-${String(this.#step).padStart(2, '0')}-${name.replace(/\W+/g, '-')}.png`;
    if (pictures) await page().screenshot({path: path.join(pictures, file), fullPage: true});
  }
}

test('the way from the ZIP of the plugin to the first vote and to own criteria', async (t) => {
  const owner = await newPage(t, desk);
  await owner.route(/^https?:/, (route) =>
    route.request().url().startsWith(site.url) ? route.fallback() : route.fulfill({}),
  );
  const visitor = await newPage(t, desk);
  const walk = new Walk(t, () => owner);
  const click = (locator) => walk.click(locator);
  const asVisitor = () => visitor;
  const menu = (name) => owner.locator('#adminmenu').getByRole('link', {name, exact: true});

  await walk.step('log in', async () => {
    await owner.goto(`${site.url}/wp-login.php`);
    await logInByForm(owner, site.administrator);
    await owner.waitForURL('**/wp-admin/');
  });

  await walk.step('upload the ZIP', async () => {
    await click(owner.locator('#menu-plugins > a'));
    await click(owner.locator('.page-title-action').first());
    await click(owner.locator('.upload-view-toggle'));
    await owner.locator('#pluginzip').setInputFiles(site.plugin);
    await click(owner.locator('#install-plugin-submit'));
    await owner.getByRole('link', {name: 'Activate Plugin'}).waitFor();
  });

  await walk.step('activate', async () => {
    await click(owner.getByRole('link', {name: 'Activate Plugin'}));
    await owner.waitForLoadState();
    await owner.locator('.ratingd-welcome').waitFor();
  });

  await walk.step('follow the notice', async () => {
    assert.match(await owner.locator('.ratingd-welcome').innerText(), /^Ratings\n/);
    await click(owner.locator('.ratingd-welcome .button'));
    await owner.waitForURL('**/admin.php?page=ratingd-placement');
    // At this step, no post has a rating yet.
    assert.equal(await owner.getByRole('link', {name: 'View a post'}).count(), 0);
  });

  const posts = owner.locator('[data-ratingd-type=post]');
  await walk.step('choose stars', async () => {
    await walk.choose(posts.locator('[data-ratingd-field=where]'), 'after');
    await click(posts.locator('.ratingd-picture', {hasText: 'Stars'}).first());
    await posts.locator('[data-ratingd-preview] [data-template="simple/stars"]').waitFor();
    assert.ok(await isInSight(owner.locator('#submit')), 'The button that saves is below the window.');
  });

  await walk.step('save', async () => {
    await click(owner.locator('#submit'));
    await owner.getByText('Settings saved.').waitFor();
  });

  let address;
  await walk.step('view a post', async () => {
    const opened = owner.context().waitForEvent('page');
    await click(owner.getByRole('link', {name: 'View a post'}));
    const post = await opened;
    await post.locator('.ratingd-placed [role=radio]').first().waitFor();
    address = post.url();
    await post.close();
  });

  await walk.step(
    'vote as a visitor',
    async () => {
      await visitor.goto(address);
      await click(visitor.locator('.ratingd-placed [role=radio]').nth(3));
      await becomes('4.0', () => visitor.locator('.ratingd-placed [data-stat=average]').textContent());
    },
    asVisitor,
  );

  let shortcode;
  await walk.step('name criteria', async () => {
    await click(menu('Criteria and reactions'));
    const label = owner.locator('[data-ratingd-group=criteria]').getByLabel('Label', {exact: true});
    await label.nth(0).fill('Qualität');
    await label.nth(1).fill('Preis');
    await click(owner.locator('#submit'));
    await owner.getByText('Saved.', {exact: true}).waitFor();
    shortcode = await owner.locator('.ratingd-shortcode').first().innerText();
    assert.equal(shortcode, '[ratingd facets="qualitat, preis"]');
  });

  if (site.theme === 'block') await insertBlock(walk, owner);
  else await placeCriteria(walk, owner, shortcode);

  await owner.locator('ratingd-criteria [role=radio]').first().waitFor();
  address = owner.url();

  const criterion = (name) => visitor.getByRole('radiogroup', {name});
  await walk.step(
    'vote on a criterion as a visitor',
    async () => {
      await visitor.goto(address);
      await click(criterion('Qualität').getByRole('radio').nth(4));
      await click(criterion('Preis').getByRole('radio').nth(2));
      await click(visitor.getByRole('button', {name: 'Save'}));
      await becomes('4.0', () => visitor.locator('ratingd-criteria .ratingd-number').last().textContent());
    },
    asVisitor,
  );

  await walk.step('see it in Overview', async () => {
    await owner.goto(`${site.url}/wp-admin/`);
    await click(owner.locator('#toplevel_page_ratingd > a'));
    await owner.locator('#ratingd-admin .rd-body').first().waitFor();
    await owner.getByRole('heading', {name: 'Latest ratings'}).scrollIntoViewIfNeeded();
    await owner.getByRole('row', {name: /\(Qualität\)/}).waitFor();
    await becomes(0, () => owner.locator('#ratingd-admin [aria-busy=true]').count());
  });

  await walk.step('see the criteria of the post', async () => {
    await click(owner.locator('#ratingd-admin').getByRole('link', {name: site.theme === 'block' ? 'Cheese cake' : 'Hello world!'}).first());
    const row = owner.getByRole('row', {name: /Qualität/});
    await becomes(true, async () => /Qualität\s*1\s*\S*\s*5\.00/.test((await row.allInnerTexts()).join()));
  });

  await walk.step('see one criterion', async () => {
    await click(owner.getByRole('link', {name: 'Qualität'}));
    await owner.getByRole('heading', {name: /\(Qualität\)$/}).waitFor();
    await becomes(0, () => owner.locator('#ratingd-admin [aria-busy=true]').count());
    await expectNoCriteria(owner);
  });

  // The service does not publish the figures of an unpublished object, but the page must show everything
  // else about the object.
  await owner.route('**/v1/stats/*', (route) => route.fulfill({status: 404, json: {code: 'ratingd_not_found', message: ''}}));
  const refused = owner.waitForResponse((answer) => answer.url().includes('/v1/stats/'));
  await owner.goBack();
  await refused;
  await owner.getByRole('heading', {name: /^(Cheese cake|Hello world!)$/}).waitFor();
  await becomes(0, () => owner.locator('#ratingd-admin [aria-busy=true]').count());
  await expectNoCriteria(owner);
});

// Expects that an object's page has no criteria panel and no error.
async function expectNoCriteria(owner) {
  assert.equal(await owner.locator('#ratingd-admin .notice').count(), 0);
  assert.equal(await owner.getByRole('heading', {name: /^Criteria and reactions/}).locator('visible=true').count(), 0);
}

// Returns whether an element is inside the window.
async function isInSight(locator) {
  const {y, height} = await locator.boundingBox();
  return y >= 0 && y + height <= desk.viewport.height;
}

// Writes a post, inserts the "Criteria" block and publishes the post.
async function insertBlock(walk, owner) {
  const click = (locator) => walk.click(locator);
  await walk.step('new post', async () => {
    await click(owner.locator('#menu-posts > a'));
    await click(owner.locator('.page-title-action').first());
    await click(owner.getByRole('dialog').getByRole('button', {name: 'Close'}));
    await (await canvas(owner)).getByRole('textbox', {name: 'Add title'}).fill('Cheese cake');
  });
  await walk.step('search the block', async () => {
    await click(owner.getByRole('button', {name: /^(Toggle block inserter|Block Inserter)$/}));
    await owner.getByRole('searchbox').first().fill('criteria');
    await owner.getByRole('option', {name: 'Criteria'}).waitFor();
  });
  await walk.step('insert the block', async () => {
    await click(owner.getByRole('option', {name: 'Criteria'}));
    await (await canvas(owner)).getByText('Qualität').waitFor();
  });
  await walk.step('publish', async () => {
    await click(owner.getByRole('button', {name: 'Publish', exact: true}).first());
    const panel = owner.locator('.editor-post-publish-panel');
    await click(panel.getByRole('button', {name: 'Publish', exact: true}));
    await panel.getByRole('link', {name: 'View Post'}).waitFor();
  });
  await walk.step('view the post', async () => {
    const link = owner.locator('.editor-post-publish-panel').getByRole('link', {name: 'View Post'});
    // Remove the link's target, because WordPress 7.1 opens the post in a new tab.
    await link.evaluate((element) => element.removeAttribute('target'));
    await click(link);
  });
}

// Publishes a page with the shortcode and places criteria on all posts.
async function placeCriteria(walk, owner, shortcode) {
  const click = (locator) => walk.click(locator);
  const posts = owner.locator('[data-ratingd-type=post]');
  const id = await publish(owner, 'Prices', 'pages', shortcode);
  const html = await (await owner.request.get(`${site.url}/?p=${id}`)).text();
  assert.match(html, /<ratingd-criteria [^>]*label-qualitat="Qualität"/);
  await walk.step('choose criteria', async () => {
    await click(owner.getByRole('link', {name: 'Choose where ratings appear'}));
    await walk.choose(posts.locator('[data-ratingd-field=group]'), 'criteria');
    const sample = posts.locator('[data-ratingd-preview]');
    await sample.getByText('Qualität').waitFor();
    const [label, average] = await Promise.all(
      [sample.getByText('Qualität'), sample.locator('[data-stat=average]').first()].map((one) => one.boundingBox()),
    );
    assert.ok(average.y < label.y + label.height, 'The average is below the stars.');
  });
  await walk.step('save criteria', async () => {
    await click(owner.locator('#submit'));
    await owner.getByText('Settings saved.').waitFor();
    const address = await owner.getByRole('link', {name: 'View a post'}).getAttribute('href');
    await owner.goto(address);
  });
}
