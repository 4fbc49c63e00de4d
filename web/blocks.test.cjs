'use strict';

// Tests the plugin's blocks in WordPress's editors and on pages for visitors. tests/e2e/blocks_test.py starts the site.
// The environment variable RATINGD_SITE also contains these members:
// - "classic" is a post type with the classic editor.
// - "german" is the login of a user whose language is German.
// - "editor" is the login of a user with the role "editor".
// - "block_theme" is the active theme, and "classic_theme" is a classic theme.
// - "has_router" is true if WordPress has the Interactivity Router for Query Loops.

const assert = require('node:assert/strict');
const path = require('node:path');
const {describe, test} = require('node:test');
const {becomes, canvas, newPage, pictures, site} = require('./browser.cjs');
const {admin, ask, audit, enter, newName, publish, unfold, vote} = require('./wp_admin.cjs');

const desk = {viewport: {width: 1400, height: 1000}};

async function picture(page, name) {
  if (pictures) await page.screenshot({path: path.join(pictures, `blocks-${name}.png`), fullPage: true});
}

// --- The editor ------------------------------------------------------------------------------------

async function waitForEditor(page) {
  await page.waitForFunction(
    () => window.wp?.data?.select('core/block-editor') && wp.blocks.getBlockType('ratingd/rating'),
  );
  await closeGuides(page);
}

// Closes all welcome guides, including any that opened while the editor started.
async function closeGuides(page) {
  await page.evaluate(() => {
    const preferences = wp.data.dispatch('core/preferences');
    for (const scope of ['core', 'core/edit-post', 'core/edit-site']) {
      preferences.set(scope, 'welcomeGuide', false);
      preferences.set(scope, 'enableChoosePatternModal', false);
    }
  });
}

async function openEditor(page, address = 'post-new.php') {
  await admin(page, address);
  await waitForEditor(page);
  await page.locator('iframe[name="editor-canvas"], .editor-styles-wrapper').first().waitFor();
  const blocks = (await canvas(page)).locator('.block-editor-block-list__layout').first();
  await blocks.waitFor({state: 'attached'});
  await closeGuides(page);
  await page.locator('.components-modal__screen-overlay').waitFor({state: 'detached'});
}

// Inserts a block with the editor's block inserter, as a user does.
async function insert(page, title, word = title) {
  const toggle = page.locator('.edit-post-header-toolbar__inserter-toggle, .editor-document-tools__inserter-toggle');
  if ((await toggle.getAttribute('aria-pressed')) !== 'true') await toggle.click();
  await page.locator('.block-editor-inserter__search input').fill(word);
  await page.locator('.block-editor-inserter__menu').getByRole('option', {name: title, exact: true}).click();
  await toggle.click();
}

const select = (page, name) =>
  page.evaluate(async (given) => {
    const all = (blocks) => blocks.flatMap((block) => [block, ...all(block.innerBlocks)]);
    const block = all(wp.data.select('core/block-editor').getBlocks()).findLast((one) => one.name === given);
    await wp.data.dispatch('core/block-editor').selectBlock(block.clientId);
    const editor = document.querySelector('#site-editor') ? 'edit-site' : 'edit-post';
    // Since WordPress 6.6, the post editor and the site editor share a sidebar.
    const side = wp.editor.PluginDocumentSettingPanel
      ? ['core', 'edit-post/block']
      : [`core/${editor}`, editor === 'edit-site' ? 'edit-site/block-inspector' : 'edit-post/block'];
    await wp.data.dispatch('core/interface').enableComplementaryArea(...side);
  }, name);

const attributes = (page) =>
  page.evaluate(() => wp.data.select('core/block-editor').getSelectedBlock().attributes);
const change = (page, given) =>
  page.evaluate((more) => {
    const {clientId} = wp.data.select('core/block-editor').getSelectedBlock();
    wp.data.dispatch('core/block-editor').updateBlockAttributes(clientId, more);
  }, given);

const inspector = (page) => page.locator('.block-editor-block-inspector');
const control = (page, label) => inspector(page).getByLabel(label, {exact: true});
const openPanel = (page, title) => unfold(inspector(page).getByRole('button', {name: title, exact: true}));

const emptyNotice = (page, kind) =>
  page.locator('.components-notice').filter({hasText: `A block has no ${kind} yet, so visitors do not see this block.`});

// Publishes the content of the editor and returns the URL.
async function publishEdited(page, title) {
  await page.evaluate(
    (given) => wp.data.dispatch('core/editor').editPost({title: given, status: 'publish'}),
    title,
  );
  await page.evaluate(() => wp.data.dispatch('core/editor').savePost());
  await page.waitForFunction(() => wp.data.select('core/editor').didPostSaveRequestSucceed());
  return page.evaluate(() => wp.data.select('core/editor').getPermalink());
}

// --- The "Rating" block ----------------------------------------------------------------------------

const variations = [
  ['Star rating', 'stars'],
  ['Rating slider', 'slider'],
  ['Stars with distribution', 'distribution'],
  ['Like button', 'heart'],
  ['Thumbs up and down', 'thumbs'],
];

