'use strict';

// Tests the views of the administration page that show ratings: overview, content and people.
// Administrators, editors and logged-out visitors open the page in wp-admin and at the page's own URL.
// tests/e2e/admin_test.py starts the site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, logInByForm, newPage, pictures, site} = require('./browser.cjs');
const {
  asSeen,
  doors,
  expectAccessible,
  lookAt,
  looks,
  open,
  readRightToLeft,
  refused,
  settled,
  sql,
  visit,
} = require('./admin_page.cjs');

const {administrator, editor, subscriber} = site;

// --- Expected values from the database ----------------------------------------------------------------

const votes = 'FROM wp_ratingd_votes WHERE held = 0';
// Selects the last 30 days, including today.
const month = 'rated_at >= UTC_DATE() - INTERVAL 29 DAY';
const number = (statement) => Number(sql(statement));
const rows = (statement) =>
  sql(statement)
    .split('\n')
    .map((line) => line.split('\t'));
// The id of the post with the most ratings.
const mostRated = sql(`SELECT object_id ${votes} GROUP BY object_id ORDER BY COUNT(*) DESC LIMIT 1`);
const day = (ago) => sql(`SELECT UTC_DATE() - INTERVAL ${ago} DAY`);

// Formats a number in English, which is the language of the page in this test.
const grouped = (n) => Number(n).toLocaleString('en-US');

// --- Values on the page -------------------------------------------------------------------------------

const figure = (page, name) =>
  page.locator('.rd-figures > div').filter({has: page.locator('dt', {hasText: new RegExp(`^${name}$`)})});
const value = (page, name) => figure(page, name).locator('.rd-figure').textContent();
const panel = (page, title) =>
  page.locator('section').filter({has: page.getByRole('heading', {name: title, exact: true})});
const button = (page, name) => page.getByRole('button', {name, exact: true});
const bodyRows = (place) =>
  place
    .locator('tbody tr')
    .evaluateAll((found) => found.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
const legend = (page) => page.locator('.rd-legend').first().textContent();
const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);

// Returns a list. All later API requests are added to this list.
function requests(page) {
  const seen = [];
  page.on('request', (request) => {
    const address = request.url();
    if (address.startsWith(api) && !address.startsWith(api + '/admin/')) seen.push(address.slice(api.length));
  });
  return seen;
}

// --- Overview -----------------------------------------------------------------------------------------

