'use strict';

// Tests the texts and colours of widgets and their position on the page. tests/e2e/widget_test.py starts
// the site.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {describe, test} = require('node:test');
const {api, becomes, newPage, open, ownOf, pictures, remover, serve, star, stat, widget} = require('./browser.cjs');

const messageCss = fs.readFileSync(path.join(__dirname, 'widget/message.css'), 'utf8');
const place = (id, slug, attributes = '') =>
  `<div><div data-ratingd data-object-id="${id}" data-template="simple/${slug}" ${attributes}></div></div>`;
const setWords = (words) => `<script>window.ratingdWords = ${JSON.stringify(words)}</script>`;

describe('A rated widget', () => {
  test('tells the own rating from the average', async (t) => {
    const id = 5001;
    const first = await newPage(t);
    await open(first, await serve(first, place(id, 'stars')));
    await star(first, 1).click();
    await becomes('Your rating: 1', stat(first, 'stars', 'own'));

    const page = await newPage(t);
    await open(page, await serve(page, place(id, 'stars') + place(id, 'slider')));
    await becomes('', stat(page, 'stars', 'own'));
    await star(page, 4).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    await becomes('2.5', stat(page, 'stars', 'average'));
    await becomes('Your rating: 8', stat(page, 'slider', 'own'));
    await remover(page, 'stars').click();
    await becomes('', stat(page, 'stars', 'own'));
    await becomes('1.0', stat(page, 'stars', 'average'));
  });

  test('is clear to screen readers', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, place(5002, 'stars') + place(5002, 'slider')));
    await star(page, 4).click();
    await becomes('Your rating: 4', stat(page, 'stars', 'own'));
    const text = await widget(page, 'stars').evaluate((one) => one.textContent.replace(/\s+/g, ' ').trim());
    assert.match(text, /^Average rating: 4\.0 1 vote Your rating: 4/);
    const other = await newPage(t);
    const address = await serve(other, place(5002, 'slider'));
    // Visitors who have not voted may see numbers up to two seconds old.
    await becomes('Average rating: 8.0', async () => {
      await open(other, address);
      return widget(other, 'slider').locator('input').getAttribute('aria-valuetext');
    });
  });
});

describe('A theme with small rems', () => {
  test('leaves text and icons in their usual sizes', async (t) => {
    const page = await newPage(t, {viewport: {width: 1280, height: 720}});
    const sizes = ['small', 'medium', 'large'];
    const reactions = (size) => `<ratingd-reactions object-id="5013" facets="love" size="${size}"></ratingd-reactions>`;
    const body = sizes.map((size) => place(5013, 'stars', `data-size="${size}"`) + reactions(size)).join('');
    await open(page, await serve(page, body));
    await becomes(6, () => page.locator('.ratingd').count());
    const measure = () =>
      page.locator('.ratingd, .ratingd-number, .ratingd svg').evaluateAll((all) =>
        all.map((one) => [getComputedStyle(one).fontSize, getComputedStyle(one).width].join()),
      );
    const usual = await measure();
    await page.addStyleTag({content: 'html { font-size: 62.5% } body { font-size: 1.6rem }'});
    assert.deepEqual(await measure(), usual);
  });
});

describe('The number of votes', () => {
  // Casts "n" votes on an object, each from a separate client.
  async function vote(page, id, n) {
    for (let i = 0; i < n; ++i) {
      const answer = await fetch(api + '/rate', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Sec-Fetch-Site': 'same-origin',
          'User-Agent': `test/${process.pid}.${id}.${i}`,
        },
        body: JSON.stringify({object_id: id, category: 'scale', value: 0.8}),
      });
      assert.equal(answer.status, 200);
    }
  }
  const votes = (page, slug = 'stars') => stat(page, slug, 'votes');

  test('has its word in the singular and the plural', async (t) => {
    const page = await newPage(t);
    await open(page, await serve(page, place(5003, 'stars')));
    await becomes('votes', votes(page));
    await star(page, 4).click();
    await becomes('vote', votes(page));
    const preview = await page.request.post(api + '/preview', {data: {template: 'simple/stars', object_id: 5003}});
    assert.match((await preview.json()).html, />1<\/span> <span data-stat="votes">vote</);
  });

  test('has the plural forms of the page\'s language', async (t) => {
    const page = await newPage(t);
    const words = {votes: 'głosów', votes_one: 'głos', votes_few: 'głosy'};
    await vote(page, 5005, 2);
    await vote(page, 5006, 5);
    const body = place(5004, 'stars') + place(5005, 'dots') + place(5006, 'slider');
    await open(page, await serve(page, setWords(words) + body, '', 'pl'));
    await star(page, 4).click();
    await becomes('głos', votes(page));
    await becomes('głosy', votes(page, 'dots'));
    await becomes('głosów', votes(page, 'slider'));
  });

  test('keeps the site\'s word where it has no other form', async (t) => {
    const page = await newPage(t);
    const body = place(5005, 'stars') + place(5007, 'dots', 'data-label-votes="Stimmen" data-label-votes_one="Stimme"');
    await vote(page, 5007, 1);
    await open(page, await serve(page, setWords({votes: 'avis'}) + body));
    await becomes('avis', votes(page));
    await becomes('Stimme', votes(page, 'dots'));
  });
});