describe('The block "Rating"', () => {
  test('and each of its variations are found in the inserter, and show a sample', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await openEditor(page);
    const icons = new Set();
    for (const [title, template] of [['Rating', 'stars'], ...variations]) {
      await insert(page, title, 'rating');
      await select(page, 'ratingd/rating');
      const block = (await canvas(page)).locator('[data-type="ratingd/rating"]').last();
      await block.locator(`[data-template="simple/${template}"]`).waitFor();
      await block.getByText('Sample: nobody has rated this yet.').waitFor();
      // Users must not be able to click the preview.
      assert.equal(await block.locator('[inert] [data-template]').count(), 1);
      await becomes(title, () => page.locator('.block-editor-block-card__title').innerText());
      icons.add(await page.locator('.block-editor-block-card svg path').first().getAttribute('d'));
    }
    icons.add(
      await page.evaluate(() => {
        const {icon} = wp.blocks.getBlockType('ratingd/top');
        return wp.element.renderToString(icon.src).match(/ d="([^"]*)"/)[1];
      }),
    );
    assert.equal(icons.size, 2 + variations.length, 'each has its own icon');
    await page.locator('.ratingd-settings').first().waitFor();
    await audit(page, '.ratingd-settings');
    await picture(page, 'variations');
  });

  test('is a group of criteria, or a row of reactions', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await openEditor(page);
    for (const [title, kind, typed] of [
      ['Criteria', 'criteria', ['Qualität', 'Service', 'Prix']],
      ['Reactions', 'reactions', ['Love', 'Funny']],
    ]) {
      await insert(page, title);
      await select(page, 'ratingd/rating');
      const block = (await canvas(page)).locator('[data-type="ratingd/rating"]').last();
      await becomes(title, () => page.locator('.block-editor-block-card__title').innerText());
      // If the site has no criteria or reactions, the block and a notice above the post explain how to create them.
      await block.getByText('Visitors will not see this block until you make a selection.').waitFor();
      await emptyNotice(page, kind).waitFor();
      await picture(page, `${kind}-without-names`);
      await block.getByLabel(`New ${kind}, one per line`).fill(typed.join('\n'));
      await block.getByRole('button', {name: 'Create', exact: true}).click();
      await emptyNotice(page, kind).waitFor({state: 'detached'});
      for (const label of typed) await block.locator('[inert]').getByText(label).or(block.getByTitle(label)).waitFor();
      // The block hides options that have no effect.
      assert.equal(await control(page, 'Kind of rating').count(), 0);
      assert.equal(await control(page, 'Template').count(), kind === 'criteria' ? 1 : 0);
      if (kind === 'criteria') await control(page, 'Prix').click();
      else await control(page, 'Visitors may choose several reactions').click();
      await audit(page, '.ratingd-settings');
      await picture(page, title);
    }
    const address = await publishEdited(page, newName('groups'));
    const html = await (await page.request.get(address)).text();
    const [criteria, reactions] = html.match(/<ratingd-(criteria|reactions)[^>]*>/g);
    assert.match(criteria, / facets="qualitat, service"/);
    assert.match(criteria, / label-qualitat="Qualität"/);
    assert.match(criteria, / template="simple\/stars"/);
    assert.match(reactions, / multiple="true"/);
    assert.match(reactions, / facets="love, funny"/);
    assert.match(reactions, / icon-love="❤️"/);

    // After a criterion is removed from the site's settings, visitors no longer see the criterion, and editors see a
    // note about it.
    await ask(page, 'ratingd/v1/settings', {facets: ['qualitat', 'love', 'funny']});
    try {
      const visitor = await newPage(t, desk);
      await visitor.goto(address);
      await visitor.locator('ratingd-criteria [role=radio]').nth(4).click();
      await visitor.getByRole('button', {name: 'Save'}).click();
      await becomes('5.0', () => visitor.locator('ratingd-criteria .ratingd-number').last().textContent());
      assert.equal(await visitor.locator('ratingd-criteria [role=radiogroup]').count(), 1);
      assert.equal(await visitor.locator('.ratingd-editor-hint').count(), 0);
      await page.reload();
      await waitForEditor(page);
      await page.evaluate(() => {
        const [block] = wp.data.select('core/block-editor').getBlocks();
        wp.data.dispatch('core/block-editor').selectBlock(block.clientId);
      });
      await inspector(page).getByText('These names no longer exist on the site, so visitors do not see them: service').waitFor();
      await picture(page, 'unknown-name');
      await inspector(page).getByRole('button', {name: 'Remove from this block'}).click();
      await becomes('qualitat', async () => (await attributes(page)).facets);
    } finally {
      await ask(page, 'ratingd/v1/settings', {facets: []});
    }
  });

  test('of criteria waits for an administrator if the editor may not create names', async (t) => {
    const page = await enter(t, site.editor, desk);
    await openEditor(page);
    await insert(page, 'Criteria');
    const block = (await canvas(page)).locator('[data-type="ratingd/rating"]').last();
    await block.getByText('Ask an administrator to create criteria or reactions under Ratings → Criteria and reactions.').waitFor();
    assert.equal(await block.getByRole('button', {name: 'Create'}).count(), 0);
    // The "Show the block" button in the notice selects the block. A post with an empty block can be
    // saved and shows no rating to visitors.
    await page.evaluate(() => wp.data.dispatch('core/block-editor').clearSelectedBlock());
    await emptyNotice(page, 'criteria').getByRole('button', {name: 'Show the block'}).click();
    assert.equal((await attributes(page)).group, 'criteria');
    await publishEdited(page, newName('empty group'));
    const empty = '<!-- wp:ratingd/rating {"group":"criteria","facets":""} /-->';
    const id = await publish(page, newName('empty group'), 'posts', `${empty}[ratingd reactions="love"]`);
    const visitor = await newPage(t, desk);
    const html = await (await visitor.request.get(`${site.url}/?p=${id}`)).text();
    assert.doesNotMatch(html, /<ratingd-|ratingd-editor-hint/);

    // A synced pattern is edited in its own editor.
    const pattern = await publish(page, newName('pattern'), 'blocks', empty);
    const user = await publish(page, newName('with pattern'), 'posts', `<!-- wp:block {"ref":${pattern}} /-->`);
    await openEditor(page, `post.php?post=${user}&action=edit`);
    await (await canvas(page)).getByText('This pattern has no criteria or reactions yet.').first().waitFor();
    assert.equal(await emptyNotice(page, 'criteria').count(), 0);

    // The block contains criteria that the owner has removed from the site's settings. The text of the post can still
    // be edited.
    const lost = '<!-- wp:ratingd/rating {"group":"criteria","facets":"quality, service"} /-->';
    const old = await publish(page, newName('lost names'), 'posts', lost);
    await openEditor(page, `post.php?post=${old}&action=edit`);
    await (await canvas(page))
      .getByText('These names no longer exist on the site, so visitors do not see them: quality, service')
      .first()
      .waitFor();
    assert.equal(await emptyNotice(page, 'criteria').count(), 0);
    page.silence(); // Editors may not read templates, so the browser itself reports the 403.
  });

  test('is changed by every control, and visitors see what was chosen', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const title = `Tea & “cake” ${newName('other')}`;
    const other = await publish(page, title);
    await openEditor(page);
    await insert(page, 'Rating');
    await select(page, 'ratingd/rating');
    const preview = (await canvas(page)).locator('[data-type="ratingd/rating"] .ratingd');
    const shows = (name, value) => becomes(value, () => preview.getAttribute(name));

    await control(page, 'Kind of rating').selectOption({label: 'Up and down'});
    await shows('data-template', 'simple/thumbs');
    await control(page, 'Template').selectOption({label: 'Like and dislike'});
    await shows('data-template', 'simple/like-dislike');
    await control(page, 'Kind of rating').selectOption({label: 'Likes'});
    await shows('data-template', 'simple/heart');
    await control(page, 'Kind of rating').selectOption({label: 'Scale (such as stars)'});
    await control(page, 'Template').selectOption({label: 'Dots'});
    await shows('data-template', 'simple/dots');
    await control(page, 'Size').selectOption({label: 'Large'});
    await shows('data-size', 'large');
    await control(page, 'Colours').selectOption({label: 'For a dark background'});
    await shows('data-color-scheme', 'dark');
    await control(page, 'Text before the rating').fill('Was it good?');
    await becomes('Was it good?', () => preview.locator('xpath=../../preceding-sibling::*[1]').textContent());
    await inspector(page).getByRole('button', {name: /^Custom colou?r picker/}).click();
    await page.getByLabel(/^Hex colou?r/).fill('0a7c2f');
    // WordPress applies a chosen color after a short delay. If the color picker is closed before WordPress has applied
    // the color, the color is lost.
    await becomes('rgb(10, 124, 47)', () =>
      preview.locator('.ratingd-all').first().evaluate((one) => getComputedStyle(one).stroke),
    );
    await page.keyboard.press('Escape');
    await control(page, 'Show the number of ratings').click();
    await becomes(0, () => preview.locator('[data-stat=total]').count());
    await control(page, 'Hide the result until the visitor has rated').click();

    // The block has no field for an HTML anchor, because PHP renders the block.
    await openPanel(page, 'Advanced');
    await control(page, 'Additional CSS class(es)').waitFor();
    assert.equal(await control(page, 'HTML anchor').count(), 0);

    await openPanel(page, 'What is rated');
    const search = control(page, 'Rated post');
    await search.fill(title.split(' ').at(-1));
    await page.getByRole('option', {name: title}).click();
    await becomes(String(other), async () => (await attributes(page)).objectId);
    await shows('data-object-id', String(other));
    const warning = inspector(page).getByText('Search engines show no stars for ratings of your own business');
    await control(page, 'Content type for search engines').selectOption('Organization');
    await warning.first().waitFor();
    await audit(page, '.ratingd-settings');
    await picture(page, 'settings');
    await control(page, 'Content type for search engines').selectOption('Recipe');
    await becomes(0, () => warning.count());

    const style = {spacing: {margin: {top: '33px'}}, typography: {fontSize: '31px'}};
    await change(page, {align: 'center', className: 'of-the-theme', backgroundColor: 'contrast', style});
    const address = await publishEdited(page, newName('controls'));
    // The editor can read the stored block without an error.
    const id = await page.evaluate(() => wp.data.select('core/editor').getCurrentPostId());
    await openEditor(page, `post.php?post=${id}&action=edit`);
    await select(page, 'ratingd/rating');
    assert.ok(await page.evaluate(() => wp.data.select('core/block-editor').getSelectedBlock().isValid));
    await openPanel(page, 'What is rated');
    await becomes(title, () => control(page, 'Rated post').inputValue());

    const visitor = await newPage(t, desk);
    await visitor.goto(address);
    const block = visitor.locator('.wp-block-ratingd-rating');
    for (const name of ['aligncenter', 'of-the-theme', 'has-contrast-background-color']) {
      assert.match(await block.getAttribute('class'), new RegExp(`\\b${name}\\b`));
    }
    assert.equal(await block.evaluate((one) => getComputedStyle(one).marginTop), '33px');
    const shown = block.locator('.ratingd');
    await shown.locator('[role=radio]').nth(3).waitFor();
    const data = await shown.evaluate((one) => ({...one.dataset}));
    assert.deepEqual(
      [data.objectId, data.template, data.size, data.colorScheme],
      [String(other), 'simple/dots', 'large', 'dark'],
    );
    assert.equal(await shown.locator('[data-stat=total]').count(), 0);
    assert.equal(await block.locator('.ratingd-text').textContent(), 'Was it good?');
    const sign = shown.locator('.ratingd-all').first();
    assert.equal(await sign.evaluate((one) => getComputedStyle(one).fill), 'rgb(10, 124, 47)');
    // The widget is centered in the block and has the block's font size.
    const [outer, inner] = await block.evaluate((one) =>
      [one, one.querySelector('.ratingd')].map((it) => it.getBoundingClientRect()).map(({x, width}) => x + width / 2),
    );
    assert.ok(Math.abs(outer - inner) < 2, `${outer} ${inner}`);
    const [size, around] = await Promise.all(
      [shown, block].map((one) => one.evaluate((it) => parseFloat(getComputedStyle(it).fontSize))),
    );
    // Themes may reduce the text size on small screens.
    assert.ok(size === around && size > 25, `${size} ${around}`);
  });

  test('finds posts for the latest words, in whatever order the answers come', async (t) => {
    const page = await enter(t, site.administrator, desk);
    let answerFirst;
    await page.route('**/wp/v2/search?*', async (route) => {
      const word = new URL(route.request().url()).searchParams.get('search');
      if (word === 'first') await new Promise((resolve) => (answerFirst = resolve));
      await route.fulfill({json: [{id: word === 'first' ? 1 : 2, title: `The ${word} post`}]});
    });
    await openEditor(page);
    await insert(page, 'Rating');
    await select(page, 'ratingd/rating');
    await openPanel(page, 'What is rated');
    const search = control(page, 'Rated post');
    const requested = page.waitForRequest('**/wp/v2/search?*');
    await search.fill('first');
    await requested;
    await search.fill('second');
    const option = page.getByRole('option', {name: 'The second post'});
    await option.waitFor();
    const answered = page.waitForResponse('**/wp/v2/search?*');
    answerFirst();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => window.requestIdleCallback(resolve)));
    assert.ok(await option.isVisible());
  });

  test('takes the votes of visitors', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await openEditor(page);
    await insert(page, 'Star rating', 'rating');
    const address = await publishEdited(page, newName('votes'));
    const visitor = await newPage(t, desk);
    await visitor.goto(address);
    await visitor.locator('.wp-block-ratingd-rating [role=radio]').nth(3).click();
    await becomes('1', () => visitor.locator('[data-stat=total]').textContent());
    await picture(visitor, 'visitor');
    await visitor.evaluate(() => (document.documentElement.dir = 'rtl'));
    await picture(visitor, 'visitor-rtl');
    // The "Rating saved." message disappears automatically. The position of the message depends on the
    // width of the window at the time of the vote.
    await becomes('', () => visitor.locator('[data-message]').getAttribute('data-message'));
    await visitor.setViewportSize({width: 360, height: 800});
    assert.ok(await visitor.evaluate(() => document.documentElement.scrollWidth <= 360));
    await picture(visitor, 'visitor-360');
    // After the vote, the editor shows real figures instead of a sample.
    await page.reload();
    await waitForEditor(page);
    const block = (await canvas(page)).locator('[data-type="ratingd/rating"]');
    await becomes('1', () => block.locator('[data-stat=total]').textContent());
    assert.equal(await block.getByText('Sample').count(), 0);
  });

  test('with a distribution needs no request for its template', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await openEditor(page);
    await insert(page, 'Stars with distribution', 'rating');
    const address = await publishEdited(page, newName('distribution'));
    const visitor = await newPage(t, desk);
    const paths = [];
    visitor.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await visitor.goto(address);
    await visitor.locator('[data-template="simple/distribution"] meter').nth(4).waitFor();
    assert.deepEqual(
      paths.filter((one) => one.includes('/ratingd/v1/')).map((one) => one.split('/').at(-1)),
      ['ratingd-widget.js', 'stats'],
    );
  });

  test('says what is wrong when there is no preview', async (t) => {
    const page = await enter(t);
    await page.route('**/preview?*', (route) =>
      route.fulfill({status: 503, json: {code: 'ratingd_unavailable', message: 'Not available now.'}}),
    );
    await openEditor(page);
    await insert(page, 'Star rating', 'rating');
    await (await canvas(page)).locator('[data-type="ratingd/rating"]').getByText('Not available now.').waitFor();
    page.silence(); // The browser itself reports the 503.
  });

  test('offers the built-in templates when those of the site cannot be read', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const templates = '**/ratingd/v1/templates?*';
    await page.route(templates, (route) =>
      route.fulfill({status: 503, json: {code: 'ratingd_unavailable', message: 'Not available now.'}}),
    );
    const refused = page.waitForResponse(templates);
    await openEditor(page);
    await insert(page, 'Star rating', 'rating');
    await select(page, 'ratingd/rating');
    await refused;
    const offered = async () => (await control(page, 'Template').locator('option').allInnerTexts()).join();
    await becomes('Site default,Stars,Half stars,Stars with distribution,Dots,Slider', offered);
    page.silence(); // The browser itself reports the 503.
  });

  test('speaks German', async (t) => {
    const page = await enter(t, site.german, desk);
    await openEditor(page);
    assert.equal(await page.evaluate(() => wp.blocks.getBlockType('ratingd/top').title), 'Am besten bewertet');
    await insert(page, 'Sternebewertung', 'sterne');
    await select(page, 'ratingd/rating');
    await control(page, 'Art der Bewertung').waitFor();
    assert.ok(await control(page, 'Vorlage').getByText('Schieberegler').count());
    const block = (await canvas(page)).locator('[data-type="ratingd/rating"]');
    await becomes('128 Stimmen', () => block.locator('.ratingd-total').innerText());
    await picture(page, 'german');
  });
});

