'use strict';

// Tests <ratingd-rating> on pages that change without reloading and on pages with strict security policies. Also tests
// the element's texts and its JSON-LD for search engines. tests/e2e/widget_test.py starts the site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {describe, test} = require('node:test');
const {
  api,
  becomes,
  count,
  message,
  newPage,
  open,
  ownOf,
  pictures,
  quiet,
  remover,
  serve,
  serveWith,
  site,
  star,
  stat,
  widget,
} = require('./browser.cjs');

const rating = (id, slug, attributes = '') =>
  `<ratingd-rating object-id="${id}" template="simple/${slug}" ${attributes}></ratingd-rating>`;

// With the rule "display: block", which the plugin also uses, messages fit next to their widgets.
const blocks = '<style>ratingd-rating { display: block }</style>';

// Returns the API requests sent by the page while "run" executes.
async function requestsOf(page, run) {
  const seen = [];
  const note = (request) => request.url().startsWith(api) && seen.push(request.url().slice(api.length));
  page.on('request', note);
  await run();
  await page.waitForLoadState('networkidle');
  // The script builds widgets for inserted elements in the next event-loop task.
  await page.evaluate(() => new Promise((resolve) => setTimeout(() => setTimeout(resolve))));
  page.off('request', note);
  return seen;
}

// Sends a vote as a visitor to the page. The vote may have a value that no widget can send. Returns the
// status.
const rate = (page, vote) =>
  page.evaluate(
    async ([address, body]) => {
      const headers = {'Content-Type': 'application/json'};
      return (await fetch(address, {method: 'POST', headers, body: JSON.stringify(body)})).status;
    },
    [api + '/rate', vote],
  );

// Delays requests to an address until the returned function is called.
async function hold(page, address, answer = (route) => route.continue()) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(address, async (route) => {
    await released;
    await answer(route);
  });
  return release;
}

// Calls "how" to change the page, and waits until the page has received new numbers.
async function change(page, how, argument) {
  const loaded = page.waitForResponse((answer) => answer.url().includes('/stats?'));
  await page.evaluate(how, argument);
  await loaded;
}

