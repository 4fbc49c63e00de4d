'use strict';

// Tests an owner's steps from installing the plugin to the first vote. tests/e2e/blocks_test.py starts
// the site. At the start, nobody has opened wp-admin on the site.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {becomes, newPage, pictures, site} = require('./browser.cjs');
const {admin, ask, audit, enter, newName, publish} = require('./wp_admin.cjs');

const desk = {viewport: {width: 1400, height: 1000}};

async function picture(page, name) {
  if (pictures) await page.screenshot({path: path.join(pictures, `first-steps-${name}.png`), fullPage: true});
}

describe('After the installation', () => {
  const notice = (page) => page.locator('.ratingd-welcome');

  test('a notice with one button leads to the placement of ratings, and is gone then', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await notice(page).waitFor();
    assert.equal(await notice(page).locator('.button').count(), 1);
    await audit(page, '.ratingd-welcome');
    await picture(page, 'notice');
    // Only the dashboard and the "Plugins" screen show the notice.
    await admin(page, 'edit.php');
    assert.equal(await notice(page).count(), 0);
    await admin(page, 'plugins.php');
    await notice(page).locator('.button').click();
    await page.waitForURL('**/admin.php?page=ratingd-placement');
    await admin(page, '');
    assert.equal(await notice(page).count(), 0);
  });

  test('the list of plugins has the name of the menu, and a link to the settings', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await admin(page, 'plugins.php?plugin_status=mustuse');
    const row = page.locator('[data-plugin="ratingd-mu-loader.php"]');
    const menu = await page.locator('#toplevel_page_ratingd .wp-menu-name').first().innerText();
    assert.equal((await row.locator('.plugin-title strong').innerText()).trim(), menu.split('\n')[0].trim());
    assert.match(await row.innerText(), /Visitors rate your posts/);
    await row.getByRole('link', {name: 'Settings'}).click();
    await page.waitForURL('**/admin.php?page=ratingd-placement');
  });

  test('the list of plugins speaks the language of its reader', async (t) => {
    const page = await enter(t, site.german, desk);
    await admin(page, 'plugins.php?plugin_status=mustuse');
    const row = page.locator('[data-plugin="ratingd-mu-loader.php"]');
    await becomes(true, async () => /Bewertungen[^]*Besucher bewerten/.test(await row.innerText()));
  });
});

