'use strict';

// Tests widgets in different situations, which are described by the files in tests/pages.
// tests/e2e/pages_test.py starts the site. tests/pages/README.md explains how to add a page.

const assert = require('node:assert/strict');
const {after, before, describe, test} = require('node:test');
const puppeteer = require('puppeteer-core');
const {api, becomes, logIn, message, newPage, site, star, stat, widget} = require('./browser.cjs');

const addressOf = ({name, kind}) => (kind === 'html' ? `${site.url}/pages/${name}.html` : `${site.url}/${name}/`);
const own = (page) => stat(page, 'stars', 'own');
const total = async ({post}) => (await (await fetch(`${api}/public/stats/${post}`)).json()).stats.scale.total;

// Opens the post at its usual URL, without the changes that a test file makes to the page.
const plain = (page, {post}) => page.goto(`${site.url}/?p=${post}`);

async function open(page, one) {
  await page.goto(one.address || addressOf(one));
  await widget(page, 'stars').locator('[role=radio]').first().waitFor();
}

async function rate(page, stars = 4) {
  await star(page, stars).click();
  try {
    await becomes(`Your rating: ${stars}`, own(page), 10);
  } catch (error) {
    const said = widget(page, 'stars').locator('[data-message]');
    error.message += `\nThe widget says "${await said.textContent()}" (${await said.getAttribute('data-message')}).`;
    throw error;
  }
}

// A visitor counts as a different voter on each host.
async function plainIsUnrated(page, one) {
  await page.context().clearCookies({name: 'situation'});
  await plain(page, one);
  await becomes('1', stat(page, 'stars', 'total'), 10);
  assert.equal(await own(page)(), '');
}

