// Ratings for search engines that run scripts, as JSON-LD. ratingd-widget.js loads this file if a widget has
// data-schema: https://developers.google.com/search/docs/appearance/structured-data/review-snippet

// Stars are shown for these only.
const types = [
  'Book', 'Course', 'CreativeWorkSeason', 'CreativeWorkSeries', 'Episode', 'Event', 'Game', 'LocalBusiness',
  'MediaObject', 'Movie', 'MusicPlaylist', 'MusicRecording', 'Organization', 'Product', 'Recipe',
  'SoftwareApplication',
];

const warned = new Set();

// "Soup – Example" -> "Soup"
const withoutSite = (title) => title.replace(/(.) [-–—|·] [^-–—|·]*$/, '$1');

const find = (selector) => document.querySelector(selector);

const schemaOf = (type, average, total, scale) => ({
  '@context': 'https://schema.org',
  '@type': type,
  '@id': (find('link[rel=canonical]') || document.location).href.split('#')[0] + '#ratingd',
  name: find('[property="og:title"]')?.content || withoutSite(document.title),
  aggregateRating: {
    '@type': 'AggregateRating',
    ratingValue: Math.round(average * scale * 10) / 10,
    bestRating: scale,
    worstRating: 0,
    ratingCount: total,
  },
});

// Into the widget, which it leaves the page with. A page is about one thing: what its server or another widget has
// said already counts.
export const showSchema = (widget, {average, total}, trusted) => {
  const type = widget.dataset.schema;
  if (!types.includes(type)) {
    if (!warned.has(type)) console.warn('ratingd: search engines show no stars for ' + type);
    warned.add(type);
    return;
  }
  const kind = 'script[type="application/ld+json"]';
  widget.querySelector(kind)?.remove();
  const others = [...document.querySelectorAll(kind)];
  if (!total || others.some((one) => one.text.includes('"aggregateRating"'))) return;
  const scale = +widget.querySelector('[data-stat=average]')?.dataset.scale || 5;
  const element = document.createElement('script');
  element.type = 'application/ld+json';
  element.text = trusted.createScript(JSON.stringify(schemaOf(type, average, total, scale)));
  widget.append(element);
};