describe('Criteria and reactions', () => {
  const open = (page) => admin(page, 'admin.php?page=ratingd-names');
  const group = (page, name) => page.locator(`[data-ratingd-group=${name}]`);
  const label = (page, name, row) => group(page, name).getByLabel('Label', {exact: true}).nth(row);
  const save = async (page) => {
    await page.click('#submit');
    await page.getByText('Saved.', {exact: true}).waitFor();
  };

  test('are created on one page, with labels, an order, weights and emoji, which pages show', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await open(page);
    await audit(page, '.wrap');
    await label(page, 'criteria', 0).fill('Qualität');
    await label(page, 'criteria', 1).fill('الخدمة');
    await group(page, 'criteria').getByLabel('Weight').first().fill('2');
    await label(page, 'reactions', 0).fill('Love');
    await label(page, 'reactions', 1).fill('Yummy');
    await group(page, 'reactions').getByLabel('Emoji').nth(1).fill('😋');
    await save(page);
    try {
      const content = '[ratingd facets="qualitat, criterion, gone"][ratingd reactions="love, yummy"]';
      const id = await publish(page, newName('names'), 'posts', content);
      const visitor = await newPage(t, desk);
      const html = async (one = visitor) => (await one.request.get(`${site.url}/?p=${id}`)).text();
      const element = async (name) => new RegExp(`<ratingd-${name}[^>]*>`).exec(await html())[0];
      assert.match(await element('criteria'), / facets="qualitat, criterion"[^>]* weights="2, 1"/);
      assert.match(await element('criteria'), / label-qualitat="Qualität" label-criterion="الخدمة"/);
      assert.match(await element('reactions'), / facets="love, yummy"[^>]* icon-love="❤️" icon-yummy="😋"/);
      // Only editors see a note about criteria and reactions that do not exist.
      assert.doesNotMatch(await html(), /ratingd-editor-hint/);
      assert.match(await html(page), /ratingd-editor-hint.*no such criteria or reactions: gone\./);

      await visitor.goto(`${site.url}/?p=${id}`);
      await visitor.getByRole('radiogroup', {name: 'Qualität'}).getByRole('radio').nth(4).click();
      await visitor.getByRole('button', {name: 'Save'}).click();
      await becomes('5.0', () => visitor.locator('ratingd-criteria .ratingd-number').last().textContent());

      // Each emoji has a text label for people who cannot see the emoji (OkunaOrg/okuna-app#25).
      await visitor.getByRole('button', {name: 'Yummy'}).click();
      await becomes('true', () => visitor.getByRole('button', {name: 'Yummy'}).getAttribute('aria-pressed'));

      await open(page);
      await label(page, 'criteria', 0).fill('Geschmack');
      await group(page, 'reactions').getByRole('button', {name: 'Move down: Love'}).click();
      await picture(page, 'names');
      await save(page);
      assert.match(await element('criteria'), / label-qualitat="Geschmack"/);
      await open(page);
      assert.equal(await label(page, 'reactions', 0).inputValue(), 'Yummy');

      // Before a criterion is removed, the page explains the consequences.
      const row = group(page, 'criteria').locator('tr', {hasText: 'qualitat'});
      await row.getByLabel('Remove').check();
      assert.match(await row.innerText(), /1 rating · used on 1 page\. After you save, visitors no longer see this name\./);
      await audit(page, '.wrap');
      await picture(page, 'names-remove');
      await save(page);
      assert.match(await element('criteria'), / facets="criterion"/);
      // If a removed criterion is added again, its old ratings reappear.
      await label(page, 'criteria', 1).fill('Qualität');
      await save(page);
      await becomes(true, async () => /qualitat\s+1 rating/.test(await group(page, 'criteria').innerText()));
      for (const [name, width, dir] of [['360', 360, 'ltr'], ['rtl', 1400, 'rtl']]) {
        await page.setViewportSize({width, height: 1000});
        await page.evaluate((value) => (document.documentElement.dir = value), dir);
        await picture(page, `names-${name}`);
        // On narrow screens, the table has no header row, so each field shows its title.
        const title = await group(page, 'criteria').locator('td').first().evaluate((cell) => getComputedStyle(cell, '::before').content);
        assert.equal(title, name === '360' ? '"Label"' : 'none');
      }
    } finally {
      await ask(page, 'ratingd/v1/settings', {facets: []});
    }
  });

  test('are refused beyond twenty, and nothing is changed', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const names = Array.from({length: 20}, (_, number) => `name_${number}`);
    await ask(page, 'ratingd/v1/settings', {facets: names});
    try {
      await open(page);
      await label(page, 'criteria', 20).fill('One more');
      await page.click('#submit');
      await page.getByText('A site can have at most 20 criteria and reactions. Nothing was saved.').waitFor();
      assert.equal(await group(page, 'criteria').locator('code').count(), 20);
    } finally {
      await ask(page, 'ratingd/v1/settings', {facets: []});
    }
  });
});