// --- The "Top rated" block -------------------------------------------------------------------------

// Creates three posts whose titles contain "word". The last post has the best rating.
async function ratedPosts(page, word) {
  const ids = [];
  for (const [name, stars] of [['bad', 0.2], ['good', 0.8], ['best', 1]]) {
    const id = await publish(page, `${word} ${name}`);
    await vote(id, 'scale', [stars, stars, stars, stars, stars]);
    ids.push(id);
  }
  return ids;
}

const titles = (place, selector) => async () =>
  (await place.locator(selector + ':visible').allInnerTexts()).map((text) => text.trim().split(' ').at(-1)).join();

describe('The block "Top rated"', () => {
  test('is changed by every control, and visitors see the list of the editor', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await ratedPosts(page, newName('top'));
    await openEditor(page);
    await insert(page, 'Top rated');
    await select(page, 'ratingd/top');
    const block = (await canvas(page)).locator('[data-type="ratingd/top"]');
    await block.locator('.ratingd-top-item').first().waitFor();
    const minimum = control(page, 'Minimum number of ratings');
    await minimum.fill('');
    await minimum.pressSequentially('5');
    await becomes(5, async () => (await attributes(page)).minimum);
    await minimum.fill('');
    await minimum.blur();
    await becomes('5', () => minimum.inputValue());
    await control(page, 'Order by').selectOption('total');
    await control(page, 'Order by').selectOption('average');
    await control(page, 'Kind of rating').selectOption('bipolar');
    await control(page, 'Order by').selectOption('score');
    await block.getByText('No ratings yet.').waitFor();
    await control(page, 'Kind of rating').selectOption('scale');
    assert.equal((await attributes(page)).metric, 'average');
    await control(page, 'Period').selectOption('week');
    await inspector(page).getByRole('spinbutton', {name: 'Number of posts'}).fill('2');
    await control(page, 'Layout').selectOption('cards');
    await becomes('best,good', titles(block, '.ratingd-top-cards .ratingd-top-title'));
    await audit(page, '.ratingd-settings');
    await picture(page, 'top');
    await control(page, 'Post type').selectOption({label: 'Pages'});
    await block.getByText('No ratings yet.').waitFor();
    await control(page, 'Post type').selectOption({label: 'Posts'});
    await change(page, {style: {spacing: {padding: {top: '21px'}}}, className: 'of-the-theme'});
    await block.locator('.ratingd-top-item').first().waitFor();
    // Only the block's outermost element has the padding chosen by the author.
    assert.deepEqual(
      await block.evaluate((one) =>
        [one, ...one.querySelectorAll('.wp-block-ratingd-top')].map((it) => getComputedStyle(it).paddingTop),
      ),
      ['21px', '0px'],
    );

    const visitor = await newPage(t, desk);
    await visitor.goto(await publishEdited(page, newName('list')));
    assert.equal(await titles(visitor, '.of-the-theme .ratingd-top-cards .ratingd-top-title')(), 'best,good');
    await picture(visitor, 'top-visitor');
    await visitor.setViewportSize({width: 360, height: 800});
    assert.ok(await visitor.evaluate(() => document.documentElement.scrollWidth <= 360));
    await picture(visitor, 'top-360');
  });
});