describe('The overview', () => {
  test('follows the votes within seconds', async (t) => {
    const page = await visit(t, administrator);
    await becomes(grouped(sql(`SELECT COUNT(*) ${votes}`)), async () => {
      await open(page, 'overview?period=all');
      return value(page, 'Ratings');
    });
  });

  test('shows the figures that are in the database, with three requests', async (t) => {
    const page = await visit(t, administrator);
    for (const door of Object.keys(doors)) {
      const seen = requests(page);
      const began = Date.now();
      await open(page, 'overview', door);
      const analytics = seen.filter((address) => address.startsWith('/analytics/'));
      t.diagnostic(`${door}: ${analytics.length} reports, ${seen.length} requests, ${Date.now() - began} ms`);
      assert.equal(analytics.length, 3, analytics.join(' '));
      assert.equal(await value(page, 'Ratings'), grouped(sql(`SELECT COUNT(*) ${votes} AND ${month}`)));
      assert.equal(
        await value(page, 'Rated items'),
        sql(`SELECT COUNT(DISTINCT object_type, object_id) ${votes} AND ${month}`),
      );
      assert.equal(
        await value(page, 'Active voters'),
        grouped(sql(`SELECT COUNT(DISTINCT voter) ${votes} AND ${month}`)),
      );
      assert.equal(await value(page, 'Today'), sql(`SELECT COUNT(*) ${votes} AND rated_at >= UTC_DATE()`));
      // The API rounds averages to ten-thousandths.
      const likes = number(`SELECT ROUND(AVG(value) * 10) ${votes} AND category = 0 AND ${month}`);
      assert.equal(await value(page, 'Likes'), `${Math.round(likes / 10) / 10}%`);
      const score = number(`SELECT SUM(SIGN(value)) ${votes} AND category = 1 AND ${month}`);
      assert.equal(await value(page, 'Up and down'), score > 0 ? `+${grouped(score)}` : grouped(score));
      const stars = number(`SELECT AVG(value) / 200 ${votes} AND category = 2 AND ${month}`);
      assert.ok(Math.abs(Number(await value(page, 'Stars')) - stars) < 0.006, `${stars}`);
      seen.length = 0;
    }
  });

  test('names types as WordPress does', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?period=all', 'wordpress');
    const n = grouped(sql(`SELECT COUNT(DISTINCT object_id) ${votes} AND object_type = 'post'`));
    await becomes(true, async () =>
      (await figure(page, 'Rated items').textContent()).includes(`WordPress content ${n}`),
    );
  });

  test('says how the period before was', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?period=7d');
    const now = number(`SELECT COUNT(*) ${votes} AND rated_at >= UTC_DATE() - INTERVAL 6 DAY`);
    const past = number(
      `SELECT COUNT(*) ${votes} AND rated_at >= UTC_DATE() - INTERVAL 13 DAY AND rated_at < UTC_DATE() - INTERVAL 6 DAY`,
    );
    const percent = Math.round(((now - past) / past) * 100);
    const sign = percent > 0 ? '+' : '';
    await becomes(`Ratings${grouped(now)}${sign}${percent}% from ${grouped(past)}`, () =>
      figure(page, 'Ratings').textContent(),
    );
  });

  test('shows the spread of each category', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?period=all');
    const spread = await page.locator('.rd-spread').last().locator('tr td.rd-number').allTextContents();
    const rounded = (stars) => sql(`SELECT COUNT(*) ${votes} AND category = 2 AND CEIL(ROUND(value / 100) / 2) ${stars}`);
    assert.deepEqual(spread, ['= 5', '= 4', '= 3', '= 2', '< 2'].map(rounded));
    await page.getByLabel('Rating scale').selectOption('10');
    await page.getByText('of 10 ·').waitFor();
    const labels = await page.locator('.rd-spread').last().locator('tbody th').allTextContents();
    assert.deepEqual(labels, ['10', '9', '8', '7', '6', '5', '4', '3', '2', '1']);
    await page.reload();
    await page.getByText('of 10 ·').waitFor();
  });

  test('has a period of its own, by keyboard, which a reload keeps', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview');
    const [from, to] = [day(20), day(11)];
    const seen = requests(page);
    await page.getByLabel('Period', {exact: true}).selectOption('range');
    assert.equal(await isFocused(page.getByLabel('Start date')), true);
    await page.getByLabel('End date').fill(to);
    await page.getByLabel('Start date').fill(day(9));
    await page.getByText('The end date is before the start date.').waitFor();
    await page.getByLabel('Start date').fill(from);
    const expected = grouped(
      sql(`SELECT COUNT(*) ${votes} AND DATE(rated_at) BETWEEN '${from}' AND '${to}'`),
    );
    await becomes(expected, () => value(page, 'Ratings'));
    assert.ok(
      seen.every((address) => address.includes(`from=${from}&to=${to}`)),
      seen.join(' '),
    );
    await page.reload();
    await becomes(expected, () => value(page, 'Ratings'));
    await page.getByRole('link', {name: 'Content', exact: true}).click();
    await becomes(true, () => isFocused(page.locator('.rd-head h2', {hasText: 'Content'})));
    assert.equal(await page.getByLabel('Start date').inputValue(), from);
  });

  test('has a chart that can be read with the pointer, the keyboard and as a table', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview');
    const of = (ago) =>
      [0, 1, 2].map((category) =>
        sql(`SELECT COUNT(*) ${votes} AND category = ${category} AND DATE(rated_at) = '${day(ago)}'`),
      );
    const expected = (ago) =>
      new RegExp(
        '^Likes {a}Up and down {b}Stars {c}[^0-9].* {sum}$'
          .replace('{sum}', of(ago).reduce((sum, n) => sum + Number(n), 0))
          .replace('{a}', of(ago)[0])
          .replace('{b}', of(ago)[1])
          .replace('{c}', of(ago)[2]),
      );
    const slider = page.getByRole('slider', {name: 'Ratings over time'});
    await slider.focus();
    await page.keyboard.press('Home');
    assert.match(await legend(page), expected(29));
    await page.keyboard.press('ArrowRight');
    assert.match(await legend(page), expected(28));
    const [likes, votesBoth, starred] = of(28);
    assert.match(
      await slider.getAttribute('aria-valuetext'),
      new RegExp(`: Likes ${likes}, Up and down ${votesBoth}, Stars ${starred}$`),
    );
    const box = await page.locator('.rd-plot').boundingBox();
    await page.mouse.move(box.x + box.width - 9, box.y + 100);
    assert.match(await legend(page), expected(0));
    await page.mouse.move(box.x, box.y - 60);
    const seen = requests(page);
    await page.getByRole('radio', {name: 'Lines'}).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.rd-plot rect').first().waitFor();
    await page.getByText('Show as table').focus();
    await page.keyboard.press('Enter');
    const table = await bodyRows(page.locator('.rd-chart'));
    assert.equal(table.length, 30);
    const numbers = (row) => [1, 3, 5].map((column) => row[column]);
    assert.deepEqual(numbers(table[3]), of(26));
    const stars = sql(`SELECT AVG(value) / 200 ${votes} AND category = 2 AND DATE(rated_at) = '${day(26)}'`);
    assert.ok(Math.abs(Number(table[3][6]) - Number(stars)) < 0.006, `${table[3]} ${stars}`);
    assert.deepEqual(seen, []);
    assert.match(page.url(), /chart=bars/);
  });

  test('shows averages over time, for the chosen category and in the chosen interval', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?period=90d');
    const chart = panel(page, 'Ratings over time');
    assert.equal(await chart.getByLabel('Average of').isVisible(), false);
    await chart.getByRole('radio', {name: 'Average'}).check({force: true});
    assert.equal(await chart.getByRole('radio', {name: 'Bars'}).isVisible(), false);
    await chart.getByLabel('Average of').selectOption('scale');
    const ago = 'rated_at >= UTC_DATE() - INTERVAL 89 DAY';
    const of = (where, columns = 'COUNT(*), ROUND(AVG(value) / 200, 2)') =>
      rows(`SELECT ${columns} ${votes} AND category = 2 AND ${where}`)[0];
    const [n, stars] = of(ago);
    const said = /^Stars (\S+) · ([\d,]+) ratings$/;
    const [, shown, count] = said.exec((await legend(page)).replace('Total', ''));
    assert.equal(count, grouped(n));
    assert.ok(Math.abs(Number(shown) - Number(stars)) < 0.011, `${shown} ${stars}`);
    const seen = requests(page);
    await chart.getByLabel('Interval').selectOption('month');
    await page.waitForURL(/interval=month/);
    await becomes(true, async () => (await chart.getByRole('slider').getAttribute('max')) < 5);
    assert.match(seen.join(' '), /trends-by-category\?period=90d&interval=month/);
    const slider = chart.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('End');
    const thisMonth = of(`${ago} AND rated_at >= DATE_FORMAT(UTC_DATE(), '%Y-%m-01')`);
    const text = await slider.getAttribute('aria-valuetext');
    assert.match(text, new RegExp(` \\(so far\\): Stars \\S+ · ${grouped(thisMonth[0])} ratings?$`));
    // The current month is not over yet, so its part of the chart is dotted, and the legend shows "so far".
    assert.match(await legend(page), /so far/);
    assert.equal(await chart.locator('.rd-plot path.rd-open').evaluate((one) => one.getAttribute('d').match(/[ML]/g).join('')), 'ML');
    await slider.press('ArrowLeft');
    assert.doesNotMatch(await slider.getAttribute('aria-valuetext'), /so far/);
    await chart.getByLabel('Interval').selectOption('day');
    await becomes(0, () => chart.locator('.rd-open').count());
    await chart.getByLabel('Interval').selectOption('month');
    await page.waitForURL(/interval=month/);
    await settled(page);
    await page.reload();
    await settled(page);
    assert.equal(await chart.getByLabel('Interval').inputValue(), 'month');
    assert.equal(await chart.getByLabel('Average of').inputValue(), 'scale');
    await expectAccessible(page);
  });

  test('makes a readable chart of today, of all time, and of too many days', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    await open(page, 'overview?period=today');
    const slider = page.getByRole('slider', {name: 'Ratings over time'});
    assert.equal(await slider.getAttribute('max'), '6');
    await page.getByText('The previous six days are shown for comparison.').waitFor();
    assert.equal(await value(page, 'Ratings'), sql(`SELECT COUNT(*) ${votes} AND rated_at >= UTC_DATE()`));
    await open(page, 'overview?period=all');
    const days = number(`SELECT DATEDIFF(UTC_DATE(), MIN(DATE(rated_at))) ${votes}`);
    assert.equal(await slider.getAttribute('max'), String(days)); // 60 points for days, not 2 points for months
    await open(page, 'overview?from=2010-01-01&to=2026-11-21&interval=day');
    await becomes(true, async () => Number(await slider.getAttribute('max')) > 100);
    assert.ok(Number(await slider.getAttribute('max')) < 300);
    assert.equal(await page.getByLabel('Interval').inputValue(), '');
  });

  test('shows the averages of the period before', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?period=7d');
    const stars = (from, to) =>
      number(
        `SELECT AVG(value) / 200 ${votes} AND category = 2 AND rated_at >= UTC_DATE() - INTERVAL ${from} DAY
         AND rated_at < UTC_DATE() - INTERVAL ${to} DAY`,
      );
    const [now, before] = [stars(6, -1), stars(13, 6)];
    const text = await figure(page, 'Stars').textContent();
    const [, change, was] = /([+-]?\d\.?\d*) from (\d\.\d\d)/.exec(text);
    assert.ok(Math.abs(Number(was) - before) < 0.006, text);
    assert.ok(Math.abs(Number(change) - (now - before)) < 0.012, text);
  });

  test('offers the current day of the site as the end of a custom range', async (t) => {
    const page = await visit(t, administrator);
    // At each hour, the day in one of these time zones differs from the day in UTC.
    const [timezone, hours] = new Date().getUTCHours() < 11 ? ['Pacific/Pago_Pago', -11] : ['Pacific/Kiritimati', 14];
    await page.route('**/analytics/stats?*', async (route) => {
      const json = await (await route.fetch()).json();
      json.meta.timezone = timezone;
      await route.fulfill({json});
    });
    await open(page, 'overview');
    await page.getByLabel('Period', {exact: true}).selectOption('range');
    const today = new Date(Date.now() + hours * 3600000).toISOString().slice(0, 10);
    assert.equal(await page.getByLabel('End date').inputValue(), today);
  });

  test('has gaps where nobody rated, and a dot for a single day', async (t) => {
    const page = await visit(t, administrator);
    await page.route('**/analytics/trends-by-category?*', async (route) => {
      const answer = await (await route.fetch()).json();
      answer.data = answer.data.filter(({category}) => category === 'scale');
      answer.data[0].points.forEach((point, i) => {
        if ([3, 10, 11].includes(i)) Object.assign(point, {count: 2000000, average: 0.8});
        else Object.assign(point, {count: 0, average: null});
      });
      await route.fulfill({json: answer});
    });
    await open(page, 'overview?measure=average');
    const plot = page.locator('.rd-plot');
    assert.equal(await plot.locator('circle').count(), 1);
    assert.equal((await plot.locator('path.rd-line').getAttribute('d')).match(/M/g).length, 2);
    assert.equal(await legend(page), 'Stars 4.00 · 6,000,000 ratingsTotal');
    await page.getByRole('slider', {name: 'Ratings over time'}).focus();
    await page.keyboard.press('Home');
    assert.match(await legend(page), /^Stars –/);
    assert.equal(await plot.locator('.rd-cursor circle').count(), 0);
  });

  test('lists what is rated most, and the newest ratings when they come into sight', async (t) => {
    const page = await visit(t, administrator, {viewport: {width: 1280, height: 720}});
    await open(page, 'overview');
    const top = await bodyRows(panel(page, 'Most rated posts'));
    const expected = rows(
      `SELECT COUNT(*) ${votes} AND ${month} GROUP BY object_type, object_id ORDER BY COUNT(*) DESC LIMIT 10`,
    );
    assert.deepEqual(
      top.map((cells) => cells[1]),
      expected.map(([n]) => grouped(n)),
    );
    const seen = requests(page);
    await panel(page, 'Latest ratings').scrollIntoViewIfNeeded();
    await panel(page, 'Latest ratings').locator('tbody tr').nth(9).waitFor();
    const recent = '/analytics/recent?period=30d&per_page=';
    assert.deepEqual(seen, [recent + '10', recent + '50&with_reason=true']);
    assert.equal(await panel(page, 'Reasons for low ratings').isVisible(), false); // the site has no such reasons
  });

  test('lists the reasons for low ratings as text', async (t) => {
    const [[type, id]] = rows(`SELECT object_type, object_id ${votes} AND ${month} AND category = 2 AND value < 500 LIMIT 1`);
    const of = `object_type = '${type}' AND object_id = ${id}`;
    const reason = '<b>Cold</b> soup, and the bread was as hard as the bench on which I ate it.';
    sql(`INSERT INTO wp_ratingd_reasons SELECT object_id, object_type, category, voter, rated_at, '${reason}\nBread!'
      ${votes} AND ${of} AND category = 2 AND value < 500 ORDER BY rated_at DESC LIMIT 1`);
    t.after(() => sql('DELETE FROM wp_ratingd_reasons'));
    const page = await visit(t, administrator);
    for (const [view, title] of [
      ['overview', 'Reasons for low ratings'],
      [`content/${type}/${id}`, 'Latest ratings'],
    ]) {
      await open(page, `${view}?period=all`);
      await panel(page, 'Latest ratings').scrollIntoViewIfNeeded();
      const cell = panel(page, title).locator('.rd-reason').first();
      await becomes(reason + '\nBread!', () => cell.innerText());
    }
    const other = await visit(t, editor);
    await open(other, `content/${type}/${id}?period=all`);
    await panel(other, 'Latest ratings').locator('tbody tr').first().waitFor();
    assert.equal(await other.locator('.rd-reason').count(), 0);
  });

  test('says that nobody has rated yet', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'overview?from=2001-01-01&to=2001-01-02');
    await page.getByText('No ratings in this period.').waitFor();
    assert.equal(await panel(page, 'Ratings over time').isVisible(), false);
    await page.getByRole('link', {name: 'Show all time'}).click();
    await becomes(grouped(sql(`SELECT COUNT(*) ${votes}`)), () => value(page, 'Ratings'));
  });

  test('shows no sentence for a period that is no longer chosen', async (t) => {
    const page = await visit(t, administrator);
    let answer;
    const slow = new Promise((resolve) => (answer = resolve));
    await page.route(/\/analytics\/stats\?period=all/, async (route) => {
      await slow;
      await route.continue();
    });
    await page.goto(doors.alone('overview?from=2001-01-01&to=2001-01-02'));
    await becomes('0', () => value(page, 'Ratings'));
    await page.getByLabel('Period', {exact: true}).selectOption('30d');
    await becomes(grouped(sql(`SELECT COUNT(*) ${votes} AND ${month}`)), () => value(page, 'Ratings'));
    const answered = page.waitForResponse(/period=all/);
    answer();
    await answered;
    await settled(page);
    assert.equal(await page.getByText('No ratings in this period.').isVisible(), false);
  });

  // Simulates a site without votes, because the test site has many votes.
  test('names the first steps where no rating was ever made', async (t) => {
    for (const [look, options] of Object.entries(looks)) {
      const page = await visit(t, administrator, options);
      await page.route(/\/analytics\/stats\?/, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        answer.data.total_ratings = 0;
        await route.fulfill({response, json: answer});
      });
      await open(page, 'overview', 'wordpress');
      await page.locator('.rd-steps').waitFor();
      await expectAccessible(page);
      if (pictures) await page.screenshot({path: path.join(pictures, `first-steps-${look}.png`), fullPage: true});
      if (look !== 'light') continue;
      assert.equal(await panel(page, 'Ratings over time').isVisible(), false);
      const steps = page.locator('.rd-steps li');
      assert.equal(await steps.count(), 3);
      const newest = await steps.getByRole('link', {name: 'View your newest post'}).getAttribute('href');
      assert.equal((await fetch(newest)).status, 200);
      await steps.getByRole('link', {name: 'Choose where ratings appear'}).click();
      await page.getByRole('heading', {name: 'Placement'}).waitFor();
    }
  });
});