describe('A theme that paints all buttons', () => {
  test('does not paint those of widgets', async (t) => {
    const page = await newPage(t);
    // The Twenty Twenty-One theme uses this selector for buttons.
    const paint = '.site button:not(:hover):not(:active):not(.has-background)';
    const style = `<style>${paint} { background: rgb(40, 48, 61); padding: 15px 30px; border: 3px solid }</style>`;
    const own = '<button>Search</button>';
    // The page loads the "distribution" template from ratingd.
    const slugs = ['stars', 'heart', 'thumbs', 'like-dislike', 'distribution'];
    const widgets = slugs.map((slug) => place(5008, slug)).join('');
    const body = `<div class="site">${own}${widgets}</div>`;
    await open(page, await serve(page, style + body));
    for (const slug of slugs) await widget(page, slug).waitFor();
    const styleOf = (one) =>
      one.evaluate((element) => {
        const {backgroundColor, borderTopWidth} = getComputedStyle(element);
        return [backgroundColor, borderTopWidth];
      });
    assert.deepEqual(await styleOf(page.getByText('Search')), ['rgb(40, 48, 61)', '3px']);
    const buttons = await page.locator('[data-template] button').all();
    assert.equal(buttons.length, 15);
    for (const button of buttons) {
      const [colour, border] = await styleOf(button);
      const label = await button.evaluate((one) => one.outerHTML);
      assert.equal(colour, 'rgba(0, 0, 0, 0)', label);
      assert.notEqual(border, '3px', label);
    }
    if (pictures) await page.screenshot({path: path.join(pictures, 'painted.png'), fullPage: true});
  });

  test('does not paint the icons either', async (t) => {
    const page = await newPage(t);
    const slugs = ['stars', 'half-stars', 'dots', 'heart', 'thumbs', 'like-dislike'];
    await open(page, await serve(page, `<div class="site">${slugs.map((slug) => place(5014, slug)).join('')}</div>`));
    for (const slug of slugs) await widget(page, slug).waitFor();
    const looks = () =>
      page.locator('svg *').evaluateAll((all) => all.map((one) => [getComputedStyle(one).fill, getComputedStyle(one).stroke].join()));
    const usual = await looks();
    await page.addStyleTag({content: '.site svg path, .site svg circle { fill: rgb(1, 2, 3); stroke: rgb(4, 5, 6) }'});
    assert.deepEqual(await looks(), usual);
  });

  test('can change the colours of all widgets', async (t) => {
    const page = await newPage(t);
    // The CSS is copied from docs/widgets.md.
    const style = '<style>.ratingd[data-template] { --ratingd-accent: #7c3aed; --ratingd-full: #7c3aed }</style>';
    const slugs = ['stars', 'distribution'];
    await open(page, await serve(page, style + slugs.map((slug) => place(5009, slug)).join('')));
    for (const slug of slugs) {
      const all = widget(page, slug).locator('.ratingd-all').first();
      assert.equal(await all.evaluate((one) => getComputedStyle(one).stroke), 'rgb(124, 58, 237)', slug);
    }
  });
});