describe('An element', () => {
  test('needs one request for all numbers of a page, and one script for templates other than stars', async (t) => {
    const page = await newPage(t);
    const old = '<div data-ratingd data-object-id="6150" data-template="simple/heart"></div>';
    for (const [slugs, more, files] of [
      [['stars', 'stars'], '', []],
      [['heart', 'thumbs', 'stars'], old, ['/ratingd-more-templates.js']],
    ]) {
      const body = slugs.map((slug, i) => rating(6100 + i, slug)).join('');
      const address = await serve(page, body + more);
      const seen = await requestsOf(page, () => open(page, address));
      assert.deepEqual(seen.map((one) => one.split('?')[0]).sort(), [...files, '/ratingd-widget.js', '/stats']);
      await becomes(slugs.length, () => page.locator('ratingd-rating > .ratingd').count());
      assert.equal(await page.locator('.ratingd').count(), slugs.length + (more ? 1 : 0));
    }
  });

  test('sends its event once when the page is loaded', async (t) => {
    const page = await newPage(t);
    await page.addInitScript(() => {
      window.updates = [];
      document.addEventListener('ratingd:updated', ({target}) => window.updates.push(target.dataset.objectId));
    });
    const built = (id) => `<div data-object-id="${id}" data-category="binary" data-template="a/b"></div>`;
    const body = rating(6160, 'heart') + built(6161) + rating(6162, 'stars');
    const address = await serve(page, body);
    await requestsOf(page, () => open(page, address));
    await becomes(3, () => page.locator('[role=status]').count());
    assert.deepEqual((await page.evaluate(() => window.updates)).sort(), ['6160', '6161', '6162']);
  });

  test('appears without its numbers if they take long', async (t) => {
    const page = await newPage(t);
    const answer = await hold(page, '**/stats?*');
    await page.goto(await serve(page, rating(6170, 'heart') + rating(6170, 'stars')));
    await becomes('', count(page, 'heart', 'positive'));
    assert.equal(await stat(page, 'stars', 'average')(), '');
    answer();
    await becomes('0', count(page, 'heart', 'positive'));
    await becomes('–', stat(page, 'stars', 'average'));
  });

  test('works wherever and however a page inserts it', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, `<main>${rating(6001, 'heart')}</main>`));
    const seen = await requestsOf(page, () =>
      page.evaluate(async () => {
        const main = document.querySelector('main');
        // Insert elements in different ways: with attributes set before or after insertion, as HTML, and
        // as a clone.
        const first = document.createElement('ratingd-rating');
        first.setAttribute('object-id', '6002');
        first.setAttribute('template', 'simple/stars');
        main.append(first);
        const second = main.appendChild(document.createElement('ratingd-rating'));
        await Promise.resolve();
        second.setAttribute('template', 'simple/thumbs');
        await Promise.resolve();
        second.setAttribute('object-id', '6003');
        main.insertAdjacentHTML('beforeend', '<ratingd-rating object-id="6004" template="simple/dots"></ratingd-rating>');
        const clone = main.firstElementChild.cloneNode(true);
        clone.setAttribute('object-id', '6005');
        main.append(clone);
        main.insertAdjacentHTML(
          'beforeend',
          '<ratingd-rating object-id="6006" object-type="product" template="simple/heart"></ratingd-rating>',
        );
      }),
    );
    // For changes in the same event-loop task, the script sends one request per object type.
    assert.deepEqual(seen.filter((one) => !one.includes('.js')).sort(), [
      '/stats?_method=GET&object_type=post&object_ids=6002%2C6003%2C6004%2C6005',
      '/stats?_method=GET&object_type=product&object_ids=6006',
    ]);
    await becomes(6, () => page.locator('ratingd-rating > .ratingd').count());
    const ids = await page.locator('ratingd-rating > .ratingd').evaluateAll((all) => all.map((one) => one.dataset.objectId));
    assert.deepEqual(ids, ['6001', '6002', '6003', '6004', '6005', '6006']);
    await star(page, 2).click();
    await becomes('true', () => star(page, 2).getAttribute('aria-checked'));
    const clone = page.locator('[object-id="6005"] button');
    await clone.click();
    await becomes('true', () => clone.getAttribute('aria-pressed'));
    assert.equal(await page.locator('[object-id="6001"] button').getAttribute('aria-pressed'), 'false');
  });

  test('follows its attributes', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6010, 'stars') + rating(6011, 'heart')));
    await star(page, 4).click();
    await becomes('4.0', stat(page, 'stars', 'average'));
    await change(page, () => {
      const element = document.querySelector('ratingd-rating');
      element.setAttribute('template', 'simple/dots');
      element.setAttribute('size', 'large');
      element.setAttribute('label-rating', 'Soup');
    });
    await becomes('4.0', stat(page, 'dots', 'average'));
    assert.equal(await widget(page, 'dots').getAttribute('data-size'), 'large');
    assert.equal(await widget(page, 'dots').getAttribute('aria-label'), 'Soup');
    await change(page, () => document.querySelector('ratingd-rating').setAttribute('object-id', '6012'));
    await becomes('–', stat(page, 'dots', 'average'));
    // Changes to unrelated attributes must not cause a new widget or a request.
    const built = await widget(page, 'dots').elementHandle();
    const seen = await requestsOf(page, () =>
      page.evaluate(() => (document.querySelector('ratingd-rating').className = 'other')),
    );
    assert.deepEqual(seen, []);
    assert.ok(await built.evaluate((one) => one.isConnected));
  });

  test('stays as it is when it moves', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6020, 'stars') + '<aside></aside>'));
    await star(page, 3).click();
    await becomes('Rating saved.', message(page, 'stars'));
    const seen = await requestsOf(page, () =>
      page.evaluate(() => document.querySelector('aside').append(document.querySelector('ratingd-rating'))),
    );
    assert.deepEqual(seen, []);
    assert.equal(await message(page, 'stars')(), 'Rating saved.');
    await star(page, 5).click();
    await becomes('5.0', stat(page, 'stars', 'average'));
    await becomes('1', stat(page, 'stars', 'total'));
  });

  test('comes back when a page replaces or empties what is in it', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, `<main>${rating(6030, 'heart')}</main>`));
    const button = page.locator('main button');
    await button.click();
    await becomes('true', () => button.getAttribute('aria-pressed'));
    // Replace the HTML of an element in the same way as htmx.
    await change(page, () => {
      const main = document.querySelector('main');
      main.innerHTML = main.innerHTML.replace(/<div.*<\/div>/, '');
    });
    await becomes('true', () => button.getAttribute('aria-pressed'));
    // Frameworks that hydrate the server's HTML may remove the children of an element.
    await change(page, () => document.querySelector('ratingd-rating').replaceChildren());
    await becomes('true', () => button.getAttribute('aria-pressed'));
    await button.click();
    await becomes('false', () => button.getAttribute('aria-pressed'));
    assert.equal(await page.locator('.ratingd').count(), 1);
  });

  test('does not mind a second copy of the script', async (t) => {
    const page = await newPage(t);
    const second = `<a id="ratingd"></a><script src="${api}/ratingd-widget.js?again"></script>`;
    await open(page, await serve(page, rating(6040, 'thumbs') + second));
    await page.waitForLoadState('networkidle');
    const votes = [];
    page.on('request', (request) => request.url().endsWith('/rate') && votes.push(request));
    await widget(page, 'thumbs').getByRole('button', {name: 'Like', exact: true}).click();
    await becomes('1', () => widget(page, 'thumbs').locator('[data-count]').textContent());
    assert.equal(votes.length, 1);
  });

  test('leaves nothing behind when it comes and goes 1,000 times', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6050, 'stars') + '<main></main>'));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const comeAndGo = (times) =>
      page.evaluate(async (n) => {
        const main = document.querySelector('main');
        const template = ['stars', 'heart', 'slider', 'thumbs'];
        const come = (i) => {
          const element = document.createElement('ratingd-rating');
          element.setAttribute('object-id', String(7000 + (i % 50)));
          element.setAttribute('template', 'simple/' + template[i % 4]);
          element.setAttribute('schema', 'Recipe');
          main.append(element);
          return new Promise((resolve) => element.addEventListener('ratingd:updated', resolve, {once: true}));
        };
        for (let i = 0; i < n; i += 10) {
          await Promise.all(Array.from({length: 10}, (_, more) => come(i + more)));
          main.replaceChildren();
        }
      }, times);
    const measure = async () => {
      await session.send('HeapProfiler.collectGarbage');
      await session.send('HeapProfiler.collectGarbage');
      const {metrics} = await session.send('Performance.getMetrics');
      const {Nodes, JSEventListeners, JSHeapUsedSize} = Object.fromEntries(metrics.map((one) => [one.name, one.value]));
      return {Nodes, JSEventListeners, JSHeapUsedSize};
    };
    // Memory may grow a little, because the browser may not have freed the last element yet.
    const limits = {Nodes: 100, JSEventListeners: 10, JSHeapUsedSize: 200e3};
    await comeAndGo(50);
    const before = await measure();
    await comeAndGo(1000);
    // Repeat the measurement, because the script may still be building the last element.
    await becomes('', async () => {
      const after = await measure();
      const grown = Object.keys(limits).filter((name) => after[name] - before[name] >= limits[name]);
      return grown.map((name) => `${name}: ${before[name]} -> ${after[name]}`).join();
    });
  });
});

