'use strict';

// Tests the "Ratings" page in the network admin, which contains the settings that a network enforces for all its sites.
// tests/e2e/plugin_network_test.py starts the network. The environment variable RATINGD_SITE describes the network and
// its database.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {api, becomes, site} = require('./browser.cjs');
const {expectAccessible, lookAt, looks, open, refused, sql, visit} = require('./admin_page.cjs');

const field = (page, name) => page.locator(`[data-setting="${name}"]`);
const choice = (page, name) => field(page, name).getByLabel(/^Who decides: /);
const value = (page, name) => field(page, name).locator('.rd-fixed-value').locator('input, select, fieldset').first();
const save = (page) => page.getByRole('button', {name: 'Save', exact: true}).click();
const status = (page) => page.locator('.rd-notice').first().textContent();
const saved = 'Settings saved for all sites.';

// Returns the settings enforced by the network, as stored in the database.
const fixed = () =>
  sql("SELECT CONCAT(SUBSTRING(name, 9), '=', value) FROM wp_ratingd_settings WHERE name LIKE 'network.%' ORDER BY name");

// Returns the value of a setting on another site's "Settings" page, and whether the setting is read-only.
const onSecondSite = (page, name) =>
  page.evaluate(
    async ([address, nonces, setting]) => {
      const nonce = await (await fetch(nonces)).text();
      const {data, meta} = await (await fetch(address, {headers: {'X-WP-Nonce': nonce}})).json();
      return `${data[setting]} ${meta.schema[setting].readOnly === true}`;
    },
    [
      api.replace(site.url, site.second) + '/settings',
      `${site.second}/wp-admin/admin-ajax.php?action=rest-nonce`,
      name,
    ],
  );

// Expands the advanced settings.
const showAll = (page) => page.locator('.rd-fold').evaluateAll((all) => all.forEach((one) => (one.open = true)));

const enter = async (t, expected) => {
  const page = await visit(t, site.administrator, {}, expected);
  await open(page, '', 'network');
  await showAll(page);
  return page;
};

describe('A super administrator', () => {
  test('fixes settings for all sites, and lets sites decide again', async (t) => {
    const page = await enter(t);
    const before = fixed();
    assert.equal(await page.getByRole('heading', {name: 'Settings for all sites'}).isVisible(), true);
    assert.equal(await choice(page, 'cooldown_seconds').inputValue(), '');
    assert.equal(await value(page, 'cooldown_seconds').isVisible(), false);
    await choice(page, 'cooldown_seconds').selectOption('Enforced for all sites');
    await value(page, 'cooldown_seconds').fill('7');
    await choice(page, 'enabled_categories').selectOption('Enforced for all sites');
    await value(page, 'enabled_categories').getByLabel('Likes').uncheck();
    await expectAccessible(page);
    await save(page);
    await becomes(saved, () => status(page));
    assert.equal(fixed(), `cooldown_seconds=7\nenabled_categories=["bipolar","scale"]\n${before}`);
    await becomes('7 true', () => onSecondSite(page, 'cooldown_seconds'));

    await open(page, '', 'network');
    assert.equal(await value(page, 'cooldown_seconds').inputValue(), '7');
    await choice(page, 'enabled_categories').selectOption('Each site decides');
    await choice(page, 'cooldown_seconds').focus();
    await page.keyboard.press('ArrowUp');
    assert.equal(await value(page, 'cooldown_seconds').isVisible(), false);
    await save(page);
    await becomes(saved, () => status(page));
    assert.equal(fixed(), before);
    await becomes('0 false', () => onSecondSite(page, 'cooldown_seconds'));
  });

  test('reads at the field why a value is refused', async (t) => {
    const page = await enter(t, refused);
    const before = fixed();
    await choice(page, 'cooldown_seconds').selectOption('Enforced for all sites');
    await value(page, 'cooldown_seconds').fill('3601');
    await save(page);
    const problem = field(page, 'cooldown_seconds').locator('.rd-field-error');
    await becomes(
      'Minimum time between two ratings by a visitor (seconds) must be a whole number from 0 to 3,600.',
      () => problem.textContent(),
    );
    assert.equal(await value(page, 'cooldown_seconds').getAttribute('aria-invalid'), 'true');
    assert.equal(
      await value(page, 'cooldown_seconds').evaluate((element) => element === document.activeElement),
      true,
    );
    await expectAccessible(page);
    await choice(page, 'cooldown_seconds').selectOption('Each site decides');
    assert.equal(await problem.isVisible(), false);
    assert.equal(await page.locator('.rd-save-bar').isVisible(), false);
    assert.equal(fixed(), before);
  });
});

describe('The page of the network', () => {
  for (const [look, {viewport, media}] of Object.entries(looks)) {
    test(`is accessible and fits its window: ${look}`, async (t) => {
      const page = await visit(t, site.administrator, {viewport});
      await lookAt(page, '', 'network', look, media);
      const top = async (locator) => (await locator.boundingBox()).y;
      const search = await top(page.getByRole('button', {name: 'Search sites'}));
      assert.ok(search < (await top(page.getByRole('heading', {name: 'Settings for all sites'}))));
    });
  }

  test('reads from right to left', async (t) => {
    const page = await visit(t, site.arab, {viewport: looks.light.viewport});
    await lookAt(page, '', 'network', 'rtl');
    assert.equal(await page.locator('#ratingd-admin').getAttribute('dir'), 'rtl');
    await page.setViewportSize(looks.narrow.viewport);
    await lookAt(page, '', 'network', 'rtl-narrow');
  });
});