const checks = {
  async votes(page, one) {
    await open(page, one);
    await rate(page);
    await open(page, one);
    await becomes('Your rating: 4', own(page), 10);
    await becomes(1, () => total(one), 10);
    if (one.as !== 'reader') return;
    // After a login in another browser, the user still sees the vote.
    await page.context().clearCookies();
    await logIn(page, 'reader');
    await plain(page, one);
    await becomes('Your rating: 4', own(page), 10);
    await becomes(1, () => total(one), 10);
  },

  async votes_beside_prototype(page, one) {
    // Count requests in the page itself, because they may be sent while the visitor leaves the page.
    await page.addInitScript(() => {
      const {fetch} = window;
      window.fetch = (...request) => {
        if (request[1]?.method === 'POST') window.localStorage.votes = 1 + Number(window.localStorage.votes || 0);
        return fetch(...request);
      };
    });
    const votes = () => page.evaluate(() => window.localStorage.votes);
    await open(page, one);
    await plain(page, one);
    assert.equal(await votes(), undefined);
    await checks.votes(page, one);
    assert.equal(await votes(), '1');
    const ten = widget(page, 'distribution');
    const labels = await ten.locator('.ratingd-bar > :first-child').allTextContents();
    assert.deepEqual(labels, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `${n} ★`));
    const names = await ten.getByRole('radio').evaluateAll((all) => all.map((each) => each.ariaLabel));
    assert.deepEqual(names, labels.map((_, i) => `${i + 1} of 10`));
    await becomes('1', stat(page, 'distribution', 'step_8'));
  },

  async votes_with_style(page, one) {
    await checks.votes(page, one);
    const style = (name) => star(page, 1).evaluate((element, key) => getComputedStyle(element)[key], name);
    assert.equal(await style('borderTopWidth'), '0px');
    assert.equal(await style('backgroundColor'), 'rgba(0, 0, 0, 0)');
  },

  async hides_failure(page, one) {
    await open(page, one);
    const json = {code: 'ratingd_blocked', message: '', data: {status: 403}};
    await page.route('**/v1/rate*', (route) => route.fulfill({status: 403, json}));
    const status = widget(page, 'stars').locator('[data-message]');
    const kind = () => status.getAttribute('data-message');
    await star(page, 4).click();
    await becomes('Rating not accepted.', message(page, 'stars'), 10);
    await status.click();
    await page.keyboard.press('Tab');
    assert.equal(await kind(), 'failed');
    await page.locator('#text').click();
    await becomes('', kind, 10);
  },

  async takes_back_through_proxy(page, one) {
    const blocked = await page.request.delete(`${site.proxy}/wp-json/ratingd/v1/rate`);
    assert.equal(blocked.status(), 403);
    const answers = [];
    page.on('response', (answer) => {
      const request = answer.request();
      if (/v1\/rate\b/.test(request.url())) answers.push(`${request.method()} ${answer.status()}`);
    });
    await page.goto(`${site.proxy}/pages/${one.name}.html`);
    const frame = page.frames().at(-1);
    await rate(frame);
    await becomes(1, () => total(one), 10);
    await widget(frame, 'stars').locator('.ratingd-remove').click();
    await becomes('', own(frame), 10);
    await becomes(0, () => total(one), 10);
    assert.deepEqual(answers.filter((answer) => !answer.startsWith('OPTIONS')), ['POST 200', 'POST 200']);
  },

  async does_not_shift(page, one) {
    await page.addInitScript(() => {
      window.shift = 0;
      const add = (list) => list.getEntries().forEach(({value}) => (window.shift += value));
      new PerformanceObserver(add).observe({type: 'layout-shift'});
    });
    await page.route('**/ratingd-widget.js*', async (route) => {
      await page.waitForFunction(() => window.performance.getEntriesByName('first-contentful-paint').length);
      await route.continue();
    });
    for (const width of [1280, 360]) {
      await page.setViewportSize({width, height: 800});
      await page.goto(addressOf(one));
      await becomes(5, () => page.locator(':is(ratingd-criteria, ratingd-reactions) .ratingd').count(), 10);
      await page.waitForLoadState('networkidle');
      // Wait a few frames, because browsers report layout shifts late.
      const shift = await page.evaluate(async () => {
        for (let i = 0; i < 3; ++i) await new Promise((resolve) => window.requestAnimationFrame(resolve));
        return window.shift;
      });
      assert.ok(shift < 0.02, `${shift} at ${width} pixels`);
    }
  },

  async votes_while_translated(page, one) {
    await open(page, one);
    await page.evaluate(() => window.translate());
    await rate(page, 2);
    await page.evaluate(() => window.translate());
    await rate(page, 4);
    await page.evaluate(() => window.translate());
    await widget(page, 'stars').locator('.ratingd-remove').click();
    await becomes('', own(page), 10);
    await becomes(0, () => total(one), 10);
  },

  async votes_early(page, one) {
    await open(page, one);
    await page.waitForFunction(() => window.release);
    await rate(page);
    const updated = page.evaluate(() => new Promise((resolve) => {
      document.addEventListener('ratingd:updated', resolve, {once: true});
      window.isReleased = true;
      window.release();
      setTimeout(resolve, 500);
    }).then(() => true));
    assert.ok(await updated);
    assert.equal(await own(page)(), 'Your rating: 4');
  },

  async asks_to_reload(page, one) {
    await open(page, one);
    await star(page, 4).click();
    await becomes('Reload the page to rate with your account.', message(page, 'stars'), 10);
    assert.equal(await total(one), 0);
  },

  async finds_nonce_in_page(page, one) {
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await checks.votes(page, one);
    assert.deepEqual(asked.filter((url) => /\?ratingd-nonce|admin-ajax/.test(url)), []);
    const answer = await page.request.get(addressOf(one));
    const html = await answer.text();
    const [, nonce] = /"nonce":"([0-9a-f]{10})"/.exec(html);
    assert.equal(html.split(nonce).length, 2, 'the nonce is printed once');
    assert.match(answer.headers()['cache-control'], /no-cache/);
    // REST responses and feeds must not contain the data block with the page's settings, because fragment caches would
    // store it.
    for (const path of [`wp-json/wp/v2/posts/${one.post}`, 'feed/', `?p=${one.post}&feed=rss2`]) {
      assert.ok(!(await (await page.request.get(`${site.url}/${path}`)).text()).includes(nonce), path);
    }
  },

  async votes_in_german(page, one) {
    await page.goto(addressOf(one));
    await star(page, 4).click();
    await becomes('Ihre Bewertung: 4', own(page), 15);
    await page.goto(addressOf(one));
    await becomes('Ihre Bewertung: 4', own(page), 15);
    await becomes(1, () => total(one), 10);
    if (one.as !== 'reader') return;
    await page.context().clearCookies();
    await logIn(page, 'reader');
    await plain(page, one);
    await becomes('Your rating: 4', own(page), 10);
  },

  async keeps_attributes(page, one) {
    await checks.votes(page, one);
    const attribute = (name) => widget(page, 'stars').getAttribute(name);
    assert.equal(await attribute('aria-label'), 'Opinion');
    assert.equal(await attribute('data-size'), 'large');
    if (one.content.includes('soup')) await page.getByText('How was the soup?').waitFor();
  },

  async rates_comments(page, one) {
    await page.goto(addressOf(one));
    const comment = page.locator(`#loaded [data-object-id="${one.comment}"][data-object-type="comment"]`);
    await comment.locator('button').first().click();
    await becomes('true', () => comment.locator('button').first().getAttribute('aria-pressed'), 10);
  },

  async votes_at_other_host(page, one) {
    const address = `${site.other}/${one.name}/`;
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    // The first page view schedules a cron event, which checks whether the other host serves the API.
    await page.goto(address);
    await becomes('true', async () => {
      await page.request.get(site.url + '/wp-cron.php');
      await page.goto(address);
      return `${await page.locator('script#ratingd-settings').textContent().then((text) => text.includes(`"${site.other}/`))}`;
    }, 20);
    asked.length = 0;
    await checks.votes(page, {...one, address});
    assert.deepEqual(asked.filter((url) => url.includes('/v1/') && !url.startsWith(site.other)), []);
    await plainIsUnrated(page, one);
  },

  async votes_with_credentials(page, one) {
    // Browsers store cookies from another site only over HTTPS.
    await open(page, {address: `${site.other}/${one.name}/`});
    await rate(page);
    await becomes(1, () => total(one), 10);
    assert.equal(JSON.parse(await page.locator('script#ratingd-settings').textContent()).credentials, 'include');
  },

  async warns_administrators(page, one) {
    const read = async (host) => (await page.request.get(addressOf(one), {headers: {host}})).text();
    const hint = /Visitors to http:\/\/de\.example\.org:\d+ cannot rate/;
    assert.doesNotMatch(await read('de.example.org'), hint);
    await logIn(page, site.administrator);
    assert.match(await read('de.example.org'), hint);
    assert.doesNotMatch(await read('localhost'), hint);
    await checks.votes(page, one);
    assert.equal(await page.locator('.ratingd-editor-hint').count(), 0);
  },

  async tells_editors(page, one) {
    const hint = page.locator('.ratingd-editor-hint');
    await page.goto(addressOf(one));
    assert.equal(await hint.count(), 0);
    await logIn(page, site.administrator);
    await page.goto(addressOf(one));
    assert.match(await hint.textContent(), /the ID “soup” is not valid/);
    assert.equal(await widget(page, 'stars').count(), 0);
  },

  async lists_ratings(page, one) {
    await page.goto(addressOf(one));
    await rate(page);
    await page.goto(addressOf(one));
    await page.locator('.wp-block-ratingd-mine li').first().waitFor();
  },
};

