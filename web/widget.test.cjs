'use strict';

// Tests ratingd-widget.js in Chromium on pages of a WordPress site with ratingd.
// tests/e2e/widget_test.py starts the site, and describes the site in RATINGD_SITE.

const assert = require('node:assert/strict');
const {describe, test} = require('node:test');
const {
  api,
  becomes,
  count,
  isOn,
  logIn,
  message,
  newPage,
  open,
  remover,
  serve,
  site,
  star,
  stat,
  widget,
} = require('./browser.cjs');

describe('Widgets', () => {
  test('of a page load all numbers in one request', async (t) => {
    const page = await newPage(t);
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await open(page, 'visitor');
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('[data-template]').count(), 6);
    assert.equal(requests.filter((url) => url.includes('/stats')).length, 1);
    assert.equal(
      requests.filter((url) => url.includes('/wp-json/') && !url.includes('ratingd/v1')).length,
      0,
    );
  });

  test('take a vote, keep it over a reload, and take it back', async (t) => {
    const page = await newPage(t);
    await open(page, 'visitor');
    await star(page, 4).click();
    await becomes('true', isOn(star(page, 4)));
    await becomes('4.0', stat(page, 'stars', 'average'));
    await becomes('1', stat(page, 'stars', 'total'));
    await becomes('Rating saved.', message(page, 'stars'));
    await open(page, 'visitor');
    await becomes('true', isOn(star(page, 4)));
    await remover(page, 'stars').click();
    await becomes('false', isOn(star(page, 4)));
    await becomes('–', stat(page, 'stars', 'average'));
    await becomes('0', stat(page, 'stars', 'total'));
  });

  test('are toggled in the other categories', async (t) => {
    const page = await newPage(t);
    await open(page, 'visitor');
    const heart = widget(page, 'heart').getByRole('button');
    await heart.click();
    await becomes('true', isOn(heart, 'aria-pressed'));
    await becomes('1', count(page, 'heart', 'positive'));
    const down = widget(page, 'thumbs').getByRole('button', {name: 'Dislike'});
    await down.click();
    await becomes('true', isOn(down, 'aria-pressed'));
    await becomes('-1', count(page, 'thumbs', 'score'));
    await widget(page, 'thumbs').getByRole('button', {name: 'Like', exact: true}).click();
    await becomes('1', count(page, 'thumbs', 'score'));
    await becomes('false', isOn(down, 'aria-pressed'));
  });

  test('of one object move together', async (t) => {
    const page = await newPage(t);
    await open(page, 'together');
    await star(page, 2).click();
    await becomes('true', isOn(star(page, 2, 'dots')));
    await becomes('4.0', stat(page, 'slider', 'average'));
    await becomes('0.4', () => widget(page, 'slider').locator('input').inputValue());
    await widget(page, 'like-dislike').getByRole('button', {name: 'Dislike'}).click();
    await becomes('-1', count(page, 'thumbs', 'score'));
  });

  test('show what was clicked last', async (t) => {
    const page = await newPage(t);
    await open(page, 'together');
    await page.route('**/rate', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    for (const n of [1, 5, 3]) await star(page, n).click();
    await becomes('true', isOn(star(page, 3)));
    await becomes('false', () => widget(page, 'stars').getAttribute('aria-busy'));
    await becomes('true', isOn(star(page, 3)));
  });

  test('are used by keyboard', async (t) => {
    const page = await newPage(t);
    await open(page, 'keyboard');
    await becomes('0', stat(page, 'stars', 'total'));
    await star(page, 1).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await becomes('true', isOn(star(page, 3)));
    // Tab moves the focus to the buttons that change and remove the rating, and then out of the widget.
    for (const name of ['Change', 'Remove your rating']) {
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), name);
    }
    await page.keyboard.press('Tab');
    assert.equal(
      await page.evaluate(() => document.activeElement.closest('[data-template="simple/stars"]')),
      null,
    );
    const slider = widget(page, 'slider').locator('input');
    await becomes('0.6', () => slider.inputValue()); // The vote is stored, so all widgets of this object show it.
    await slider.focus();
    for (let i = 0; i < 4; ++i) await page.keyboard.press('ArrowRight');
    await becomes('0.8', () => widget(page, 'slider').getAttribute('data-user-rating'));
    await becomes('8.0', isOn(slider, 'aria-valuetext'));
  });

  test('with a slider take the value it is clicked at, and take it back', async (t) => {
    const page = await newPage(t);
    await open(page, 'slider');
    await becomes('0', stat(page, 'slider', 'total'));
    const slider = widget(page, 'slider').locator('input');
    const own = () => widget(page, 'slider').getAttribute('data-user-rating');
    const {width, height} = await slider.boundingBox();
    const right = {position: {x: width - 2, y: height / 2}};
    await slider.click(right);
    await becomes('Rating saved.', message(page, 'slider'));
    assert.equal(await own(), '1');
    // A second click at the same position of the slider must not withdraw the rating.
    await slider.click(right);
    await slider.press('Enter');
    assert.equal(await own(), '1');
    await remover(page, 'slider').click();
    await becomes('Rating removed. Undo', message(page, 'slider'));
    assert.equal(await own(), '');
    await becomes('0', () => slider.inputValue());
    // Without a rating, Enter must not confirm the slider's initial value.
    await slider.press('Enter');
    assert.equal(await own(), '');
  });

  test('with a slider show its value while it is dragged', async (t) => {
    const page = await newPage(t);
    await open(page, 'moving');
    const slider = widget(page, 'slider').locator('input');
    await slider.scrollIntoViewIfNeeded(); // The mouse does not leave the window.
    const {x, y, width, height} = await slider.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, {steps: 3});
    assert.equal(await stat(page, 'slider', 'own')(), 'Your rating: 10');
    assert.equal(await slider.getAttribute('aria-valuetext'), '10.0');
    // The slider returns to its initial value, so the browser fires "click" but not "change".
    await page.mouse.move(x + width / 2, y + height / 2, {steps: 3});
    await page.mouse.up();
    await becomes('0.5', () => widget(page, 'slider').getAttribute('data-user-rating'));
    await page.route('**/rate', (route) => route.fulfill({status: 403, json: {code: 'ratingd_disabled', data: {}}}));
    await slider.press('ArrowRight');
    await becomes('Ratings are closed.', message(page, 'slider'));
    await becomes('Your rating: 5', stat(page, 'slider', 'own'));
    assert.equal(await slider.inputValue(), '0.5');
  });

  test('with a slider that is held are not moved by a vote in another tab', async (t) => {
    const page = await newPage(t);
    const other = await page.context().newPage();
    await open(page, 'held');
    await open(other, 'held');
    const slider = widget(page, 'slider').locator('input');
    await slider.scrollIntoViewIfNeeded(); // The mouse does not leave the window.
    const {x, y, width, height} = await slider.boundingBox();
    const move = (to) => page.mouse.move(x + width * to, y + height / 2, {steps: 3});
    await page.bringToFront();
    await move(0.5);
    await page.mouse.down();
    await move(0.98);
    await other.evaluate(() => document.querySelector('[data-template="simple/stars"] [data-value="0.4"]').click());
    await becomes('Your rating: 2', stat(page, 'stars', 'own'));
    assert.equal(await slider.inputValue(), '1');
    assert.equal(await stat(page, 'slider', 'own')(), 'Your rating: 10');
    // The service rejects the vote from this page. The widget then shows the vote that the visitor cast
    // on another page.
    await page.route('**/rate', (route) => route.fulfill({status: 403, json: {code: 'ratingd_disabled', data: {}}}));
    await page.mouse.up();
    await becomes('0.4', () => slider.inputValue());
    await becomes('Your rating: 4', stat(page, 'slider', 'own'));
  });

  test('with a slider are confirmed by Enter after arrow keys', async (t) => {
    const page = await newPage(t);
    await open(page, 'moving');
    const slider = widget(page, 'slider').locator('input');
    const own = () => widget(page, 'slider').getAttribute('data-user-rating');
    await slider.press('End');
    await becomes('1', own);
    await becomes('false', () => widget(page, 'slider').getAttribute('aria-busy'));
    const votes = [];
    page.on('request', (one) => one.url().includes('/rate') && votes.push(one));
    await slider.press('Enter');
    await slider.press('Enter');
    await page.waitForLoadState('networkidle');
    assert.deepEqual(votes, []);
    assert.equal(await own(), '1');
  });

  test('are rid of a rating by a button, and the focus stays in them', async (t) => {
    const page = await newPage(t);
    await open(page, 'moving');
    for (const [slug, choose] of [
      ['dots', () => star(page, 4, 'dots').click()],
      ['slider', () => widget(page, 'slider').locator('input').press('End')],
    ]) {
      const remove = widget(page, slug).getByRole('button', {name: 'Remove your rating'});
      assert.equal(await remove.count(), 0);
      await choose();
      await becomes('Rating saved.', message(page, slug));
      await remove.focus();
      await page.keyboard.press('Enter');
      await becomes('Rating removed. Undo', message(page, slug));
      await becomes('', stat(page, slug, 'own'));
      assert.ok(await widget(page, slug).evaluate((one) => one.contains(document.activeElement)), slug);
    }
  });

  test('say what a click means', async (t) => {
    const page = await newPage(t);
    await open(page, 'moving');
    assert.equal(await star(page, 4).getAttribute('title'), 'Good');
    const heart = widget(page, 'heart').getByRole('button');
    await heart.click();
    await becomes('Remove your rating', () => heart.getAttribute('title'));
  });

  test('move only for those who like it', async (t) => {
    const durations = async (options) => {
      const page = await newPage(t, options);
      await open(page, 'visitor');
      return page.evaluate(() => {
        const inside = [...document.querySelectorAll('[data-template], [data-template] *')];
        return [...new Set(inside.map((one) => getComputedStyle(one).transitionDuration))];
      });
    };
    assert.deepEqual(await durations({reducedMotion: 'reduce'}), ['0s']);
    assert.notDeepEqual(await durations({}), ['0s']);
  });

  test('show what went wrong', async (t) => {
    const page = await newPage(t);
    await open(page, 'failures');
    const refuse = (status, code, data = {}) =>
      page.route(
        '**/rate',
        (route) => route.fulfill({status, json: {code, message: '<b>x</b>', data: {status, ...data}}}),
        {times: status === 503 ? 2 : 1}, // the vote is sent again
      );
    for (const [status, code, words] of [
      [401, 'rest_not_logged_in', 'Log in to rate'],
      [403, 'ratingd_disabled', 'Ratings are closed.'],
      [403, 'ratingd_already_rated', 'You have already rated this.'],
      [429, 'ratingd_cooldown', 'You can change your rating later.'],
      [403, 'rest_forbidden', 'Rating not accepted.'],
      [429, 'ratingd_rate_limited', 'Too many ratings. Try again later.'],
      [503, 'ratingd_unavailable', 'Not saved. Please try again.'],
    ]) {
      await refuse(status, code, {retry_after: 86_399});
      await star(page, 4).click();
      await becomes(words, message(page, 'stars'));
      await becomes('false', isOn(star(page, 4)));
    }
    // Messages describe times in everyday words.
    await page.clock.setFixedTime(new Date(2026, 10, 29, 21, 0));
    for (const [policy, seconds, words] of [
      ['write', 50, 'Too many ratings from your network. Please try again in 1 minute.'],
      ['address', 3599, 'Too many ratings from your network. Please try again in 1 hour.'],
      ['new-voters', 5000, 'Too many ratings from your network. Please try again in 2 hours.'],
      ['cooldown', 61, 'You rated a moment ago. Please try again in 2 minutes.'],
      ['voter', 3600 * 3, 'You have reached the daily limit. Please try again in 3 hours.'],
      ['revote', 86_399, 'You have already rated this. You can change your rating tomorrow.'],
      ['revote', 3600 * 50, 'You have already rated this. You can change your rating in 2 days.'],
      ['novel', 60, 'Too many ratings. Try again later.'],
    ]) {
      await refuse(429, 'ratingd_rate_limited', {policy, retry_after: seconds});
      await star(page, 4).click();
      await becomes(words, message(page, 'stars'));
    }
    await page.context().setOffline(true);
    await star(page, 1).click();
    await becomes('Not saved. Please try again.', message(page, 'stars'));
    await page.context().setOffline(false);
    await star(page, 4).click();
    await becomes('true', isOn(star(page, 4)));
    await becomes('Rating saved.', message(page, 'stars'));
  });

  test('send their numbers to the page', async (t) => {
    const page = await newPage(t);
    await open(page, 'words');
    await page.evaluate(() => {
      window.received = new Promise((resolve) =>
        document.addEventListener('ratingd:updated', ({target, detail}) =>
          resolve([target.dataset.category, detail.stats.scale.average]),
        ),
      );
    });
    await star(page, 5).click();
    await becomes('true', isOn(star(page, 5)));
    assert.equal((await page.evaluate(() => window.received))[1], 1);
  });

  test('know where WordPress is', async (t) => {
    const page = await newPage(t);
    await open(page, 'visitor');
    const script = page.locator('script[src*="ratingd-widget.js"]');
    assert.equal(await script.getAttribute('data-ajax'), '/wp-admin/admin-ajax.php');
  });

  test('come with the block', async (t) => {
    const page = await newPage(t);
    await open(page, 'block');
    const block = widget(page, 'thumbs');
    assert.equal(await block.getAttribute('data-size'), 'large');
    assert.equal(await block.getAttribute('data-object-id'), String(site.posts.block));
    await block.getByRole('button', {name: 'Like', exact: true}).click();
    await becomes('1', count(page, 'thumbs', 'score'));
  });
});