// --- The "Query Loop" block ------------------------------------------------------------------------

const insertLoop = (page, search, names) =>
  page.evaluate(
    ([word, parts]) => {
      const {createBlock} = wp.blocks;
      const query = {perPage: 10, pages: 0, offset: 0, postType: 'post', order: 'asc', orderBy: 'title', author: '',
        search: word, exclude: [], sticky: '', inherit: false};
      const template = createBlock('core/post-template', {}, parts.map((name) => createBlock(name)));
      wp.data.dispatch('core/block-editor').insertBlocks(createBlock('core/query', {query, queryId: 1}, [template]));
    },
    [search, names],
  );

describe('The block "My ratings"', () => {
  test('says in the editor what visitors see', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await openEditor(page);
    await insert(page, 'My ratings');
    const block = (await canvas(page)).locator('[data-type="ratingd/mine"]');
    await block.getByText('Each visitor sees links to the content that they have rated').waitFor();
  });
});

describe('The block "Query Loop"', () => {
  test('orders by rating, in the editor and for visitors', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const word = newName('loop').replace(/\W/g, '');
    await ratedPosts(page, word);
    await publish(page, word + ' none');
    await openEditor(page);
    await insertLoop(page, word, ['core/post-title', 'ratingd/rating']);
    const frame = await canvas(page);
    await becomes('bad,best,good,none', titles(frame, '.wp-block-query .wp-block-post-title'));
    await select(page, 'core/query');
    await openPanel(page, 'Ratings');
    const toggle = control(page, 'Order by rating');
    await toggle.click();
    await becomes('best,good,bad,none', titles(frame, '.wp-block-query .wp-block-post-title'));
    await audit(page, '.ratingd-settings');
    // Each post has its own figures.
    await becomes('5,5,5', async () =>
      (await frame.locator('.wp-block-ratingd-rating [data-stat=total]').allInnerTexts()).slice(0, 3).join(),
    );
    await toggle.scrollIntoViewIfNeeded();
    await picture(page, 'loop');

    const visitor = await newPage(t, desk);
    // The loop's search also finds the post that contains the loop, because the block contains the
    // search word.
    const own = newName('ordered');
    await visitor.goto(await publishEdited(page, own));
    const expected = ['best', 'good', 'bad', own.split(' ').at(-1), 'none'].join();
    await becomes(expected, titles(visitor, '.entry-content .wp-block-query .wp-block-post-title'));
    await becomes('5,5,5,0,0', async () =>
      (await visitor.locator('.entry-content .wp-block-query [data-stat=total]').allInnerTexts()).join(),
    );
    await toggle.click();
    assert.equal((await attributes(page)).query.orderBy, 'date');
  });

  test('orders by the chosen kind of rating', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const word = newName('kinds').replace(/\W/g, '');
    await ratedPosts(page, word);
    // The new post is the only post in this test with a heart rating.
    await vote(await publish(page, word + ' liked'), 'binary', [1]);
    await openEditor(page);
    await insertLoop(page, word, ['core/post-title']);
    const frame = await canvas(page);
    const first = (place) => async () => (await titles(place, '.wp-block-query .wp-block-post-title')()).split(',')[0];
    await becomes('bad', first(frame));
    await select(page, 'core/query');
    await openPanel(page, 'Ratings');
    await control(page, 'Order by rating').click();
    await becomes('best', first(frame));
    assert.equal((await attributes(page)).query.ratingd_category, undefined);
    await control(page, 'Kind of rating').selectOption('binary');
    await becomes('liked', first(frame));
    await picture(page, 'loop-kind');
    const visitor = await newPage(t, desk);
    await visitor.goto(await publishEdited(page, newName('by kind')));
    await becomes('liked', first(visitor));
    await control(page, 'Kind of rating').selectOption('');
    await becomes('best', first(frame));
    assert.equal((await attributes(page)).query.ratingd_category, undefined);
  });

  const withoutRouter = !site.has_router && 'this WordPress has no Interactivity Router';
  test('has ratings on pages that come without loading', {skip: withoutRouter}, async (t) => {
    const page = await enter(t, site.administrator, desk);
    const word = newName('pages').replace(/\W/g, '');
    await ratedPosts(page, word);
    const query = {perPage: 2, postType: 'post', order: 'asc', orderBy: 'title', search: word, inherit: false};
    const content = `<!-- wp:query ${JSON.stringify({queryId: 7, query, enhancedPagination: true})} -->
      <div class="wp-block-query"><!-- wp:post-template --><!-- wp:post-title /--><!-- wp:ratingd/rating /-->
      <!-- wp:ratingd/top {"category":"scale","minimum":4} /--><!-- /wp:post-template --><!-- wp:query-pagination -->
      <!-- wp:query-pagination-previous /--><!-- wp:query-pagination-next /--><!-- /wp:query-pagination --></div>
      <!-- /wp:query -->`;
    const id = await publish(page, newName('loop'), 'pages', content);

    const visitor = await newPage(t, desk);
    await visitor.goto(`${site.url}/?page_id=${id}`);
    await visitor.evaluate(() => (window.isFirst = true));
    const shows = async (names) => {
      await becomes(names, titles(visitor, '.wp-block-query .wp-block-post-title'));
      const totals = names.replace(/\w+/g, '5');
      await becomes(totals, async () => (await visitor.locator('[data-stat=total]').allInnerTexts()).join());
      const figure = visitor.locator('.ratingd-top-figure').first();
      assert.equal(await figure.evaluate((one) => getComputedStyle(one).display), 'block');
      assert.ok(await visitor.evaluate(() => window.isFirst));
    };
    await shows('bad,best');
    await visitor.locator('.wp-block-query-pagination-next').click();
    await shows('good');
    await visitor.locator('.wp-block-ratingd-rating [role=radio]').nth(3).click();
    await becomes('6', () => visitor.locator('[data-stat=total]').textContent());
    await visitor.locator('.wp-block-query-pagination-previous').click();
    await shows('bad,best');
  });
});