// Creates a template as stored by version 0.1, which added the CSS rules for messages to each template.
const ownTemplate = (slug, css, html = '') => {
  const root =
    'data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" data-category="{{CATEGORY}}" ' +
    'data-template="{{TEMPLATE}}" data-user-rating="{{USER_RATING}}"';
  const button = '<button type="button" data-value="1" aria-pressed="false">+</button>';
  const given = {[slug]: {category: 'binary', html: `<div ${root}>${button}${html}</div>`, css}};
  return `<script>window.ratingdTemplates = ${JSON.stringify(given)}</script>`;
};
const ownRating = (id, slug) => `<ratingd-rating object-id="${id}" template="${slug}"></ratingd-rating>`;

describe('A template of the site', () => {
  const scope = '[data-template="mine/old"]';
  const css = `${scope} { display: inline-flex }
    ${scope} [data-message="done"] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
    ${scope} [data-message="error"] { flex-basis: 100%; color: red }
    ${scope} [data-message]:empty { position: absolute }`;

  test('of version 0.1 shows failures in its box, and success to screen readers', async (t) => {
    const page = await newPage(t);
    const before = blocks + ownTemplate('mine/old', css) + '<p style="height: 5em">Before.</p>';
    const body = `${before}${ownRating(6410, 'mine/old')}<p id="after">Behind.</p>`;
    await open(page, await serve(page, body));
    const place = () => page.locator('#after').evaluate((one) => one.getBoundingClientRect().top);
    const was = await place();
    const status = page.locator('[data-template]').getByRole('status');
    const button = page.getByRole('button', {name: '+'});
    await button.click();
    await becomes('Rating saved.', () => status.textContent());
    assert.ok((await status.boundingBox()).width <= 2);
    assert.equal(await place(), was);
    await page.route('**/rate?*', (route) => route.fulfill({status: 403, json: {code: 'ratingd_disabled', data: {}}}));
    await quiet(page);
    await button.click();
    await becomes('Ratings are closed.', () => status.textContent());
    const [shown, box] = [await status.boundingBox(), await page.locator('[data-template]').boundingBox()];
    assert.ok(shown.width > 50);
    assert.ok(shown.x >= box.x && shown.x + shown.width <= box.x + box.width);
    assert.ok(shown.y >= box.y && shown.y + shown.height <= box.y + box.height);
    assert.equal(await status.evaluate((one) => getComputedStyle(one).color), 'rgb(255, 255, 255)');
  });

  // Without a box around the widget, each of the following CSS rules would cover the text above the
  // widget.
  for (const evil of [
    '& .x { position: absolute; inset: -99vh -99vw; width: 100vw; height: 200vh; background: red }',
    '& .x { margin: -40em; padding: 40em; background: red }',
    '& button { transform: scale(1000); background: red }',
    '& { box-shadow: 0 0 0 60em red }',
    '& { outline: 60em solid red !important }',
    '& { filter: drop-shadow(0 -9em 0 red) !important; background: red }',
    '& { position: absolute !important; inset: 0 !important; width: 100vw; height: 100vh; background: red }',
    '& { transform: scale(1000) !important; translate: 0 -9em !important; background: red }',
    '& { margin: -40em 0 0 !important; height: 60em; background: red }',
    '& { contain: none !important; overflow: visible !important } & .x { position: absolute; inset: -99vh; background: red }',
    '& { display: contents } & .x { position: absolute; inset: -99vh; width: 99vw; background: red }',
    '& { all: unset } & .x { position: absolute; inset: -99vh; width: 99vw; background: red }',
    '& { border: 60em solid red; margin: -60em !important }',
    '& { offset: path("M 0 0 L 0 -200") 100% !important; background: red; padding: 9em }',
  ]) {
    test(`covers nothing by ${evil}`, async (t) => {
      const page = await newPage(t);
      const template = ownTemplate('mine/evil', evil.replaceAll('&', '[data-template="mine/evil"]'), '<span class="x"></span>');
      const body = `${template}<p id="before" style="margin: 9em 0 6em">Before.</p>${ownRating(6415, 'mine/evil')}`;
      const address = await serve(page, body);
      const paragraph = page.locator('#before');
      await page.goto(address);
      await page.locator('ratingd-rating').evaluate((one) => one.remove());
      const alone = await paragraph.screenshot();
      await open(page, address);
      assert.ok(alone.equals(await paragraph.screenshot()));
      const top = () => {
        const {left, top: y} = document.querySelector('#before').getBoundingClientRect();
        return document.elementFromPoint(left + 5, y + 5).id;
      };
      assert.equal(await page.evaluate(top), 'before');
    });
  }

  test('may have any text in its CSS', async (t) => {
    const page = await newPage(t);
    const text = '[data-template="mine/text"] button::after { content: "Q & A" }';
    await open(page, await serve(page, ownTemplate('mine/text', text) + ownRating(6411, 'mine/text')));
    const content = await page.locator('button').evaluate((one) => getComputedStyle(one, '::after').content);
    assert.equal(content, '"Q & A"');
  });
});