describe('A vote', () => {
  test('is there after Back', async (t) => {
    const page = await newPage(t);
    await open(page, 'back');
    await star(page, 4).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    await page.goto(site.url);
    await page.goBack();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    await becomes('1', stat(page, 'stars', 'total'));
  });

  test('is in the other tabs of the site', async (t) => {
    const page = await newPage(t);
    const other = await page.context().newPage();
    await open(page, 'tabs');
    await open(other, 'tabs');
    await star(page, 2).click();
    await becomes('Your rating: 2', stat(other, 'stars', 'own'));
    await becomes('1', stat(other, 'stars', 'total'));
    await remover(other, 'stars').click();
    await becomes('', stat(page, 'stars', 'own'));
  });

  test('is in a page that comes back as it was left', async (t) => {
    const page = await newPage(t);
    await open(page, 'tabs');
    const asked = page.waitForRequest((one) => one.url().includes('/stats?'));
    await page.evaluate(() => window.dispatchEvent(new window.PageTransitionEvent('pageshow', {persisted: true})));
    await asked;
  });
});

describe('A theme', () => {
  test('adds widgets to its posts', async (t) => {
    const page = await newPage(t);
    await open(page, 'theme');
    const thumbs = widget(page, 'thumbs');
    assert.equal(await thumbs.getAttribute('data-object-id'), String(site.posts.theme));
    await thumbs.getByRole('button', {name: 'Like', exact: true}).click();
    await becomes('1', count(page, 'thumbs', 'score'));
  });

  test('has the widget of each post in its list of posts', async (t) => {
    const page = await newPage(t);
    await open(page, site.url);
    const ids = await widget(page, 'heart').evaluateAll((all) => all.map((one) => one.dataset.objectId));
    for (const id of Object.values(site.posts)) assert.ok(ids.includes(String(id)), id);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('A logged-in user', () => {
  // Casts a vote as a user and checks that the user also sees the vote in another browser.
  async function votesAsUser(t, page, login, post) {
    await star(page, 2).click();
    await becomes('Rating saved.', message(page, 'stars'));
    const other = await newPage(t);
    await logIn(other, login);
    await open(other, post);
    await becomes('true', isOn(star(other, 2)));
    await becomes('1', stat(other, 'stars', 'total'));
  }

  test('votes as such', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'reader');
    await open(page, 'user');
    await votesAsUser(t, page, 'reader', 'user');
  });

  test('votes as such from a page with an old nonce', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'forgotten');
    await page.route('**/stale/', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        /<script (?=[^>]*ratingd-widget\.js)/,
        '<script data-nonce="0123456789" ',
      );
      // Remove the "logged-in" class from the page, as if a cache had stored the page for visitors.
      await route.fulfill({response: answer, body: body.replace('logged-in', '')});
    });
    const renewed = page.waitForResponse((answer) => answer.url().includes('ratingd-nonce'));
    await open(page, 'stale');
    assert.match(await (await renewed).text(), /^\w{10}$/);
    await votesAsUser(t, page, 'forgotten', 'stale');
  });

  test('votes as such from a page that was cached for visitors', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'reader3');
    const cached = await (await fetch(`${site.url}/nonce/`)).text();
    assert.doesNotMatch(cached, /logged-in|data-nonce/);
    await page.route('**/nonce/', (route) => route.fulfill({contentType: 'text/html; charset=UTF-8', body: cached}));
    await open(page, 'nonce');
    await votesAsUser(t, page, 'reader3', 'nonce');
  });

  test('asks once for a nonce that several requests need', async (t) => {
    const page = await newPage(t);
    await logIn(page, 'reader3');
    let asked = 0;
    let read = 0;
    page.on('requestfinished', (request) => {
      if (/ratingd-nonce|admin-ajax/.test(request.url())) ++asked;
      if (request.url().includes('/stats?')) ++read;
    });
    const types = ['post', 'comment', 'user'];
    const place = (type) => `<ratingd-rating object-id="1" object-type="${type}" template="simple/stars"></ratingd-rating>`;
    await page.goto(await serve(page, types.map(place).join('')));
    // The page sends each read request twice: first as a visitor, and then as the user.
    await becomes(2 * types.length, () => read);
    assert.equal(asked, 1);
  });

  test('who has logged out votes as a visitor', async (t) => {
    const page = await newPage(t);
    await page.route('**/failures/', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        /<script (?=[^>]*ratingd-widget\.js)/,
        '<script data-nonce="0123456789" ',
      );
      await route.fulfill({response: answer, body});
    });
    await open(page, 'failures');
    await star(page, 5).click();
    await becomes('true', isOn(star(page, 5)));
  });
});