describe('Settings that contradict what is placed', () => {
  const openPlacement = (page) => admin(page, 'admin.php?page=ratingd-placement');
  const health = async (page) => (await page.evaluate(() => wp.apiFetch({path: '/ratingd-plugin/v1/site-health'}))).description;
  const usual = {
    enabled: true,
    enabled_categories: ['binary', 'bipolar', 'scale'],
    enabled_object_types: [],
    require_login: false,
    facets: [],
  };

  test('are named where ratings are placed, in Health and in the editor', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const row = page.locator('[data-ratingd-type=post]');
    const warnings = () => page.locator('[data-ratingd-contradiction]');
    await ask(page, 'ratingd/v1/settings', {facets: ['taste', 'service']});
    await openPlacement(page);
    await row.locator('[data-ratingd-field=where]').selectOption('after');
    await row.locator('[data-ratingd-field=group]').selectOption('criteria');
    await page.click('#submit');
    await page.getByText('Settings saved.').waitFor();
    try {
      assert.equal(await warnings().count(), 0);
      for (const [changes, expected, isOfType] of [
        [{enabled: false}, /Visitors see ratings, but nobody can rate\./, false],
        [{enabled_categories: ['binary']}, /This kind of rating is turned off in the settings/, true],
        [{enabled_object_types: ['page']}, /The settings do not allow ratings of this content type/, true],
        [{require_login: true}, /Only registered users may rate, and nobody can register on this site\./, false],
        [{facets: ['service']}, /visitors do not see them: taste/, true],
      ]) {
        await ask(page, 'ratingd/v1/settings', changes);
        await openPlacement(page);
        assert.equal(await warnings().count(), 1, JSON.stringify(changes));
        assert.match(await warnings().innerText(), expected);
        assert.equal(await row.locator('[data-ratingd-contradiction]').count(), isOfType ? 1 : 0);
        assert.match(await health(page), expected);
        await ask(page, 'ratingd/v1/settings', {...usual, facets: ['taste', 'service']});
      }

      // Create contradictory settings, which the administration pages and the post editor must report.
      await ask(page, 'ratingd/v1/settings', {enabled: false, enabled_categories: ['binary'], enabled_object_types: ['page']});
      await openPlacement(page);
      await audit(page, '.ratingd-placement');
      await picture(page, 'contradictions');
      await admin(page, 'admin.php?page=ratingd#/health');
      await page.getByText('Ratings are closed: Visitors see ratings, but nobody can rate.').waitFor();
      await page.getByText('3 problems need attention.').waitFor();
      await audit(page, '#ratingd-admin');
      await picture(page, 'contradictions-health');
      const id = await publish(page, newName('closed'), 'posts', '<!-- wp:ratingd/rating /-->');
      await admin(page, `post.php?post=${id}&action=edit`);
      const frame = page.locator('iframe[name="editor-canvas"]');
      await page.locator('iframe[name="editor-canvas"], .editor-styles-wrapper').first().waitFor();
      const canvas = (await frame.count()) ? page.frameLocator('iframe[name="editor-canvas"]') : page;
      const block = canvas.locator('[data-type="ratingd/rating"]');
      await block.getByText('This kind of rating is turned off in the settings').waitFor();
      await block.getByText('Visitors see ratings, but nobody can rate.').waitFor();
    } finally {
      await ask(page, 'ratingd/v1/settings', usual);
      await openPlacement(page);
      await row.locator('[data-ratingd-field=where]').selectOption('');
      await page.click('#submit');
      await page.getByText('Settings saved.').waitFor();
    }
  });
});