describe('The function scan', () => {
  test('may be passed to promises and lists', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6412, 'heart')));
    const insert = () =>
      document.body.insertAdjacentHTML('beforeend', '<p><b data-ratingd data-object-id="6413" data-template="simple/heart"></b></p>');
    await change(page, `(${insert})(), Promise.resolve().then(ratingd.scan)`);
    await becomes(2, () => widget(page, 'heart').count());
    await change(page, `(${insert})(), document.querySelectorAll('p').forEach(ratingd.scan)`);
    await becomes(3, () => widget(page, 'heart').count());
  });
});

describe('A page with a strict policy', () => {
  const policy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "require-trusted-types-for 'script'; trusted-types ratingd";

  test('has working widgets', async (t) => {
    const page = await newPage(t);
    await page.addInitScript(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        window.violations.push([event.violatedDirective, event.sample, event.sourceFile, event.lineNumber]),
      );
    });
    const slugs = ['heart', 'like-dislike', 'thumbs', 'dots', 'slider', 'distribution'];
    const body = slugs.map((slug) => rating(6200, slug)).join('') + rating(6201, 'stars', 'schema="Recipe"');
    // A second copy of the script must not create the Trusted Types policy "ratingd" again.
    const scripts = ['ratingd-words-de.js', 'ratingd-widget.js?again'];
    const tags = scripts.map((name) => `<script src="${api}/${name}"></script>`).join('');
    await open(page, await serveWith(page, {body: tags + body, headers: {'Content-Security-Policy': policy}}));
    await star(page, 4).click();
    await becomes('Ihre Bewertung: 4', stat(page, 'stars', 'own'));
    await becomes(1, () => page.locator('script[type="application/ld+json"]').count());
    // The page's security policy must not block the widgets' style sheets.
    assert.equal(await widget(page, 'heart').evaluate((one) => getComputedStyle(one).display), 'inline-flex');
    assert.equal(await page.locator('.ratingd').count(), 7);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    // Check that the browser enforces Trusted Types.
    await page.evaluate(() => {
      try {
        document.createElement('div').innerHTML = '<b>x</b>';
      } catch {
        window.refused = true;
      }
    });
    assert.equal(await page.evaluate(() => window.refused), true);
  });

  test('that lists other names only, and requires none, has working widgets', async (t) => {
    const page = await newPage(t);
    const headers = {'Content-Security-Policy': "script-src 'self'; trusted-types dompurify"};
    await open(page, await serveWith(page, {body: rating(6202, 'stars') + rating(6202, 'heart'), headers}));
    await star(page, 4).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    assert.equal(await page.locator('.ratingd').count(), 2);
  });
});

describe('Words', () => {
  const german = `<script src="${api}/ratingd-words-de.js"></script>`;

  test('come in German from a file', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, german + rating(6300, 'stars') + rating(6300, 'like-dislike'), '', 'de'));
    await star(page, 4).click();
    await becomes('Ihre Bewertung: 4', stat(page, 'stars', 'own'));
    await becomes('4,0', stat(page, 'stars', 'average'));
    await becomes('Stimme', stat(page, 'stars', 'votes'));
    assert.equal(await star(page, 2).getAttribute('aria-label'), '2 von 5');
    await becomes('Bewertung gespeichert.', message(page, 'stars'));
    await widget(page, 'like-dislike').getByRole('button', {name: 'Gefällt mir nicht'}).click();
    await becomes('Ihre Bewertung: Gefällt mir nicht', stat(page, 'like-dislike', 'own'));
  });

  test('are all in the file', async () => {
    const text = await (await fetch(api + '/ratingd-words-de.js')).text();
    const words = new Function('window', text + 'return window.ratingdWords')({});
    const namesIn = (file, start) => {
      const source = fs.readFileSync(path.join(__dirname, 'widget', file), 'utf8');
      const [, english] = new RegExp(`^${start} = (\\{.*?^\\});$`, 'ms').exec(source);
      return Object.keys(new Function(`return ${english}`)());
    };
    const names = [
      ...namesIn('words.js', 'export const words'),
      ...namesIn('more-stars.js', 'const starWords'),
      'overall', 'save', 'unsaved', // from criteria.js, which makes the English words from their names
      ...namesIn('reason.js', 'const words'),
      ...namesIn('refused.js', 'const words'),
    ];
    assert.ok(names.length >= 15, names.join());
    assert.deepEqual(Object.keys(words).sort(), names.sort());
  });

  test('of the site come first', async (t) => {
    const page = await newPage(t);
    const own = '<script>window.ratingdWords = {saved: "Danke!", votes: "Meinungen"}</script>';
    await open(page, await serve(page, own + german + rating(6301, 'stars'), '', 'de'));
    await star(page, 4).click();
    await becomes('Danke!', message(page, 'stars'));
    await becomes('Meinungen', stat(page, 'stars', 'votes'));
    assert.equal(await star(page, 2).getAttribute('aria-label'), '2 von 5');
  });
});