// --- Content ------------------------------------------------------------------------------------------

describe('The content', () => {
  const order = (more = '') =>
    rows(
      `SELECT object_id, COUNT(*) ${votes} AND ${month} AND category = 0 ${more}
       GROUP BY object_id HAVING COUNT(*) >= 5 ORDER BY COUNT(*) DESC, object_id LIMIT 20`,
    );
  const ids = (page) =>
    page.locator('tbody th a').evaluateAll((links) => links.map((link) => link.hash.split('/').pop()));

  test('is ordered and filtered as SQL does it', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content');
    await page.getByLabel('Kind of rating').selectOption('binary');
    await page.getByLabel('Order by').selectOption('total');
    await page.getByLabel('Minimum number of ratings').fill('5');
    await page.keyboard.press('Tab');
    await page.waitForURL(/min=5/);
    await settled(page);
    const expected = order();
    assert.deepEqual(
      await ids(page),
      expected.map(([id]) => id),
    );
    const shown = await bodyRows(page.locator('.rd-list'));
    assert.equal(shown[0][7], grouped(expected[0][1]));
    assert.equal(await page.locator('#ratingd-admin img').count(), 0);
    await page.reload();
    await settled(page);
    assert.deepEqual(
      await ids(page),
      expected.map(([id]) => id),
    );
  });

  test('has no menus and templates, which are no content', async (t) => {
    const page = await visit(t, administrator);
    const type = (name) => sql(`UPDATE wp_posts SET post_type = '${name}' WHERE ID = ${mostRated}`);
    const isListed = async (view) => {
      await open(page, view);
      return (await ids(page)).includes(mostRated);
    };
    t.after(() => type('post'));
    for (const view of ['content?period=all&metric=total', 'overview?period=all']) {
      assert.equal(await isListed(view), true, view);
      type('wp_navigation');
      await becomes(false, () => isListed(view));
      type('post');
      await becomes(true, () => isListed(view));
    }
  });

  test('shows how the average of each object has changed since the period before', async (t) => {
    const page = await visit(t, administrator);
    const view = (period) => `content?period=${period}&category=scale&metric=total`;
    await open(page, view('30d'));
    const stars = (id, from, to) =>
      number(
        `SELECT AVG(value) / 200 ${votes} AND category = 2 AND object_id = ${id}
         AND rated_at >= UTC_DATE() - INTERVAL ${from} DAY AND rated_at < UTC_DATE() - INTERVAL ${to} DAY`,
      );
    const [id] = await ids(page);
    const [[, , , now, change]] = await bodyRows(page.locator('.rd-list'));
    assert.ok(Math.abs(Number(now) - stars(id, 29, -1)) < 0.006, now);
    assert.ok(Math.abs(Number(change) - (stars(id, 29, -1) - stars(id, 59, 29))) < 0.012, change);
    const lines = (await savedFile(page)).split('\r\n').map((line) => line.split(','));
    assert.equal(lines[0][6], 'Change');
    assert.equal(Number(lines[1][6]), Number(change));
    await open(page, view('all'));
    assert.equal(await page.getByRole('columnheader', {name: 'Change'}).count(), 0);
  });

  test('is searched by title with one request for a word', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?period=all');
    const seen = requests(page);
    await page.getByLabel('Search titles').pressSequentially('winter & BREAD', {delay: 20});
    await becomes(1, () => seen.length);
    await settled(page);
    const titles = await page.locator('tbody th').allTextContents();
    assert.ok(titles.length > 0 && titles.every((title) => title.includes('Winter & bread')), titles.join());
    await page.getByLabel('Search titles').fill('no such title');
    await page.getByText('Nothing matches.').waitFor();
    await expectAccessible(page);
  });

  test('has the labels of its filters at one height', async (t) => {
    const page = await visit(t, administrator);
    for (const door of Object.keys(doors)) {
      await open(page, 'content', door);
      const tops = await page
        .locator('.rd-filters label')
        .evaluateAll((labels) => labels.map((label) => Math.round(label.getBoundingClientRect().y)));
      assert.equal(new Set(tops).size, 1, `${door}: ${tops}`);
    }
  });

  test('has pages, and the keyboard stays where it was', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?period=all&category=scale');
    const first = await ids(page);
    await button(page, 'Next page').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/page=2/);
    await settled(page);
    assert.ok((await ids(page)).every((id) => !first.includes(id)));
    const all = number(`SELECT COUNT(DISTINCT object_id) ${votes} AND category = 2`);
    assert.match(await page.locator('.rd-pager').textContent(), new RegExp(`^${all} items`));
    await button(page, 'Previous page').click();
    await becomes(false, async () => page.url().includes('page='));
    await settled(page);
    assert.deepEqual(await ids(page), first);
  });

  test('shows the first page instead of one past the end', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    const [[id]] = order();
    for (const view of ['content', `content/post/${id}`, 'people', 'people/1']) {
      await open(page, `${view}?period=all&page=999`);
      await becomes(false, async () => page.url().includes('page=999'));
      await settled(page);
      assert.equal(await page.locator('.rd-banner').textContent(), '', view);
    }
  });

  test('keeps the keyboard at "Order by", and offers no signed order of unknown categories', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?category=binary');
    const orderBy = page.getByLabel('Order by');
    await orderBy.focus();
    await orderBy.selectOption('positive');
    await page.waitForURL(/metric=positive/);
    await settled(page);
    assert.equal(await isFocused(orderBy), true);
    await page.getByLabel('Kind of rating').selectOption('');
    await becomes('bayesian', () => orderBy.inputValue());
    assert.equal(await orderBy.locator('option').count(), 4);
  });

  test('is of a type that WordPress has, or that has ratings', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?period=all', 'wordpress');
    const type = page.getByLabel('Type', {exact: true});
    const others = sql("SELECT DISTINCT object_type FROM wp_ratingd_votes WHERE object_type <> 'post'").split('\n');
    for (const name of ['All WordPress content', 'Posts', 'Pages', ...others.filter(Boolean).slice(0, 3)]) {
      await becomes(1, () => type.getByRole('option', {name, exact: true}).count());
    }
    const asked = page.waitForRequest(/top-rated.*object_type=page/);
    await type.selectOption('page');
    await asked;
    await page.waitForURL(/type=page/);
    await settled(page);
    assert.equal(await page.locator('.rd-banner').textContent(), '');
    await expectAccessible(page);
    // For a vote on a WordPress page, ratingd stores the type "post", but the administration page shows
    // the type "page".
    const [[id]] = order();
    sql(`UPDATE wp_posts SET post_type = 'page' WHERE ID = ${id}`);
    t.after(() => sql(`UPDATE wp_posts SET post_type = 'post' WHERE ID = ${id}`));
    await page.reload();
    await settled(page);
    const rated = page.locator('tbody th').filter({has: page.locator(`a[href="#/content/post/${id}"]`)});
    await becomes(true, async () => (await rated.textContent()).endsWith(' (Pages)'));
    const lines = (await savedFile(page)).trim().split('\r\n').slice(1);
    assert.ok(lines.length > 0 && lines.every((line) => line.includes(',Pages,')), lines.join());
    await type.selectOption('post:post');
    await page.waitForURL(/type=post%3Apost/);
    await settled(page);
    assert.equal((await ids(page)).includes(String(id)), false);
  });

  test('is sorted by its heads', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?category=binary&min=5');
    const head = (name) => page.getByRole('columnheader', {name: new RegExp(`^${name}`)});
    const column = async (n) =>
      (await bodyRows(page.locator('.rd-list'))).map((cells) => Number(cells[n].replace(/[,%]/g, '')));
    assert.equal(await head('Weighted average').getAttribute('aria-sort'), 'descending');
    await head('Ratings').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/metric=total/);
    await settled(page);
    assert.equal(await head('Ratings').getAttribute('aria-sort'), 'descending');
    assert.equal(await isFocused(head('Ratings').getByRole('button')), true);
    assert.equal(await page.getByLabel('Order by').inputValue(), 'total');
    assert.deepEqual(
      await ids(page),
      order().map(([id]) => id),
    );
    for (const [name, n, direction] of [
      ['Ratings', 7, 'ascending'],
      ['Negative', 6, 'descending'],
      ['Positive', 5, 'descending'],
      ['Average', 3, 'descending'],
    ]) {
      await head(name).getByRole('button').click();
      await becomes(direction, () => head(name).getAttribute('aria-sort'));
      await settled(page);
      const numbers = await column(n);
      const sign = direction === 'ascending' ? 1 : -1;
      assert.deepEqual(
        numbers,
        [...numbers].sort((x, y) => sign * (x - y)),
        name,
      );
    }
    await page.reload();
    await settled(page);
    assert.equal(await head('Average').getAttribute('aria-sort'), 'descending');
    await expectAccessible(page);
  });

  async function savedFile(page) {
    const saving = page.waitForEvent('download');
    await button(page, 'Download CSV').click();
    return fs.readFileSync(await (await saving).path(), 'utf8');
  }

  test('is saved for spreadsheets, all pages of it, with the numbers of the page', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'content?period=all&category=scale');
    const shown = await bodyRows(page.locator('.rd-list'));
    const text = await savedFile(page);
    assert.equal(text.charCodeAt(0), 0xfeff);
    const lines = text.slice(1).trim().split('\r\n');
    assert.equal(
      lines[0],
      'Title,Type,Content ID,Link,Weighted average (Stars / 5),Average (Stars / 5),Ratings',
    );
    assert.equal(lines.length - 1, number(`SELECT COUNT(DISTINCT object_id) ${votes} AND category = 2`));
    const cells = lines[1].split(',').slice(-3).map(Number);
    assert.deepEqual(cells, shown[0].slice(2).map(Number));
  });

  test("is saved as spreadsheets of the reader's country read it, and as no formula", async (t) => {
    const page = await visit(t, administrator, {locale: 'de-DE'});
    const [[id]] = order();
    const title = sql(`SELECT post_title FROM wp_posts WHERE ID = ${id}`);
    const rename = (text) =>
      sql(`UPDATE wp_posts SET post_title = '${text.replaceAll("'", "''")}' WHERE ID = ${id}`);
    rename('=1+1;-"2"');
    t.after(() => rename(title));
    await open(page, 'content?category=binary&metric=total', 'wordpress');
    await becomes(true, async () => (await page.locator('tbody th').first().textContent()).startsWith('=1+1'));
    const lines = (await savedFile(page)).split('\r\n');
    assert.match(lines[0], /^\ufeffTitle;Type;Content ID;Link;/);
    const numbers = String.raw`\d+(,\d)?;\d+(,\d)?;\d+;\d+;\d+`;
    assert.match(lines[1], new RegExp(`^"'=1\\+1;'-""2""";Posts;${id};http.*;${numbers}$`));
  });
  for (const [category, average, shown] of [
    ['binary', 0.5715, '57.2%'],
    ['bipolar', -0.145, '-0.15'],
    ['scale', 0.819, '4.10'],
  ]) {
    test(`is saved with averages that are rounded as on the page: ${category}`, async (t) => {
      const page = await visit(t, administrator);
      await page.route('**/analytics/top-rated?*', async (route) => {
        const json = await (await route.fetch()).json();
        Object.assign(json.data[0], {value: average, average});
        await route.fulfill({json});
      });
      await open(page, `content?period=all&category=${category}`);
      assert.deepEqual((await bodyRows(page.locator('.rd-list')))[0].slice(2, 4), [shown, shown]);
      const [titles, first] = (await savedFile(page)).split('\r\n');
      const at = titles.split(',').findIndex((title) => title.startsWith('Average'));
      assert.equal(Number(first.split(',')[at]), parseFloat(shown));
    });
  }


  test('leads to all about one object', async (t) => {
    const page = await visit(t, administrator);
    const [[id]] = order();
    await open(page, 'content?metric=total&category=binary', 'wordpress');
    await page.locator('tbody th a').first().click();
    await page.waitForURL(new RegExp(`#/content/post/${id}`));
    await settled(page);
    const title = sql(`SELECT post_title FROM wp_posts WHERE ID = ${id}`).replaceAll('&amp;', '&');
    await becomes(title, () => page.locator('.rd-head h2').textContent());
    assert.equal((await page.title()).startsWith(title), true);
    assert.equal(
      await value(page, 'Ratings'),
      grouped(sql(`SELECT COUNT(*) ${votes} AND object_id = ${id}`)),
    );
    const inPeriod = grouped(sql(`SELECT COUNT(*) ${votes} AND object_id = ${id} AND ${month}`));
    assert.equal(await value(page, 'In this period'), inPeriod);
    assert.match(await legend(page), new RegExp(`Total ${inPeriod}$`));
    assert.equal(
      await page.getByRole('link', {name: 'Edit', exact: true}).getAttribute('href'),
      `${site.url}/wp-admin/post.php?post=${id}&action=edit`,
    );
    assert.match(
      await page.getByRole('link', {name: 'View', exact: true}).getAttribute('href'),
      new RegExp(`^${site.url}/`),
    );
    await panel(page, 'Latest ratings').getByRole('button', {name: 'Next page'}).click();
    await page.waitForURL(/page=2/);
    await page.getByLabel('Kind of rating').selectOption('scale');
    const scale = grouped(
      sql(`SELECT COUNT(*) ${votes} AND object_id = ${id} AND category = 2 AND ${month}`),
    );
    await becomes(scale, () => value(page, 'In this period'));
    await page.goBack();
    await page.waitForURL(/#\/content\?/);
  });
});