// --- Rating placement --------------------------------------------------------------------------

// Chooses the placement for a post type on the plugin's page.
async function choosePlacement(page, type, choices) {
  await admin(page, 'admin.php?page=ratingd-placement');
  const row = page.locator(`[data-ratingd-type="${type}"]`);
  // All fields except "where" are hidden until the "where" field has a value.
  for (const [name, value] of Object.entries(choices)) {
    await row.locator(`[data-ratingd-field=${name}]`).selectOption(value);
  }
  return row;
}

async function savePlacement(page) {
  await page.click('#submit');
  await page.getByText('Settings saved.').waitFor();
}

const placed = (page) => page.locator('.ratingd-placed [data-template]').count();

describe('Ratings of a type of posts', () => {
  test('are placed without code, and switched off in the editor of a post', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const id = await publish(page, newName('placed'));
    const visitor = await newPage(t, desk);
    const row = await choosePlacement(page, 'post', {where: 'after', template: 'simple/slider', size: 'large'});
    const preview = row.locator('[data-ratingd-preview] [data-template="simple/slider"][data-size=large]');
    await preview.waitFor();
    assert.ok(await row.getByText('Sample').isVisible());
    assert.ok(await row.getByRole('group', {name: 'Posts', exact: true}).getByLabel('Where').isVisible());
    const warning = row.getByText('Search engines show no stars for ratings of your own business');
    await row.getByLabel('Content type for search engines').selectOption('LocalBusiness');
    assert.ok(await warning.isVisible());
    await row.getByLabel('Template').selectOption('simple/heart');
    assert.ok(!(await warning.isVisible()) && !(await row.getByLabel('Content type for search engines').isVisible()));
    await row.getByLabel('Template').selectOption('simple/slider');
    await row.getByLabel('Content type for search engines').selectOption('Recipe');
    assert.ok(!(await warning.isVisible()));
    // For a post type without ratings, the form shows no sample widget and no "Size" field.
    const pages = page.locator('[data-ratingd-type=page]');
    assert.ok(!(await pages.getByText('Sample').isVisible()) && !(await pages.getByLabel('Size').isVisible()));
    await audit(page, '[data-ratingd-type]');
    await picture(page, 'placement');
    await savePlacement(page);
    try {
      await visitor.goto(`${site.url}/?p=${id}`);
      await becomes(1, () => placed(visitor));
      assert.ok(
        await visitor.evaluate(() => {
          const [words] = [...document.querySelectorAll('p')].filter((one) => one.textContent === 'Words.');
          return words.compareDocumentPosition(document.querySelector('.ratingd-placed')) === 4;
        }),
      );
      await picture(visitor, 'placed');
      // The administration page shows the step "place ratings" as done.
      await admin(page, 'admin.php?page=ratingd');
      assert.equal(await page.locator('#ratingd-admin').getAttribute('data-placed'), '1');

      await openEditor(page, `post.php?post=${id}&action=edit`);
      await page.evaluate(() => wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/document'));
      const panel = page.locator('.ratingd-panel');
      await unfold(panel.getByRole('button', {name: 'Ratings'}));
      await panel.getByLabel('Show no rating in this post').check();
      await panel.scrollIntoViewIfNeeded();
      await audit(page, '.ratingd-panel');
      await picture(page, 'switch');
      await publishEdited(page, newName('without'));
      await visitor.reload();
      await visitor.getByText('Words.').waitFor();
      assert.equal(await visitor.locator('ratingd-rating').count(), 0);
    } finally {
      await choosePlacement(page, 'post', {where: ''});
      await savePlacement(page);
    }
  });

  test('may be criteria or reactions, whose names are chosen', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await ask(page, 'ratingd/v1/settings', {facets: ['taste', 'service', 'price', 'love']});
    const id = await publish(page, newName('criteria'));
    const row = await choosePlacement(page, 'post', {where: 'after', template: 'simple/thumbs', group: 'reactions'});
    const is = async (...labels) => {
      for (const label of ['Taste', 'Love', 'Visitors may choose several reactions', 'Template']) {
        assert.equal(await row.getByLabel(label).isVisible(), labels.includes(label), label);
      }
    };
    await is('Love', 'Visitors may choose several reactions');
    await row.getByLabel('What is rated').selectOption('criteria');
    await is('Taste', 'Template');
    await row.getByLabel('Price').uncheck();
    const samples = row.locator('[data-ratingd-preview] [data-template="simple/stars"]');
    await becomes(2, () => samples.count());
    assert.match(await row.locator('[data-ratingd-preview]').innerText(), /^Taste[^]*Service[^]*Overall[^]*Save/);
    await audit(page, '[data-ratingd-type]');
    await picture(page, 'placement-criteria');
    await savePlacement(page);
    try {
      const visitor = await newPage(t, desk);
      await visitor.goto(`${site.url}/?p=${id}`);
      await becomes(3, () => placed(visitor));
      await picture(visitor, 'placed-criteria');
      // The page saves only criteria that exist in the site's settings, and lists unknown criteria in an error message.
      const [where, group, template] = ['after', 'criteria', 'simple/stars'];
      const send = async (facets) => {
        await admin(page, 'admin.php?page=ratingd-placement');
        await page.evaluate((given) => {
          const form = document.querySelector('form[action="options.php"]');
          for (const one of form.querySelectorAll('[name^="ratingd_placement[post]"]')) one.remove();
          for (const [name, value] of Object.entries(given)) {
            form.append(Object.assign(document.createElement('input'), {name: `ratingd_placement[post][${name}]`, value}));
          }
        }, {where, group, template, facets});
        await page.click('#submit');
        await page.waitForURL(/settings-updated/);
        return page.locator('.wrap').innerText();
      };
      assert.match(await send('taste, tatse'), /Posts: These names were left out, [^]* criteria or reactions: tatse/);
      await visitor.reload();
      await becomes(2, () => placed(visitor));
      assert.match(await send('tatse'), /Posts: Choose at least one criterion or reaction/);
    } finally {
      await choosePlacement(page, 'post', {group: '', where: ''});
      await savePlacement(page);
      await ask(page, 'ratingd/v1/settings', {facets: []});
    }
  });

  test('have the look that is chosen for all, and the page says how well it is seen', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const content = '[ratingd][ratingd template="simple/heart" text="" color="#0A7C2F"][ratingd color="red}"]';
    const id = await publish(page, newName('look'), 'posts', content);
    const visitor = await newPage(t, desk);
    const colour = (name) => page.locator(`[data-ratingd-colour=${name}]`);
    const row = (name) => page.locator('.ratingd-look tr').filter({has: colour(name)});
    const said = (name) => row(name).locator('.ratingd-contrast p').allTextContents();
    const seen = (one, of) => one.evaluate((it, key) => getComputedStyle(it)[key], of);
    await admin(page, 'admin.php?page=ratingd-placement');
    const samples = page.locator('[data-ratingd-sample]');
    await becomes(6, () => samples.locator('.ratingd').count());
    assert.deepEqual(await said('full'), []);
    await colour('full').selectOption('own');
    await row('full').locator('[type=color]').fill('#ffd700');
    const [light, dark] = await said('full');
    assert.match(light, /^On white: The contrast of 1\.4 : 1 is too low/);
    assert.match(dark, /^On a dark background: The contrast is sufficient \(11\.8 : 1\)/);
    const stars = samples.first().locator('.ratingd-all').first();
    assert.equal(await seen(stars, 'fill'), 'rgb(255, 215, 0)');
    await row('full').locator('[type=color]').fill('#1d4ed8');
    await colour('idle').selectOption('own');
    await row('idle').locator('[type=color]').fill('#777777');
    assert.equal(await seen(stars, 'stroke'), 'rgb(119, 119, 119)');
    await page.getByLabel('Text before the rating').fill('Rate <b>this</b> & that');
    await becomes('Rate <b>this</b> & that', () => samples.last().locator('.ratingd-text').textContent());
    await audit(page, '.ratingd-look');
    await picture(page, 'look');
    await page.setViewportSize({width: 360, height: 740});
    await picture(page, 'look-360');
    await page.setViewportSize(desk.viewport);
    await savePlacement(page);
    try {
      assert.equal(await row('full').locator('[type=color]').inputValue(), '#1d4ed8');
      await visitor.goto(`${site.url}/?p=${id}`);
      const widgets = visitor.locator('ratingd-rating .ratingd');
      await becomes(3, () => widgets.count());
      assert.deepEqual(await visitor.locator('.ratingd-text').allTextContents(), ['Rate this & that', 'Rate this & that']);
      assert.equal(await seen(widgets.first().locator('.ratingd-all').first(), 'stroke'), 'rgb(119, 119, 119)');
      const property = (index, name) =>
        widgets.nth(index).evaluate((one, key) => getComputedStyle(one).getPropertyValue(key), name);
      assert.equal(await property(0, '--ratingd-full'), '#1d4ed8');
      assert.equal(await property(1, '--ratingd-accent'), '#0a7c2f');
      assert.equal(await property(2, '--ratingd-full'), '#1d4ed8');
      await picture(visitor, 'looks');
    } finally {
      await admin(page, 'admin.php?page=ratingd-placement');
      for (const name of ['full', 'idle']) await colour(name).selectOption('');
      await page.getByLabel('Text before the rating').fill('');
      await savePlacement(page);
    }
  });

  test('are switched off in the classic editor', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await choosePlacement(page, site.classic, {where: 'before', template: 'simple/heart'});
    await savePlacement(page);
    await admin(page, `post-new.php?post_type=${site.classic}`);
    await page.fill('#title', newName('classic'));
    await page.click('#publish');
    await page.waitForURL(/action=edit/);
    const address = await page.getAttribute('#sample-permalink a, #wp-admin-bar-view a', 'href');
    const visitor = await newPage(t, desk);
    await visitor.goto(address);
    await becomes(1, () => placed(visitor));
    await page.getByLabel('Show no rating in this post').check();
    await audit(page, '#ratingd .inside');
    await picture(page, 'classic-switch');
    await page.click('#publish');
    await page.waitForURL(/message=/);
    assert.ok(await page.getByLabel('Show no rating in this post').isChecked());
    await visitor.reload();
    assert.equal(await visitor.locator('ratingd-rating').count(), 0);
  });
});