describe('A visitor', () => {
  test('goes to the first and the last star by Home and End', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6400, 'stars')));
    const focused = () => page.evaluate(() => document.activeElement.dataset.value);
    await star(page, 1).focus();
    await page.keyboard.press('End');
    assert.equal(await focused(), '1.0');
    await page.keyboard.press('Home');
    assert.equal(await focused(), '0.2');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await focused(), '1.0');
    await page.keyboard.press('Enter');
    await becomes('5.0', stat(page, 'stars', 'average'));
  });

  test('has the keys of the browser in a widget, too', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6415, 'stars')));
    await star(page, 3).focus();
    // Collects the keys whose default action the widget prevents.
    const taken = await page.evaluate(() => {
      const press = (key, init) =>
        !document.activeElement.dispatchEvent(
          new window.KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...init}),
        );
      const keys = [['End', {ctrlKey: true}], ['ArrowLeft', {altKey: true}], ['ArrowLeft', {metaKey: true}], ['ArrowLeft']];
      return keys.map(([key, init]) => press(key, init));
    });
    assert.deepEqual(taken, [false, false, false, true]);
    await becomes('2 of 5', () => page.evaluate(() => document.activeElement.ariaLabel));
  });

  test('reads the own rating as text', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, rating(6401, 'heart') + rating(6401, 'thumbs')));
    const own = (slug) => stat(page, slug, 'own');
    assert.equal(await own('heart')(), '');
    await widget(page, 'heart').getByRole('button').click();
    await becomes('Your rating: Like', own('heart'));
    await widget(page, 'thumbs').getByRole('button', {name: 'Dislike'}).click();
    await becomes('Your rating: Dislike', own('thumbs'));
    await becomes('-1', count(page, 'thumbs', 'score'));
    await quiet(page);
    await widget(page, 'thumbs').getByRole('button', {name: 'Dislike'}).click();
    await becomes('', own('thumbs'));
  });

  test('who is neutral neither likes nor dislikes', async (t) => {
    const page = await newPage(t);
    const address = await serve(page, rating(6404, 'thumbs'));
    await open(page, address);
    assert.equal(await rate(page, {object_id: 6404, category: 'bipolar', value: 0}), 200);
    await open(page, address);
    await becomes('0', () => widget(page, 'thumbs').getAttribute('data-user-rating'));
    assert.equal(await stat(page, 'thumbs', 'own')(), '');
  });

  test('is told that the rating is saved, and nothing moves', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, `${blocks}<p>Before.</p>${rating(6402, 'heart')}<p id="after">Behind.</p>`));
    const place = () => page.locator('#after').evaluate((one) => one.getBoundingClientRect().top);
    const was = await place();
    await widget(page, 'heart').getByRole('button').click();
    await becomes('Rating saved.', message(page, 'heart'));
    // The message is only for screen readers, because the heart itself shows the new rating.
    const {width} = await widget(page, 'heart').locator('[data-message]').boundingBox();
    assert.ok(width <= 2, width);
    assert.equal(await place(), was);
    assert.equal(await widget(page, 'heart').getByRole('status').textContent(), 'Rating saved.');
  });

  test('sees an error that covers nothing, at a distance from the figures', async (t) => {
    for (const width of [360, 1000]) {
      const page = await newPage(t, {viewport: {width, height: 640}});
      const line = '<meta name="viewport" content="width=device-width"><p id="before">Before.</p>';
      const slugs = ['stars', 'heart', 'thumbs', 'like-dislike', 'dots', 'slider'];
      const body = slugs.map((slug) => rating(6409, slug)).join('<p>Between.</p>') + '<p>Behind.</p>';
      await page.route('**/rate*', (route) => route.fulfill({status: 403, json: {code: 'ratingd_disabled', data: {}}}));
      await open(page, await serve(page, blocks + line + body));
      for (const slug of slugs) {
        const status = widget(page, slug).getByRole('status');
        if (slug === 'slider') await widget(page, slug).locator('input').press('End');
        else await widget(page, slug).locator('button').first().click();
        await becomes('failed', () => status.getAttribute('data-message'));
        const covered = await status.evaluate((one) => {
          const box = one.getBoundingClientRect();
          const far = 4; // pixels
          const others = [...document.querySelectorAll('p, button[data-value], input, [data-stat], [data-count]')];
          const isNear = ({left, right, top, bottom, width: wide}) =>
            wide > 1 && left < box.right + far && right > box.left - far && top < box.bottom && bottom > box.top;
          const near = others.filter((other) => isNear(other.getBoundingClientRect()));
          const isInside = box.left >= 0 && box.right <= window.innerWidth && box.width > 50;
          return [isInside, ...near.map((other) => other.outerHTML)].join();
        });
        assert.equal(covered, 'true', `${slug} at ${width}`);
      }
    }
  });

  test('sees an error until the next action, and the page does not move', async (t) => {
    const page = await newPage(t, {viewport: {width: 360, height: 640}});
    const json = {code: 'ratingd_rate_limited', message: '', data: {retry_after: 7}};
    const answer = await hold(page, '**/rate', (route) => route.fulfill({status: 429, json}));
    // The CSS that reserves the height is copied from docs/widgets.md.
    const css = '<style>ratingd-rating { display: block; min-height: 2.2rem } [template="simple/stars"] { min-height: 4rem }</style>';
    const text = `<meta name="viewport" content="width=device-width">${css}<p>Before.</p>`;
    const end = '<div style="text-align: end"><ratingd-rating object-id="6406" template="simple/heart"></ratingd-rating></div>';
    await open(page, await serve(page, `${text}${rating(6405, 'stars')}<p>Between.</p>${end}<p>Behind.</p>`));
    await star(page, 4).click();
    await widget(page, 'heart').getByRole('button').click();
    const places = () => page.locator('p').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top).join());
    const before = await places();
    answer();
    const error = 'Too many ratings. Try again later.';
    await becomes(error, message(page, 'stars'));
    await becomes(error, message(page, 'heart'));
    if (pictures) await page.screenshot({path: path.join(pictures, 'error-360.png')});
    assert.equal(await places(), before);
    const kind = (slug) => () => widget(page, slug).getByRole('status').getAttribute('data-message');
    assert.deepEqual([await kind('stars')(), await kind('heart')()], ['failed', 'failed']);
    for (const slug of ['stars', 'heart']) {
      const {x, width} = await widget(page, slug).getByRole('status').boundingBox();
      assert.ok(width > 50 && x >= 0 && x + width <= 360, `${slug}: ${x} ${width}`);
    }
    await page.getByText('Behind.').click();
    assert.deepEqual([await kind('stars')(), await kind('heart')()], ['', '']);
    assert.equal(await message(page, 'stars')(), error);
  });

  test('ends an error by a key', async (t) => {
    const page = await newPage(t);
    await page.route('**/rate', (route) => route.fulfill({status: 403, json: {code: 'ratingd_disabled', data: {}}}));
    await open(page, await serve(page, blocks + rating(6407, 'heart') + '<b data-message="failed">Of the page</b>'));
    const kind = () => widget(page, 'heart').getByRole('status').getAttribute('data-message');
    await widget(page, 'heart').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await becomes('failed', kind);
    await page.keyboard.press('Escape');
    await becomes('', kind);
    assert.equal(await page.locator('b').getAttribute('data-message'), 'failed');
    await page.unroute('**/rate');
    await quiet(page);
    await widget(page, 'heart').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await becomes('Rating saved.', message(page, 'heart'));
  });

  test('sees the newest numbers in a widget that is late', async (t) => {
    const page = await newPage(t);
    const answer = await hold(page, '**/templates?*');
    const late = '<ratingd-rating object-id="6408" category="scale" class="late"></ratingd-rating>';
    await open(page, await serve(page, rating(6408, 'slider') + late));
    const slider = widget(page, 'slider').locator('input');
    await slider.focus();
    await page.keyboard.press('End');
    await becomes('Your rating: 10', stat(page, 'slider', 'own'));
    answer();
    await becomes('Your rating: 5', () => page.locator('.late [data-stat=own]').textContent());
  });

  test('who has not voted does not see a hidden result', async (t) => {
    const page = await newPage(t);
    const vote = {object_id: 6403, category: 'scale', value: 0.8};
    const headers = {'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', 'User-Agent': 'test/hidden'};
    const answer = await fetch(api + '/rate', {method: 'POST', headers, body: JSON.stringify(vote)});
    assert.equal(answer.status, 200);
    const body = rating(6403, 'stars', 'hide-result schema="Recipe"') + rating(6403, 'distribution', 'hide-result');
    await open(page, await serve(page, body));
    await becomes('–', stat(page, 'stars', 'average'));
    assert.equal(await stat(page, 'stars', 'total')(), '');
    assert.equal(await stat(page, 'stars', 'votes')(), '');
    assert.equal(await widget(page, 'stars').getAttribute('data-tenths'), '');
    const share = () => widget(page, 'distribution').locator('[data-stat=share_4]').evaluate((one) => one.value);
    await becomes('', stat(page, 'distribution', 'step_4'));
    assert.equal(await share(), 0);
    const meters = () => widget(page, 'distribution').getByRole('meter').count();
    assert.equal(await meters(), 0);
    await star(page, 2).click();
    await becomes('3.0', stat(page, 'stars', 'average'));
    await becomes('2', stat(page, 'stars', 'total'));
    await becomes(0.5, share);
    assert.equal(await meters(), 5);
    assert.equal(await page.locator('script[type="application/ld+json"]').count(), 0);
    await remover(page, 'stars').click();
    await becomes('–', stat(page, 'stars', 'average'));
    // Some frameworks write a false attribute as "false" instead of removing it.
    await change(page, () => document.querySelector('ratingd-rating').setAttribute('hide-result', 'false'));
    await becomes('4.0', stat(page, 'stars', 'average'));
  });
});