// --- People -------------------------------------------------------------------------------------------

describe('The people', () => {
  const isUser = 'voter < 1000000';

  test('are listed as SQL lists them, and sorted by their heads', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'people');
    const expected = rows(
      `SELECT voter, COUNT(*) ${votes} AND ${isUser} AND ${month} GROUP BY voter ORDER BY COUNT(*) DESC, voter LIMIT 20`,
    );
    const shown = await bodyRows(page.locator('.rd-list'));
    assert.deepEqual(
      shown.map((cells) => cells[1]),
      expected.map(([, n]) => grouped(n)),
    );
    assert.equal(
      await page.getByRole('columnheader', {name: 'Ratings'}).getAttribute('aria-sort'),
      'descending',
    );
    await page.getByRole('columnheader', {name: 'Ratings'}).getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/order=asc/);
    await settled(page);
    const least = await bodyRows(page.locator('.rd-list'));
    assert.ok(Number(least[0][1]) <= Number(least[19][1]));
    assert.equal(
      await isFocused(page.getByRole('columnheader', {name: 'Ratings'}).getByRole('button')),
      true,
    );
    await expectAccessible(page);
  });

  test('are found by name and by login, and lead to their profiles', async (t) => {
    const page = await visit(t, administrator);
    await open(page, 'people?period=all', 'wordpress');
    const search = page.getByLabel('Search names, logins and email addresses');
    const names = () => page.locator('tbody th').allTextContents();
    await search.fill('CLARA@example');
    await becomes(1, async () => (await names()).length);
    assert.match((await names())[0], /Clara Secretname$/);
    await page.waitForURL(/search=CLARA/);
    await search.fill('secretname');
    const known = "SELECT ID FROM wp_users WHERE user_login IN ('anna', 'ben', 'clara')";
    const rated = number(`SELECT COUNT(DISTINCT voter) ${votes} AND voter IN (${known})`);
    await becomes(rated, async () => (await names()).length);
    await search.fill('nobody has this name');
    await page.getByText('Nothing matches.').waitFor();
    await search.fill('clara');
    await becomes(1, async () => (await names()).length);
    await expectAccessible(page);
    await page.locator('tbody th a').click();
    const id = sql("SELECT ID FROM wp_users WHERE user_login = 'clara'");
    assert.equal(
      await page.getByRole('link', {name: 'Profile in WordPress'}).getAttribute('href'),
      `${site.url}/wp-admin/user-edit.php?user_id=${id}`,
    );
  });

  test('are erased after a question that says how much', async (t) => {
    const page = await visit(t, administrator);
    const id = number("SELECT ID FROM wp_users WHERE user_login = 'clara'");
    const ofClara = `SELECT COUNT(*) FROM wp_ratingd_votes WHERE voter = ${id}`;
    const count = number(ofClara);
    assert.ok(count > 1);
    await open(page, `people/${id}?period=all&page=1`);
    assert.equal(
      await page.locator('.rd-head h2').textContent(),
      '<svg onload="window.hacked=1">Clara Secretname',
    );
    assert.equal(await value(page, 'Ratings'), String(count));
    await button(page, 'Erase all ratings …').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText(`${count} ratings will be deleted permanently`).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    assert.equal(number(ofClara), count);
    await button(page, 'Erase all ratings …').click();
    await button(page, `Erase ${count} ratings`).click();
    await page
      .getByText(`${count} ratings by <svg onload="window.hacked=1">Clara Secretname were erased.`)
      .waitFor();
    assert.equal(number(ofClara), 0);
    await becomes('0', () => value(page, 'Ratings'));
    assert.doesNotMatch(page.url(), /page=/); // the list may have fewer pages now
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  });
});