// --- Themes ----------------------------------------------------------------------------------------

const rating = (template) => `<!-- wp:ratingd/rating {"template":"simple/${template}"} /-->`;

describe('In the site editor', () => {
  const siteEditor = (type, id) =>
    `site-editor.php?postType=${type}&postId=${encodeURIComponent(id)}&canvas=edit`;

  test('templates, their parts and patterns have ratings', async (t) => {
    const page = await enter(t, site.administrator, desk);
    const theme = site.block_theme;
    const part = await ask(page, 'wp/v2/template-parts', {slug: 'rated', theme, content: rating('heart'), title: 'Rated'});
    const pattern = await publish(page, newName('pattern'), 'blocks', rating('slider'));
    const content = `
      <!-- wp:post-title /-->${rating('stars')}
      <!-- wp:template-part {"slug":"rated","theme":"${theme}"} /--><!-- wp:block {"ref":${pattern}} /-->`;
    const template = await ask(page, 'wp/v2/templates', {slug: 'single', theme, content, title: 'Single'});
    try {
      await openEditor(page, siteEditor('wp_template', template.id));
      const frame = await canvas(page);
      for (const slug of ['stars', 'heart', 'slider']) {
        await frame.locator(`[data-template="simple/${slug}"]`).waitFor();
      }
      // A theme template has no post of its own, so the block shows a sample.
      await frame.locator('[data-type="ratingd/rating"]').getByText('Sample', {exact: true}).first().waitFor();
      await select(page, 'ratingd/rating');
      await control(page, 'Template').waitFor();
      await audit(page, '.ratingd-settings');
      await picture(page, 'site-editor');

      const id = await publish(page, newName('in a template'));
      const visitor = await newPage(t, desk);
      await visitor.goto(`${site.url}/?p=${id}`);
      for (const slug of ['stars', 'heart', 'slider']) {
        const widget = visitor.locator(`[data-template="simple/${slug}"]`);
        await becomes(String(id), () => widget.getAttribute('data-object-id'));
      }
      await picture(visitor, 'template');
    } finally {
      await page.evaluate(
        ([id, partId]) =>
          Promise.all([
            wp.apiFetch({path: `/wp/v2/templates/${id}?force=true`, method: 'DELETE'}),
            wp.apiFetch({path: `/wp/v2/template-parts/${partId}?force=true`, method: 'DELETE'}),
          ]),
        [template.id, part.id],
      );
    }
  });
});