describe('A cached page', () => {
  test('shows the numbers of now in the markup that it has', async (t) => {
    const page = await newPage(t);
    const id = 4711;
    const preview = await (
      await page.request.post(api + '/preview', {data: {template: 'simple/stars', object_id: id}})
    ).json();
    assert.equal(preview.sample, true);
    await open(page, await serve(page, preview.html));
    await becomes('–', stat(page, 'stars', 'average'));
    await star(page, 3).click();
    await becomes('3.0', stat(page, 'stars', 'average'));
    const later = await (
      await page.request.post(api + '/preview', {data: {template: 'simple/stars', object_id: id}})
    ).json();
    assert.match(later.html, />3\.0</);
  });

  test('has the same markup, built by the script and from the preview', async (t) => {
    const page = await newPage(t);
    const slugs = ['heart', 'thumbs', 'like-dislike', 'stars', 'dots', 'slider', 'distribution'];
    const bodies = await Promise.all(
      slugs.map(async (slug) => {
        const data = {template: 'simple/' + slug, object_id: 4714};
        const {html} = await (await page.request.post(api + '/preview', {data})).json();
        return `${html}<div data-ratingd data-object-id="4714" data-template="simple/${slug}"></div>`;
      }),
    );
    await open(page, await serve(page, bodies.join('')));
    await page.waitForLoadState('networkidle');
    for (const slug of slugs) {
      const [ours, built] = await widget(page, slug).evaluateAll((found) =>
        found.map((one) => {
          const names = one.getAttributeNames().sort();
          // Ignore the initial value of a slider, because the script changes it. Also ignore white space, because the
          // templates in the script contain less white space than the server's HTML.
          const inside = one.innerHTML.replace(/ value="[^"]*"/, '').replace(/\s+/g, ' ');
          return [names.map((name) => [name, one.getAttribute(name)]), inside];
        }),
      );
      assert.deepEqual(built, ours, slug);
    }
  });

  test('gets widgets later, too', async (t) => {
    const page = await newPage(t);
    await page.goto(await serve(page, ''));
    await page.evaluate(() => {
      document.body.insertAdjacentHTML(
        'beforeend',
        '<p><span data-ratingd data-object-id="4712" data-category="binary" class="mine" lang="de"></span></p>',
      );
      return window.ratingd.scan();
    });
    assert.equal(await count(page, 'heart', 'positive')(), '0');
    assert.match(await widget(page, 'heart').getAttribute('class'), /mine/);
  });

  test('has its own language, from right to left', async (t) => {
    const page = await newPage(t);
    const place =
      '<div data-ratingd data-object-id="4713" data-template="simple/stars" data-label-step="{n} من 5" data-label-saved="شكرا"></div>';
    await open(page, await serve(page, place, 'dir="rtl"'));
    assert.equal(await star(page, 2).getAttribute('aria-label'), '2 من 5');
    await star(page, 1).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await becomes('true', isOn(star(page, 2)));
    await becomes('شكرا', message(page, 'stars'));
    const [first, last] = [await star(page, 1).boundingBox(), await star(page, 5).boundingBox()];
    assert.ok(first.x > last.x);
  });

  test('cannot be made to run what its attributes hold', async (t) => {
    const page = await newPage(t);
    const probe =
      '&quot;&gt;&lt;img src=x onerror=&quot;window.ran=1&quot;&gt;&lt;script&gt;window.ran=1&lt;/script&gt;{{TOTAL}}';
    const names = [
      'object-type',
      'size',
      'color-scheme',
      'counts',
      'label-rating',
      'label-like',
      'label-votes',
      'label-step',
      'schema',
      'message',
      'user-rating',
      'tenths',
    ];
    const attributes = names.map((name) => `data-${name}="${probe}"`).join(' ');
    const places = ['heart', 'thumbs', 'like-dislike', 'stars', 'dots', 'slider'].map(
      (slug) =>
        `<div data-ratingd data-object-id="1" data-template="simple/${slug}" ${attributes}></div>`,
    );
    const odd = ['&lt;script&gt;', 'javascript:alert(1)', '../../x', probe].map(
      (value) =>
        `<div data-ratingd data-object-id="1" data-template="${value}"></div>` +
        `<div data-ratingd data-object-id="1" data-category="${value}"></div>` +
        `<div data-ratingd data-object-id="${value}" data-category="binary"></div>`,
    );
    await page.goto(await serve(page, places.join('') + odd.join('')));
    await page.waitForLoadState('networkidle');
    assert.equal(await page.locator('.ratingd').count(), 6);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.evaluate(() => window.ran), undefined);
  });

  test('gets templates from nowhere else', async (t) => {
    const page = await newPage(t);
    const seen = [];
    // Serve a template from a file that an author may have uploaded to the site.
    await page.route('**/upload.txt*', (route) => {
      seen.push(route.request().url());
      return route.fulfill({json: {data: {html: '<img src=x onerror=window.ran=1>', css: '', slug: 'a/b'}}});
    });
    const up = ['../../../../', '..\\..\\..\\..\\', '%2e%2e/%2E%2E/.%2e/../', '.\t./../../../', '/../../../../'];
    const slugs = up.flatMap((way) => [way + 'upload.txt', 'a/' + way + '../upload.txt?']);
    const places = slugs.map((slug) => `<div data-ratingd data-object-id="1" data-template="${slug}"></div>`);
    await page.goto(await serve(page, places.join('')));
    await page.waitForLoadState('networkidle');
    assert.deepEqual(seen, []);
    assert.equal(await page.evaluate(() => window.ran), undefined);
  });

  test('cannot put something else in the place of the script', async (t) => {
    const page = await newPage(t);
    const seen = [];
    await page.route('https://evil.example/**', (route) => {
      seen.push(new URL(route.request().url()).pathname);
      return route.fulfill({status: 404});
    });
    const place = '<div data-ratingd data-object-id="1" data-category="binary"></div>';
    await open(
      page,
      await serve(page, '<img name="currentScript" src="https://evil.example/v1/x.js">' + place),
    );
    await becomes('0', count(page, 'heart', 'positive'));
    assert.deepEqual(seen, ['/v1/x.js']);
  });

  test('shows its widgets beside elements that are similar', async (t) => {
    const page = await newPage(t);
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const odd = names.flatMap((name) => [
      `<div data-ratingd data-object-id="1" data-object-type="${name}" data-category="binary"></div>`,
      `<div data-ratingd data-object-id="1" data-template="${name}"></div>`,
      `<div data-object-id="1" data-category="${name}" data-template="a/b"><b data-stat="total">?</b></div>`,
    ]);
    const place = '<div data-ratingd data-object-id="1" data-template="simple/thumbs"></div>';
    await open(page, await serve(page, odd.join('') + place));
    await becomes('0', count(page, 'thumbs', 'score'));
    await widget(page, 'thumbs').getByRole('button', {name: 'Like', exact: true}).click();
    await becomes('1', count(page, 'thumbs', 'score'));
  });

  test('inserts previews that hold nothing to run', async (t) => {
    const page = await newPage(t);
    await page.goto(await serve(page, ''));
    const probe = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>';
    for (const name of [
      'category',
      'template',
      'object_id',
      'object_type',
      'size',
      'dark_mode',
      'show_counts',
    ]) {
      const answer = await page.request.post(api + '/preview', {data: {[name]: probe}});
      assert.ok([400, 404].includes(answer.status()), name);
      await page.evaluate(
        (text) => {
          document.body.innerHTML += `<iframe srcdoc="${text.replaceAll('"', '&quot;')}"></iframe>`;
        },
        await answer.text(),
      );
    }
    assert.equal(await page.evaluate(() => window.ran), undefined);
  });
});