// --- Permissions --------------------------------------------------------------------------------------

describe('Rights', () => {
  test('of an editor show statistics, and no person in any answer', async (t) => {
    for (const door of Object.keys(doors)) {
      const page = await visit(t, editor, {viewport: {width: 1280, height: 2000}});
      const bodies = [];
      // Read the response body now, because the browser discards it when the page shows another view.
      await page.route(/\/analytics\//, async (route) => {
        const response = await route.fetch();
        bodies.push(await response.text());
        await route.fulfill({response});
      });
      for (const view of ['overview', 'content', `content/post/${mostRated}`, 'overview?period=all']) {
        await open(page, view, door);
      }
      await panel(page, 'Latest ratings').locator('tbody tr').first().waitFor();
      assert.deepEqual(await page.locator('.nav-tab').allTextContents(), ['Overview', 'Content']);
      for (const text of bodies) {
        assert.doesNotMatch(text, /Secretname|"voter"|"name"/);
      }
      assert.ok(bodies.length >= 9, `${bodies.length}`);
      for (const view of ['people', 'settings', 'people/2']) {
        await page.goto(doors[door](view));
        await page.getByText('You are not allowed to see this.').waitFor();
      }
      await page.getByText('(list_users)').waitFor();
    }
  });

  test('are named where they are missing', async (t) => {
    const page = await visit(t, subscriber);
    await page.goto(doors.alone('overview'));
    await page.getByText('“Who may see statistics” setting').waitFor();
    const stranger = await newPage(t);
    await stranger.goto(doors.alone('content'));
    await stranger.getByText('Please log in').waitFor();
    await expectAccessible(stranger);
    await stranger.getByRole('link', {name: 'Log in', exact: true}).click();
    await logInByForm(stranger, administrator);
    await stranger.waitForURL(/\/admin\/#?/);
    await becomes('true', async () => String((await stranger.locator('.nav-tab').count()) > 3));
  });

  test('that end while the page is open are named, and nothing is lost', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    await open(page, 'overview');
    const shown = await value(page, 'Ratings');
    await page.context().clearCookies();
    await page.getByLabel('Period', {exact: true}).selectOption('7d');
    await page.getByText('You are logged out.').waitFor();
    assert.equal(await value(page, 'Ratings'), shown);
  });
});