describe('Search engines', () => {
  const head = (title, more = '') => `<title>${title}</title>${more}`;
  const schemas = (page) =>
    page
      .locator('script[type="application/ld+json"]')
      .evaluateAll((all) => all.map((one) => JSON.parse(one.textContent)));

  test('get one rating of a page, as it is shown', async (t) => {
    const page = await newPage(t);
    const body = rating(6500, 'slider', 'schema="Recipe"') + rating(6501, 'stars', 'schema="Recipe"');
    const more = '<link rel="canonical" href="https://example.org/soup/"><meta property="og:site_name" content="Example">';
    const address = await serveWith(page, {head: head('Soup – hot | Example', more), body});
    await open(page, address);
    assert.deepEqual(await schemas(page), []);
    const slider = widget(page, 'slider').locator('input');
    const {width, height} = await slider.boundingBox();
    await slider.click({position: {x: width - 2, y: height / 2}});
    await becomes(1, async () => (await schemas(page)).length);
    await star(page, 4).click();
    await becomes('4.0', stat(page, 'stars', 'average'));
    assert.deepEqual(await schemas(page), [
      {
        '@context': 'https://schema.org',
        '@type': 'Recipe',
        '@id': 'https://example.org/soup/#ratingd',
        name: 'Soup – hot',
        aggregateRating: {'@type': 'AggregateRating', ratingValue: 10, bestRating: 10, worstRating: 0, ratingCount: 1},
      },
    ]);
    // After the withdrawal, the widget shows no rating.
    await remover(page, 'slider').click();
    await becomes('', stat(page, 'slider', 'own'));
    await becomes(0, async () => (await schemas(page)).filter((one) => one.aggregateRating.bestRating === 10).length);
  });

  test('get the figures that the plugin for WordPress writes', async (t) => {
    const page = await newPage(t);
    const figures = async (id, value) => {
      const address = await serve(page, rating(id, 'stars', 'schema="Recipe"'));
      await open(page, address);
      assert.equal(await rate(page, {object_id: id, category: 'scale', scale: 1, value}), 200);
      await open(page, address);
      await becomes(1, async () => (await schemas(page)).length);
      return figuresOf((await schemas(page))[0]);
    };
    const figuresOf = ({aggregateRating: rated}) => [rated.ratingValue, rated.bestRating, rated.worstRating];
    assert.deepEqual(await figures(6510, 0.87), [4.4, 5, 1]);
    assert.deepEqual(await figures(6511, 0.1), [0.5, 5, 0]);
    // Test site templates that show averages on scales from 0 to 100 and from 0 to 1.
    const root =
      'data-object-id="{{OBJECT_ID}}" data-object-type="{{OBJECT_TYPE}}" data-category="{{CATEGORY}}" ' +
      'data-template="{{TEMPLATE}}" data-user-rating="{{USER_RATING}}"';
    for (const [scale, expected] of [['100', [87, 100, 0]], ['1', [0.87, 1, 0]]]) {
      const html = `<div ${root}><b data-stat="average" data-scale="${scale}"></b></div>`;
      const templates = {['mine/s' + scale]: {category: 'scale', html, css: ''}};
      const script = `<script>window.ratingdTemplates = ${JSON.stringify(templates)}</script>`;
      const element = `<ratingd-rating object-id="6510" template="mine/s${scale}" schema="Recipe"></ratingd-rating>`;
      await open(page, await serve(page, script + element));
      await becomes(1, async () => (await schemas(page)).length);
      assert.deepEqual(figuresOf((await schemas(page))[0]), expected);
    }
  });

  test('get no rating that visitors do not see', async (t) => {
    const page = await newPage(t);
    const html = '<div data-object-id="1" data-object-type="post" data-category="scale" data-template="mine/none"></div>';
    const templates = {'mine/none': {category: 'scale', html, css: ''}};
    const script = `<script>window.ratingdTemplates = ${JSON.stringify(templates)}</script>`;
    const without = '<ratingd-rating object-id="6512" template="mine/none" schema="Recipe"></ratingd-rating>';
    const widgets = rating(6512, 'stars', 'schema="Recipe" counts="false"') + rating(6512, 'dots', 'schema="Recipe" hide-result');
    const address = await serve(page, script + widgets + without);
    await open(page, address);
    await star(page, 4).click();
    await becomes('4.0', stat(page, 'dots', 'average'));
    const loaded = page.waitForResponse((one) => one.url().includes('ratingd-schema.js'));
    await page.reload();
    await loaded;
    await becomes('4.0', stat(page, 'dots', 'average'));
    // Import ratingd-schema.js again to wait until all code that depends on the file has run.
    await page.evaluate((file) => import(file).then(() => {}), api + '/ratingd-schema.js');
    assert.deepEqual(await schemas(page), []);
    // When the number of ratings is known, the script adds the JSON-LD.
    await page.evaluate(() => document.querySelector('ratingd-rating').setAttribute('counts', 'true'));
    await becomes(1, async () => (await schemas(page)).length);
  });

  for (const [title, more, name] of [
    ['Pizza - Napoli', '', 'Pizza - Napoli'],
    ['Pizza - Napoli | Example', '<meta property="og:site_name" content="Example">', 'Pizza - Napoli'],
    ['Our Example', '<meta property="og:site_name" content="Example">', 'Our Example'],
    ['Pizza - Example', '<meta property="og:title" content="Pizza - Napoli">', 'Pizza - Napoli'],
    ['Pizza – Napoli – Example', '<h1> Pizza –\n Napoli </h1>', 'Pizza – Napoli'],
    ['Pizza – Example', '<h1>Example</h1><h1>Pizza</h1>', 'Pizza – Example'],
  ]) {
    test(`get the name of a page: ${title} ${more}`, async (t) => {
      const page = await newPage(t);
      const address = await serveWith(page, {head: head(title, more), body: rating(6513, 'stars', 'schema="Recipe"')});
      await open(page, address);
      await star(page, 4).click();
      await becomes(name, async () => (await schemas(page))[0]?.name);
    });
  }

  test('get no second rating, nor types without stars', async (t) => {
    const page = await newPage(t);
    const warnings = [];
    page.on('console', (one) => one.type() === 'warning' && warnings.push(one.text()));
    const server = '<script type="application/ld+json">{"@type":"Product","aggregateRating":{}}</script>';
    const types = {stars: 'Recipe', dots: 'Article', slider: 'Organization'};
    const body = Object.entries(types).map(([slug, type]) => rating(6502, slug, `schema="${type}"`)).join('');
    await open(page, await serveWith(page, {head: head('Soup', server), body}));
    await star(page, 4).click();
    await becomes('4.0', stat(page, 'dots', 'average'));
    await star(page, 5).click();
    await becomes('5.0', stat(page, 'dots', 'average'));
    await becomes(2, () => warnings.length);
    assert.deepEqual(warnings.sort(), [
      'ratingd: search engines show no stars for Article',
      'ratingd: search engines show no stars for a site that rates itself as Organization',
    ]);
    assert.equal((await schemas(page)).length, 1);
  });
});