describe('Without the API', () => {
  test('the script warns once in the console', async (t) => {
    const page = await newPage(t);
    const warnings = [];
    page.on('console', (one) => one.type() === 'warning' && warnings.push(one.text()));
    await page.route(/v1\/(public\/)?(stats|templates)/, (route) =>
      route.fulfill({status: 404, contentType: 'text/html', body: '<h1>Not found</h1>'}),
    );
    await page.goto(await serve(page, place(1, 'stars') + place(2, 'heart')));
    await page.waitForLoadState('networkidle');
    assert.equal(warnings.length, 1, warnings.join());
    assert.match(warnings[0], /^ratingd: no ratings from http.*\/wp-json\/ratingd\/v1\//);
    assert.equal(await page.locator('.ratingd').count(), 2);
  });

  test('the script names what is wrong with a template', async (t) => {
    const page = await newPage(t);
    const warning = page.waitForEvent('console', (one) => one.type() === 'warning');
    await page.goto(await serve(page, place(1, 'none')));
    const values = await Promise.all((await warning).args().map((one) => one.jsonValue()));
    assert.equal(values[1].message, 'There is no such template.');
  });
});

describe('Colours', () => {
  // Returns the elements whose contrast is too low. WCAG 2.2 requires a contrast of 3:1 for the parts
  // that identify a control (1.4.11), and of 4.5:1 for text (1.4.3).
  const worstContrasts = (page) =>
    page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const luminance = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
          const part = byte / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (one, other) => {
        const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
        return (light + 0.05) / (dark + 0.05);
      };
      const behind = (element) => {
        const colour = getComputedStyle(element).backgroundColor;
        return /^rgba.* 0\)$/.test(colour) && element.parentElement ? behind(element.parentElement) : colour;
      };
      const bad = [];
      for (const one of document.querySelectorAll('[data-template] path, [data-template] circle')) {
        const {stroke} = getComputedStyle(one);
        const found = stroke === 'none' ? 3 : contrast(stroke, behind(one.closest('button')));
        if (found < 3) bad.push([one.closest('[data-template]').dataset.template, stroke, found]);
      }
      for (const one of document.querySelectorAll('[data-template], [data-template] button, [data-template] span')) {
        const found = contrast(getComputedStyle(one).color, behind(one));
        if (found < 4.5) bad.push([one.closest('[data-template]').dataset.template, one.className, found]);
      }
      return bad;
    });

  const slugs = ['heart', 'like-dislike', 'thumbs', 'stars', 'dots', 'slider', 'distribution'];
  for (const [name, style] of [
    ['light', 'background:#fff;color:#111;color-scheme:light'],
    ['dark', 'background:#111827;color:#e5e7eb;color-scheme:dark'],
    ['dark, without its color-scheme', 'background:#111827;color:#e5e7eb'],
  ]) {
    test(`have enough contrast on a page that is ${name}`, async (t) => {
      const page = await newPage(t, {reducedMotion: 'reduce'});
      const body = slugs.map((slug) => place(5008, slug)).join('');
      await open(page, await serve(page, body, `style="${style}"`));
      await page.waitForLoadState('networkidle');
      assert.deepEqual(await worstContrasts(page), []);
      // Make each widget look as if the visitor had already rated the object.
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('[data-template]')) one.dataset.userRating = '1';
        for (const one of document.querySelectorAll('[aria-pressed]')) one.ariaPressed = 'true';
        for (const one of document.querySelectorAll('[data-message]')) one.dataset.message = 'failed';
      });
      assert.deepEqual(await worstContrasts(page), []);
    });
  }
});

describe('The place of widgets', () => {
  for (const [name, viewport, css] of [
    ['a screen', {width: 1280, height: 720}, ''],
    ['a phone', {width: 360, height: 640}, ''],
    ['a page with small rems', {width: 1280, height: 720}, 'html { font-size: 62.5% }'],
  ]) {
    test(`does not move what is around them on ${name}`, async (t) => {
      const page = await newPage(t, {viewport});
      await page.addInitScript((text) => {
        const sheet = new window.CSSStyleSheet();
        sheet.replaceSync(text);
        document.adoptedStyleSheets.push(sheet);
      }, css);
      await page.addInitScript(() => {
        window.shifts = [];
        const whatMoved = ({value, sources}) => ({
          value,
          moved: sources.map(({node, previousRect, currentRect}) => [node?.nodeName, previousRect.y, currentRect.y].join(' ')),
        });
        new PerformanceObserver((list) =>
          window.shifts.push(...list.getEntries().filter((one) => !one.hadRecentInput).map(whatMoved)),
        ).observe({type: 'layout-shift', buffered: true});
      });
      const shifts = () =>
        page.evaluate(async () => {
          // Wait a few frames, because browsers report layout shifts late.
          for (let i = 0; i < 3; ++i) await new Promise((resolve) => window.requestAnimationFrame(resolve));
          return window.shifts;
        });
      // Block web fonts, because loading a font can shift the text on a page.
      await page.route('**/*.woff2', (route) => route.abort());
      // Simulate a slow connection, so that the page is displayed before its widgets.
      await page.route('**/ratingd-widget.js*', async (route) => {
        await page.waitForFunction(() => window.performance.getEntriesByName('first-contentful-paint').length);
        await route.continue();
      });
      for (let visit = 0; visit < 2; ++visit) {
        await open(page, 'shift');
        await page.waitForLoadState('networkidle');
        assert.equal(await page.locator('.ratingd').count(), 8);
        assert.deepEqual(await shifts(), []);
        if (visit === 0) {
          await star(page, 3).first().click();
          await becomes('Your rating: 3', ownOf(widget(page, 'stars').first()));
        }
      }
    });
  }
});