// --- Errors -------------------------------------------------------------------------------------------

describe('The page', () => {
  test('speaks the language of the browser, and shows no English text then', async (t) => {
    const page = await visit(t, administrator, {locale: 'de-AT'});
    await open(page, 'overview');
    assert.equal(await page.locator('html').getAttribute('lang'), 'de-AT');
    assert.deepEqual(await page.getByRole('navigation').getByRole('link').allTextContents(), [
      'Übersicht',
      'Inhalte',
      'Personen',
      'Zurückgehalten',
      'Einstellungen',
      'Import/Export',
      'Zustand',
    ]);
    await page.getByRole('heading', {name: 'Neueste Bewertungen'}).waitFor();
    await open(page, 'settings');
    await page.getByRole('checkbox', {name: 'Bewertungen annehmen'}).waitFor();
  });

  test('speaks English from left to right, also in a document from right to left', async (t) => {
    const page = await visit(t, administrator);
    await page.addInitScript(() => {
      window.addEventListener('DOMContentLoaded', () => document.documentElement.setAttribute('dir', 'rtl'));
    });
    await page.route(/page=ratingd/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/data-locale="[^"]*"/, 'data-locale="fa-IR"');
      await route.fulfill({response, body});
    });
    await open(page, 'overview?period=all', 'wordpress');
    const root = page.locator('#ratingd-admin');
    assert.deepEqual([await root.getAttribute('lang'), await root.getAttribute('dir')], ['en', 'ltr']);
    const score = number(`SELECT SUM(SIGN(value)) ${votes} AND category = 1`);
    assert.ok(score > 0);
    assert.equal(await asSeen(figure(page, 'Up and down').locator('.rd-figure')), `+${grouped(score)}`);
    const stars = grouped(sql(`SELECT COUNT(*) ${votes} AND category = 2`));
    assert.equal(await asSeen(figure(page, 'Stars').locator('.rd-soft')), `of5·${stars}ratings`);
  });

  test('keeps English texts and numbers in order in a translation from right to left', async (t) => {
    const page = await visit(t, administrator, {locale: 'he'});
    await readRightToLeft(page);
    await open(page, 'overview?period=all');
    assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    const score = number(`SELECT SUM(SIGN(value)) ${votes} AND category = 1`);
    const stars = grouped(sql(`SELECT COUNT(*) ${votes} AND category = 2`));
    await becomes(true, async () => (await page.locator('.rd-figure').count()) > 5);
    const seen = [];
    for (const one of await page.locator('.rd-figures dd').all()) seen.push(await asSeen(one));
    assert.ok(seen.includes(`+${grouped(score)}`), seen.join('|'));
    assert.ok(seen.includes(`of5·${stars}ratings`), seen.join('|'));
    await open(page, 'content?period=all&category=scale');
    const mark = page.locator('.rd-pager button span').first();
    // In right-to-left text, browsers mirror characters such as « automatically.
    assert.equal(await mark.evaluate((one) => getComputedStyle(one).transform), 'none');
    assert.equal(await mark.evaluate((one) => getComputedStyle(one).direction), 'rtl');
  });

  // Replaces the nonce in the page with an old one.
  const withOldNonce = (page) =>
    page.route(/page=ratingd/, async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      await route.fulfill({
        response: answer,
        body: text.replace(/data-nonce="\w+"/, 'data-nonce="0123456789"'),
      });
    });

  test('renews a stale nonce once, and sends the requests again', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    await withOldNonce(page);
    let renewals = 0;
    page.on('request', (request) => /\bratingd-nonce|rest-nonce/.test(request.url()) && ++renewals);
    // A filter on the site can change these nonces.
    await page.route(/rest-nonce/, (route) => route.fulfill({body: '9876543210'}));
    await open(page, 'overview', 'wordpress');
    assert.equal(await value(page, 'Ratings'), grouped(sql(`SELECT COUNT(*) ${votes} AND ${month}`)));
    assert.equal(renewals, 1);
  });

  test('renews a stale nonce at admin-ajax.php if the front page does not return one', async (t) => {
    for (const answer of [{body: '<!DOCTYPE html><title>From a cache</title>'}, {status: 503}]) {
      const page = await visit(t, administrator, {}, refused);
      await withOldNonce(page);
      await page.route(/\?ratingd-nonce/, (route) => route.fulfill(answer));
      await open(page, 'overview', 'wordpress');
      assert.equal(await value(page, 'Ratings'), grouped(sql(`SELECT COUNT(*) ${votes} AND ${month}`)));
    }
  });

  test('keeps what it shows while the service is away, and comes back by itself', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    await open(page, 'overview');
    const shown = await value(page, 'Ratings');
    const body = {code: 'ratingd_unavailable', message: 'Not now.', data: {status: 503, retry_after: 6}};
    await page.route(/\/analytics\//, (route) =>
      route.fulfill({status: 503, headers: {'Retry-After': '6'}, json: body}),
    );
    await page.getByLabel('Period', {exact: true}).selectOption('7d');
    await page.getByText(/Ratings have been unavailable since/).waitFor();
    await page.getByText(/Next attempt in \d seconds?\./).waitFor();
    await expectAccessible(page);
    assert.equal(await value(page, 'Ratings'), shown);
    // A panel that fails to load must not leave an empty frame.
    await page.goto(doors.alone('content'));
    await page.getByText(/Ratings have been unavailable since/).waitFor();
    await page.getByText('sudo ratingctl doctor').waitFor();
    assert.equal(await page.locator('.rd-panel:visible').count(), 0);
    await expectAccessible(page);
    await page.goto(doors.alone('overview?period=7d'));
    await page.getByText(/Next attempt in \d seconds?\./).waitFor();
    await page.unroute(/\/analytics\//);
    await button(page, 'Try again').click();
    const week = grouped(sql(`SELECT COUNT(*) ${votes} AND rated_at >= UTC_DATE() - INTERVAL 6 DAY`));
    await becomes(week, () => value(page, 'Ratings'));
    await becomes('', () => page.locator('.rd-banner').textContent());
  });

  test('waits as long as it is told when it asked too often', async (t) => {
    const page = await visit(t, administrator, {}, refused);
    const body = {
      code: 'ratingd_rate_limited',
      message: 'Wait a moment.',
      data: {status: 429, retry_after: 2},
    };
    let isFirst = true;
    await page.route(/top-rated/, (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      return route.fulfill({status: 429, headers: {'Retry-After': '2'}, json: body});
    });
    await page.goto(doors.alone('content'));
    await page.getByText('Too many requests.').waitFor();
    await page.locator('tbody tr').first().waitFor();
    await becomes('', () => page.locator('.rd-banner').textContent());
  });

  test('says in time that something takes long', async (t) => {
    const page = await visit(t, administrator);
    let answer;
    const asked = new Promise((resolve) => (answer = resolve));
    await page.route(/top-rated/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(doors.alone('content'));
    await page.getByText('Still loading.').waitFor();
    const skeleton = await page.locator('.rd-skeleton').boundingBox();
    assert.ok(skeleton.height > 400, 'the place of the list is kept free');
    if (pictures) await page.screenshot({path: path.join(pictures, 'admin-loading.png')});
    answer();
    await page.locator('tbody tr').first().waitFor();
    await becomes('', () => page.locator('.rd-banner').textContent());
  });

  test('shows titles and names as text, also where Trusted Types are required', async (t) => {
    const page = await visit(t, administrator, {viewport: {width: 1280, height: 2000}});
    await page.route(/\/admin\/$/, async (route) => {
      const answer = await route.fetch();
      const policy =
        answer.headers()['content-security-policy'] +
        "; require-trusted-types-for 'script'; trusted-types 'none'";
      await route.fulfill({
        response: answer,
        headers: {...answer.headers(), 'content-security-policy': policy},
      });
    });
    for (const view of [
      'overview?period=all',
      'content?period=all',
      `content/post/${mostRated}?period=all`,
      'people?period=all',
    ]) {
      await open(page, view);
      assert.equal(await page.locator('#ratingd-admin :is(img, script, iframe)').count(), 0);
    }
    await page.goto(doors.alone('overview?period=all'));
    await page.getByText('<img src=x onerror="window.hacked=1">').first().waitFor();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
  });

  test('has a strict policy', async () => {
    const answer = await fetch(`${api}/admin/`);
    assert.match(
      answer.headers.get('content-security-policy'),
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
  });
});