test('Nothing is requested from elsewhere', async (t) => {
  const page = await newPage(t);
  const foreign = [];
  page.on('request', (request) => request.url().startsWith(site.url) || foreign.push(request.url()));
  await open(page, await serve(page, rating(6600, 'stars', 'schema="Recipe"')));
  await page.waitForLoadState('networkidle');
  assert.deepEqual(foreign, []);
});

describe('The layout of a page', () => {
  const docs = fs.readFileSync(path.join(__dirname, '../docs/widgets.md'), 'utf8');
  const css = docs.match(/^ {4}ratingd-rating.*$/gm).join('\n');

  for (const [viewport, rem] of [
    [{width: 1280, height: 2400}, '100%'],
    [{width: 360, height: 2400}, '100%'],
    [{width: 1280, height: 2400}, '62.5%'],
  ]) {
    test(`does not shift at ${viewport.width} pixels with a rem of ${rem}`, async (t) => {
      const page = await newPage(t, {viewport});
      await page.addInitScript(() => {
        window.shifts = [];
        new PerformanceObserver((list) => window.shifts.push(...list.getEntries())).observe({type: 'layout-shift'});
      });
      // Simulate a slow connection, so that the page is displayed before its widgets.
      await page.route('**/ratingd-widget.js', async (route) => {
        await page.waitForFunction(() => window.performance.getEntriesByName('first-contentful-paint').length);
        await route.continue();
      });
      const slugs = ['heart', 'like-dislike', 'thumbs', 'stars', 'dots', 'slider', 'distribution'];
      // On a phone, two buttons with large text do not fit on one line.
      const fits = (slug, size) => viewport.width > 400 || slug !== 'like-dislike' || size !== 'large';
      const body = ['small', 'medium', 'large'].flatMap((size) =>
        slugs.filter((slug) => fits(slug, size)).map((slug) => rating(6700, slug, `size="${size}"`)),
      );
      const head = `<meta name="viewport" content="width=device-width"><style>html{font-size:${rem}}body{margin:16px}${css}</style>`;
      const address = await serveWith(page, {head, body: body.join('<p>Between.</p>') + '<p>Behind.</p>'});
      for (let visit = 0; visit < 2; ++visit) {
        await open(page, address);
        await page.waitForLoadState('networkidle');
        assert.equal(await page.locator('.ratingd').count(), body.length);
        // Wait a few frames, because browsers report layout shifts late.
        const shifts = await page.evaluate(async () => {
          for (let i = 0; i < 3; ++i) await new Promise((resolve) => window.requestAnimationFrame(resolve));
          const place = ({node, previousRect, currentRect}) => [node.nodeName, node.textContent, previousRect.y, currentRect.y];
          return window.shifts.flatMap((one) => [one.value, ...one.sources.map(place)]);
        });
        assert.deepEqual(shifts, []);
        if (visit > 0) break;
        await star(page, 3).first().click();
        await becomes('Your rating: 3', ownOf(widget(page, 'stars').first()));
        await widget(page, 'thumbs').first().getByRole('button').first().click();
        await becomes('Rating saved.', () => widget(page, 'thumbs').first().locator('[data-message]').textContent());
      }
      if (pictures) await page.screenshot({path: path.join(pictures, `element-${viewport.width}-${parseFloat(rem)}.png`), fullPage: true});
    });
  }
});