describe('A widget works where', () => {
  for (const one of site.pages) {
    test(`${one.situation} (${one.name})`, async (t) => {
      const page = await newPage(t);
      if (one.as === 'reader') await logIn(page, 'reader');
      const cookies = [site.url, site.other].map((url) => ({name: 'situation', value: one.name, url}));
      if (one.as === 'somebody') {
        await logIn(page, 'reader');
        const [login] = (await page.context().cookies()).filter(({name}) => name.startsWith('wordpress_logged_in_'));
        cookies.push({...login, value: login.value.slice(0, -1) + 'x'});
      }
      await page.context().addCookies(cookies);
      await checks[one.check || 'votes'](page, one);
    });
  }
});

describe('In Firefox, a widget works where', () => {
  let firefox;
  before(async () => {
    firefox = await puppeteer.launch({browser: 'firefox', executablePath: '/usr/bin/firefox-esr'});
  });
  after(() => firefox.close());

  const inFirefox = ['clobbered-names', 'everything', 'jquery-html', 'module', 'no-address-for-nonces', 'shadow-root',
    'wp-admin-redirect'];
  for (const one of site.pages.filter(({name}) => inFirefox.includes(name))) {
    test(`${one.situation} (${one.name})`, async (t) => {
      const context = await firefox.createBrowserContext();
      t.after(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(20000);
      if (one.as) {
        await page.goto(`${site.url}/wp-login.php`);
        await page.waitForFunction(() => document.activeElement?.id === 'user_login');
        await page.evaluate((login) => {
          for (const id of ['user_login', 'user_pass']) document.getElementById(id).value = login;
        }, one.as);
        await Promise.all([page.waitForNavigation(), page.click('#wp-submit')]);
      }
      await page.setCookie({name: 'situation', value: one.name, url: site.url});
      await page.goto(addressOf(one));
      // Vote with three stars, because earlier tests in Chromium voted with four stars.
      const third = await page.waitForSelector('pierce/[data-template="simple/stars"] [role=radio]:nth-of-type(3)');
      await third.click();
      const said = one.check === 'asks_to_reload' ? /^Reload the page to rate with your account\.$/ : /^Your rating: 3$/;
      const part = one.check === 'asks_to_reload' ? '[data-message]' : '[data-stat=own]';
      const shown = await page.waitForSelector(`pierce/[data-template="simple/stars"] ${part}`);
      await becomes('true', async () => `${said.test(await shown.evaluate((element) => element.textContent))}`, 15);
    });
  }
});

describe('The example of a framework', () => {
  for (const name of ['react', 'vue', 'next']) {
    test(`keeps the widget when it hydrates: ${name}`, async (t) => {
      const page = await newPage(t);
      await open(page, {address: `${site.url}/pages/${name}.html`});
      await page.evaluate(() => void window.hydrate());
      await star(page, 4).click();
      await becomes('Your rating: 4', own(page), 10);
      await page.getByText('1 customers rated this').waitFor();
      assert.deepEqual(await page.evaluate(() => window.errors), []);
      assert.ok(await page.evaluate(() => window.serverElement === document.querySelector('ratingd-rating')));
      await star(page, 2).click();
      await becomes('Your rating: 2', own(page), 10);
    });
  }
});

describe('The rating of an author', () => {
  test('begins at the same edge as the list of posts', async (t) => {
    for (const width of [1280, 360]) {
      const page = await newPage(t, {viewport: {width, height: 800}});
      await page.goto(`${site.url}/author/${site.administrator}/`);
      const left = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().left);
      assert.equal(await left('.ratingd-text'), await left('.wp-block-post-title'));
    }
  });
});

