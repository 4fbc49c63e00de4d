// Adds ratings as JSON-LD for search engines that run scripts. ratingd-widget.js loads this file if a
// widget has a data-schema attribute. See
// https://developers.google.com/search/docs/appearance/structured-data/review-snippet

// Contains all schema.org types for which search engines show stars.
const types = [
  'Book', 'Course', 'CreativeWorkSeason', 'CreativeWorkSeries', 'Episode', 'Event', 'Game', 'LocalBusiness',
  'MediaObject', 'Movie', 'MusicPlaylist', 'MusicRecording', 'Organization', 'Product', 'Recipe',
  'SoftwareApplication',
];

// Contains the schema.org types for which search engines show no stars if the site rates itself.
const selfServing = ['LocalBusiness', 'Organization'];

const warned = new Set();
const warnOnce = (text) => {
  if (!warned.has(text)) console.warn('ratingd: search engines show no stars for ' + text);
  warned.add(text);
};

const find = (selector) => document.querySelector(selector);

// Removes the site's name from a title. For example, "Soup – Example" becomes "Soup" if the site's name is "Example".
const withoutSite = (title) => {
  const site = find('[property="og:site_name"]')?.content.trim();
  const isAtEnd = site && title.endsWith(site);
  return (isAtEnd && title.slice(0, -site.length).match(/^(.*\S)\s+[-–—|·•:»]\s*$/)?.[1]) || title;
};

const nameOfPage = () => {
  const given = find('[property="og:title"]')?.content;
  const title = given || document.title;
  const name = withoutSite(title);
  if (given || name !== title) return name;
  const [heading, another] = document.querySelectorAll('h1');
  return (!another && heading?.textContent.replace(/\s+/g, ' ').trim()) || title;
};

// Returns an AggregateRating in the same form as the WordPress plugin (structured-data.php), rounded as
// in the widget. With stars, the lowest rating that visitors can give is one star, but votes through the
// API may be lower.
const ratingOf = (average, total, scale, hasStars) => {
  const unit = scale >= 100 ? 1 : scale >= 5 ? 10 : 100;
  const value = Math.round((Math.round(average * 1e4) * scale * unit) / 1e4) / unit;
  return {
    '@type': 'AggregateRating',
    ratingValue: value,
    bestRating: scale,
    worstRating: hasStars && value >= 1 ? 1 : 0,
    ratingCount: total,
  };
};

const schemaOf = (type, rating) => ({
  '@context': 'https://schema.org',
  '@type': type,
  '@id': (find('link[rel=canonical]') || document.location).href.split('#')[0] + '#ratingd',
  name: nameOfPage(),
  aggregateRating: rating,
});

// Adds the JSON-LD inside the widget element, so that removing the widget also removes the JSON-LD. The
// JSON-LD contains the average and the number of ratings that visitors see. A page describes one item,
// so the function adds nothing if the page already has a rating from its server or from another widget.
export const show = (widget, {average, total}, trusted) => {
  const {schema: type, counts, hideResult = 'false'} = widget.dataset;
  const shown = widget.querySelector('[data-stat=average]');
  if (!shown || counts === 'false' || hideResult !== 'false') return;
  if (!types.includes(type)) {
    warnOnce(type);
    return;
  }
  if (selfServing.includes(type)) warnOnce('a site that rates itself as ' + type);
  const kind = 'script[type="application/ld+json"]';
  widget.querySelector(kind)?.remove();
  const others = [...document.querySelectorAll(kind)];
  if (!total || others.some((one) => one.text.includes('"aggregateRating"'))) return;
  const element = document.createElement('script');
  element.type = 'application/ld+json';
  const scale = +shown.dataset.scale || 1;
  const schema = schemaOf(type, ratingOf(average, total, scale, scale === 5 || !!widget.stars));
  element.text = trusted().createScript(JSON.stringify(schema));
  widget.append(element);
};