// Takes screenshots of all widgets in all sizes for visual inspection.
describe('Pictures', {skip: !pictures}, () => {
  const slugs = ['heart', 'like-dislike', 'thumbs', 'stars', 'dots', 'slider', 'distribution'];
  const sizes = ['small', 'medium', 'large'];

  async function gallery(
    t,
    name,
    {attributes = '', style = '', scheme = '', own = false, failed = false, ...options},
  ) {
    // A full-page screenshot briefly resizes the window, which would start transitions.
    const page = await newPage(t, {viewport: {width: 1100, height: 620}, reducedMotion: 'reduce', ...options});
    const {data} = await (await page.request.get(api + '/templates')).json();
    const css = messageCss + data.map((template) => template.css).join('\n');
    const rows = await Promise.all(
      slugs.map(async (slug) => {
        const cells = await Promise.all(
          sizes.map(async (size) => {
            const answer = await page.request.post(api + '/preview', {
              data: {template: 'simple/' + slug, size, ...(scheme && {dark_mode: scheme === 'dark'})},
            });
            let {html} = await answer.json();
            if (name === 'rtl') html = html.replace('data-tenths="8"', 'data-tenths="7"');
            if (own) {
              html = html
                .replace('data-user-rating=""', 'data-user-rating="0.6"')
                .replace('aria-pressed="false"', 'aria-pressed="true"')
                .replace(/aria-checked="false" data-value="0.6"/, 'aria-checked="true" data-value="0.6"')
                .replace(/value="[^"]*" data-value="[^"]*" aria-label/, 'value="0.6" aria-label')
                .replace(/(data-stat="own" data-scale="(5|10)">)/, (all, start, n) => `${start}Your rating: ${n * 0.6}`);
            }
            if (failed) {
              html = html.replace(
                /<\/div>\s*$/,
                '<span role="status" data-message="failed" style="bottom:100%">Too many ratings. Try again later.</span></div>',
              );
            }
            return `<td>${html}</td>`;
          }),
        );
        return `<tr>${cells.join('')}</tr>`;
      }),
    );
    await page.setContent(`<!DOCTYPE html><html lang="en" ${attributes}><style>body{font:17px/1.6 sans-serif;margin:1em;${style}}
      td{padding:.6em 1.2em}${css}</style><table>${rows.join('')}</table>`);
    await page.screenshot({path: path.join(pictures, name + '.png'), fullPage: true});
  }

  test('light', (t) => gallery(t, 'light', {}));
  test('dark', (t) =>
    gallery(t, 'dark', {
      colorScheme: 'dark',
      style: 'background:#111827;color:#e5e7eb;color-scheme:dark',
    }));
  test('dark by wish', (t) => gallery(t, 'dark-by-wish', {scheme: 'dark', style: 'background:#1f2937'}));
  test('rated', (t) => gallery(t, 'rated', {own: true}));
  test('failed', (t) => gallery(t, 'failed', {own: true, failed: true}));
  test('failed dark', (t) =>
    gallery(t, 'failed-dark', {
      own: true,
      failed: true,
      style: 'background:#111827;color:#e5e7eb;color-scheme:dark',
    }));
  test('from right to left', (t) => gallery(t, 'rtl', {attributes: 'dir="rtl"', own: true}));
  test('forced colours', (t) => gallery(t, 'forced-colors', {forcedColors: 'active', own: true}));
  test('in a theme', async (t) => {
    const page = await newPage(t, {viewport: {width: 800, height: 1300}});
    await open(page, 'visitor');
    await page.waitForLoadState('networkidle');
    await page.screenshot({path: path.join(pictures, 'theme.png'), fullPage: true});
  });
  test('on a phone', async (t) => {
    const page = await newPage(t, {viewport: {width: 360, height: 640}});
    await open(page, 'shift');
    await page.waitForLoadState('networkidle');
    for (const slug of ['stars', 'dots']) {
      for (const n of [0, 1]) await widget(page, slug).nth(n).locator('[role=radio]').nth(3).click();
      await becomes('Your rating: 4', ownOf(widget(page, slug).last()));
    }
    await page.screenshot({path: path.join(pictures, 'phone.png'), fullPage: true});
  });
});