// --- Appearance ---------------------------------------------------------------------------------------

// Use the user with ratings in the most categories. For users with ratings in fewer categories, the page reserves
// more space than it needs.
const person = sql(`SELECT voter ${votes} AND voter < 1e6 GROUP BY voter ORDER BY COUNT(DISTINCT category) DESC LIMIT 1`);
const views = ['overview', 'content', `content/post/${mostRated}`, 'people', `people/${person}?period=all`];

describe('Every view', () => {
  test('asks for little', async (t) => {
    const page = await visit(t, administrator);
    await page.goto(`${site.url}/wp-admin/admin.php?page=ratingd`);
    await settled(page);
    for (const view of ['overview', 'content', `content/post/${mostRated}`, 'people', 'people/2']) {
      const seen = requests(page);
      await page.locator('.rd-root').evaluateAll((old) => old.forEach((root) => root.classList.add('old')));
      const began = Date.now();
      await page.evaluate((hash) => (window.location.hash = hash), `#/${view}?period=90d`);
      await page.locator('.rd-root:not(.old) :is(.rd-figure, tbody tr)').first().waitFor();
      const first = Date.now() - began;
      await settled(page);
      t.diagnostic(
        `${view}: ${seen.length} requests, first figure after ${first} ms, all after ${Date.now() - began} ms`,
      );
      assert.ok(seen.length <= 3, seen.join(' '));
    }
  });

  for (const [look, {viewport, media}] of Object.entries(looks)) {
    test(`is accessible and fits its window: ${look}`, async (t) => {
      const page = await visit(t, administrator, {viewport, reducedMotion: 'reduce'});
      for (const view of views) await lookAt(page, view, 'alone', look, media);
      if (look === 'wide') return;
      for (const view of views) await lookAt(page, view, 'wordpress', look);
    });
  }

  test('leaves room for titles in German in a window of 1280 pixels, and underlines links in tables', async (t) => {
    const speak = (locale) =>
      sql(`UPDATE wp_usermeta SET meta_value = '${locale}' WHERE user_id = 1 AND meta_key = 'locale'`);
    speak('de_DE');
    t.after(() => speak(''));
    const page = await visit(t, administrator, {viewport: {width: 1280, height: 900}});
    for (const view of ['overview', 'content', 'people?period=all']) {
      await open(page, view, 'wordpress');
      assert.equal(await page.locator('.nav-tab').first().textContent(), 'Übersicht');
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await settled(page);
      const widths = await page
        .locator('tbody th[scope=row]:has(a)')
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
      assert.ok(widths.length > 0 && Math.min(...widths) >= 240, `${view}: ${Math.min(...widths)}`);
      const lines = await page
        .locator('.rd-table a')
        .evaluateAll((links) => links.map((link) => window.getComputedStyle(link).textDecorationLine));
      assert.deepEqual([...new Set(lines)], ['underline']);
      await expectAccessible(page);
    }
    await open(page, `content/post/${mostRated}?period=all`, 'wordpress');
    const figures = await page.locator('.rd-figure-groups').textContent();
    assert.match(figures, /Sterne\d,\d\dvon 5 · [\d.]+ Bewertungen · gesamter Zeitraum$/);
  });

  test('has each checkbox beside the title of its row on a narrow screen', async (t) => {
    const page = await visit(t, administrator, {viewport: {width: 360, height: 740}});
    for (const door of Object.keys(doors)) {
      await open(page, 'people/2?period=all', door);
      const row = page.locator('tbody tr').first();
      const [box, title] = await Promise.all([row.locator('input').boundingBox(), row.locator('th').boundingBox()]);
      assert.ok(title.x >= box.x + box.width, `${door}: ${JSON.stringify([box, title])}`);
      assert.ok(Math.abs(title.y - box.y) < 20, `${door}: ${JSON.stringify([box, title])}`);
      assert.ok(Math.abs(box.width - box.height) < 1);
    }
  });

  test('reads from right to left', async (t) => {
    const page = await visit(t, administrator, {viewport: {width: 1280, height: 900}, locale: 'he'});
    await readRightToLeft(page);
    for (const view of views) await lookAt(page, view, 'alone', 'rtl');
    const plot = await page.locator('.rd-head').boundingBox();
    const heading = await page.locator('.rd-head h2').boundingBox();
    assert.ok(heading.x > plot.x + plot.width / 2);
  });
});