describe('A classic theme', () => {
  const activate = async (page, theme) => {
    await admin(page, 'themes.php');
    await page.locator(`[data-slug="${theme}"]`).hover();
    await page.locator(`[data-slug="${theme}"] .activate`).click();
    await page.waitForURL(/activated=true/);
  };

  test('shows blocks, the shortcode and placed ratings', async (t) => {
    const page = await enter(t, site.administrator, desk);
    await activate(page, site.classic_theme);
    try {
      const content = `<p>Words.</p>${rating('stars')}[ratingd template="simple/thumbs"]`;
      const id = await publish(page, newName('classic theme'), 'posts', content);
      const plain = await publish(page, newName('without a rating of its own'));
      await choosePlacement(page, 'post', {where: 'before', template: 'simple/dots'});
      await savePlacement(page);
      for (const [name, options] of [
        ['light', desk],
        ['dark', {...desk, colorScheme: 'dark'}],
        ['360', {viewport: {width: 360, height: 800}}],
      ]) {
        const visitor = await newPage(t, options);
        await visitor.goto(`${site.url}/?p=${id}`);
        for (const slug of ['stars', 'thumbs']) await visitor.locator(`[data-template="simple/${slug}"]`).waitFor();
        assert.ok(await visitor.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
        await picture(visitor, `classic-theme-${name}`);
        await visitor.goto(`${site.url}/?p=${plain}`);
        await visitor.locator('.ratingd-placed [data-template="simple/dots"]').waitFor();
      }
      await openEditor(page, `post.php?post=${id}&action=edit`);
      await (await canvas(page)).locator('[data-type="ratingd/rating"] [data-template="simple/stars"]').waitFor();
      await picture(page, 'classic-theme-editor');
    } finally {
      await choosePlacement(page, 'post', {where: ''});
      await savePlacement(page);
      await activate(page, site.block_theme);
    }
  });
});
