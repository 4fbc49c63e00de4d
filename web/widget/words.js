// What people read. window.ratingdWords has the words of the site's language, and data-label-... those of one widget.

import {page, round} from './page.js';

export const words = {
  rating: 'Rating',
  like: 'Like',
  dislike: 'Dislike',
  average: 'Average rating:',
  own: 'Your rating: {n}',
  votes: 'votes',
  votes_one: 'vote',
  step: '{n} of 5',
  saved: 'Rating saved.',
  removed: 'Rating removed.',
  login: 'Please log in to rate.',
  disabled: 'Ratings are closed.',
  already_rated: 'You rated this already.',
  limited: 'Too often. Try again in {n} seconds.',
  refused: 'Rating not accepted.',
  failed: 'Not saved. Please try again.',
};
const siteWords = window.ratingdWords || {};

// What the site says instead of our words.
const siteWord = (widget, name) => widget.getAttribute('data-label-' + name) || siteWords[name];
export const word = (widget, name, n) => (siteWord(widget, name) || words[name] || '').replace('{n}', n);

const {lang} = page.documentElement;

export const format = (number, places) => {
  try {
    return number.toLocaleString(lang, {minimumFractionDigits: places, useGrouping: false});
  } catch {
    return number.toFixed(places); // the page names no language
  }
};

// The more places the smaller the scale; rounded as ratingd does, from ten-thousandths.
export const formatAverage = (average, scale) => {
  if (average === null) return '–';
  const places = scale >= 100 ? 0 : scale >= 5 ? 1 : 2;
  const unit = 10 ** places;
  return format(round((round(average * 1e4) * scale * unit) / 1e4) / unit || 0, places);
};

export const formatOwn = (own, scale) => {
  const value = round(own * scale * 10) / 10;
  return format(value, value % 1 ? 1 : 0);
};

// Our own words are English, whatever the page's language is.
export const votesWord = (widget, n) => {
  const plural = siteWord(widget, 'votes');
  let form;
  try {
    form = 'votes_' + new Intl.PluralRules(plural ? lang : 'en').select(n);
  } catch {
    // the page names no language
  }
  return siteWord(widget, form) || plural || words[form] || words.votes;
};