describe('Placement', () => {
  const openPlacement = (page) => admin(page, 'admin.php?page=ratingd-placement');

  test('has pictures to choose from, samples in the language of the site, and the default of the site', async (t) => {
    const page = await enter(t, site.german, desk);
    const row = page.locator('[data-ratingd-type=post]');
    const field = (name) => row.locator(`[data-ratingd-field=${name}]`);
    const sample = row.locator('[data-ratingd-preview]');
    const visitor = await newPage(t, desk);
    const id = await publish(page, newName('default'));
    const template = async () => {
      const html = await (await visitor.request.get(`${site.url}/?p=${id}`)).text();
      return /<ratingd-rating[^>]* template="([^"]*)"/.exec(html)[1];
    };
    await openPlacement(page);
    await field('where').selectOption('after');
    await field('group').selectOption('');
    const pictureOf = (name) => row.locator('.ratingd-picture', {hasText: name});
    await pictureOf('Herz').locator('[data-template="simple/heart"]').waitFor();
    await pictureOf('Gefällt mir und gefällt mir nicht').click();
    await becomes('simple/like-dislike', () => field('template').inputValue());
    await becomes(true, async () => /Gefällt mir[^]*Gefällt mir nicht/.test(await sample.innerText()));
    assert.equal(await pictureOf('Gefällt mir und').getAttribute('aria-pressed'), 'true');
    await pictureOf('Sterne').first().click();
    await becomes(true, async () => /Stimmen/.test(await sample.innerText()));
    await audit(page, '.ratingd-placement');
    await picture(page, 'pictures');
    for (const [name, width, dir] of [['360', 360, 'ltr'], ['rtl', 1400, 'rtl']]) {
      await page.setViewportSize({width, height: 1000});
      await page.evaluate((value) => (document.documentElement.dir = value), dir);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      await picture(page, `pictures-${name}`);
    }
    await page.setViewportSize(desk.viewport);

    // A rating without its own template uses the default template in the settings.
    await field('template').selectOption('');
    await page.click('#submit');
    await page.waitForURL(/settings-updated/);
    try {
      assert.equal(await template(), 'simple/stars');
      await page.getByLabel('Widget für Sterne').selectOption('simple/dots');
      await page.click('#submit');
      await page.waitForURL(/settings-updated/);
      assert.equal(await template(), 'simple/dots');
      await admin(page, 'admin.php?page=ratingd#/settings');
      // The settings view contains a link to the placement page instead of the default templates. The
      // "Find a setting" search also finds the default templates.
      await page.locator('#ratingd-admin a[href$="ratingd-names"]').waitFor();
      assert.equal(await page.locator('[data-setting^=default_template_]').count(), 0);
      const link = page.locator('#ratingd-admin .rd-card a[href$="ratingd-placement"]');
      await page.locator('.rd-filters input').fill('Widget für „Gefällt mir“');
      await page.keyboard.press('Enter');
      await becomes(0, () => page.locator('.rd-setting:visible').count());
      assert.equal(await link.isVisible(), true);
      await page.locator('.rd-filters input').fill('');
      await page.keyboard.press('Enter');
      await page.locator('[data-setting=enabled_object_types] [value=only]').check();
      for (const [name, colorScheme, width] of [['light', 'light', 1400], ['dark', 'dark', 1400], ['360', 'light', 360]]) {
        await page.emulateMedia({colorScheme});
        await page.setViewportSize({width, height: 1000});
        await picture(page, `settings-${name}`);
        const over = await page.evaluate(() =>
          [...document.querySelectorAll('.rd-setting *')]
            .filter((one) => one.getBoundingClientRect().right > window.innerWidth)
            .map((one) => one.outerHTML.slice(0, 200)),
        );
        assert.deepEqual(over, []);
      }
      await page.emulateMedia({colorScheme: 'light'});
      await page.setViewportSize(desk.viewport);
      await page.locator('[data-setting=enabled_object_types] [value=all]').check();
      await link.click();
      await page.waitForURL('**/admin.php?page=ratingd-placement');
      await sample.locator('[data-template="simple/dots"]').waitFor();
      assert.match(await field('template').locator('option').first().innerText(), /Punkte/);
      const example = page.getByRole('link', {name: 'Einen Beitrag ansehen'});
      await visitor.goto(await example.getAttribute('href'));
      await visitor.locator('.ratingd-placed').waitFor();

      // The page marks content types for which ratings are disabled.
      await ask(page, 'ratingd/v1/settings', {enabled_object_types: ['post']});
      await openPlacement(page);
      assert.equal(await page.locator('[data-ratingd-type=page]').getByText('In den Einstellungen ausgeschaltet').count(), 0);
      await page.locator('[data-ratingd-type=comment]').getByText('In den Einstellungen ausgeschaltet').waitFor();
    } finally {
      await ask(page, 'ratingd/v1/settings', {default_template_scale: 'simple/stars', enabled_object_types: []});
      await openPlacement(page);
      await field('where').selectOption('');
      await page.click('#submit');
      await page.waitForURL(/settings-updated/);
    }
  });
});