describe('The address for nonces', () => {
  const get = (page, headers = {}, path = '/?ratingd-nonce') => page.request.get(site.url + path, {headers});

  test('answers with the nonce of the user, and with 0 for a visitor', async (t) => {
    const page = await newPage(t);
    assert.equal(await (await get(page)).text(), '0');
    await logIn(page, 'reader');
    for (const headers of [{}, {'Sec-Fetch-Site': 'same-origin'}]) {
      const answer = await get(page, headers);
      assert.equal(answer.status(), 200);
      assert.match(await answer.text(), /^[0-9a-f]{10}$/);
      assert.match(answer.headers()['cache-control'], /no-store/);
      assert.equal(answer.headers()['content-type'], 'text/plain; charset=UTF-8');
      assert.equal(answer.headers()['x-content-type-options'], 'nosniff');
    }
  });

  test('refuses other pages', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'reader');
    for (const from of ['same-site', 'cross-site', 'none']) {
      const answer = await get(page, {'Sec-Fetch-Site': from});
      assert.equal(answer.status(), 403, from);
      assert.equal(await answer.text(), 'Forbidden');
      assert.match(answer.headers()['cache-control'], /no-store/);
    }
  });

  test('is the front page only', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'reader');
    for (const path of ['/style.css?ratingd-nonce', '/nonce-in-page/?ratingd-nonce']) {
      assert.doesNotMatch(await (await get(page, {}, path)).text(), /^[0-9a-f]{10}$/, path);
    }
  });
});
