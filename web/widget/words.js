// Contains the widgets' texts in English. window.ratingdWords contains the texts in the site's language.
// The build generates ratingd-words-de.js from these texts and the translations. The data-label-...
// attributes override the words of a single widget.

import {dataOf, given, page, round} from './page.js';

export const words = {
  rating: 'Rating',
  like: 'Like',
  dislike: 'Dislike',
  average: 'Average rating:',
  own: 'Your rating: {n}',
  votes: {one: 'vote', other: 'votes'},
  change: 'Change',
  remove: 'Remove',
  remove_own: 'Remove your rating',
  undo: 'Undo',
  first: 'Be the first to rate',
  step: '{n} of 5',
  step_1: 'Very poor',
  step_2: 'Poor',
  step_3: 'Okay',
  step_4: 'Good',
  step_5: 'Excellent',
  saved: 'Rating saved.',
  removed: 'Rating removed.',
  login: 'Log in to rate',
  disabled: 'Ratings are closed.',
  already_rated: 'You have already rated this.',
  cooldown: 'You can change your rating later.',
  refused: 'Rating not accepted.',
  failed: 'Not saved. Please try again.',
  reload: 'Reload the page to rate with your account.',
};

// Returns the text that the site has defined for "name", if any. The page may define the words after
// this script has run.
const siteWord = (widget, name) => widget.getAttribute('data-label-' + name) || given('ratingdWords')[name];
export const word = (widget, name, n = '') => {
  const text = siteWord(widget, name) || words[name] || '';
  return `${text.other || text}`.replace('{n}', n);
};

// Returns the longest prefix that is a valid language tag, such as "pt-PT" for "pt-PT-ao90".
const valid = (tag) => {
  try {
    new Intl.PluralRules(tag);
    return tag;
  } catch {
    return valid(tag.replace(/-?[^-]*$/, '') || 'en');
  }
};
let lang;
const language = () => (lang ??= valid(page.documentElement.lang.replace(/_/g, '-')));

// "places" is the minimum number of decimals, and its default is 0.
export const format = (number, places) =>
  number.toLocaleString(language(), {minimumFractionDigits: places, useGrouping: false});

// Averages on smaller scales have more decimals. The service computes averages in ten-thousandths, so
// this function first rounds to ten-thousandths.
export const formatAverage = (average, scale) => {
  if (average === null) return '–';
  const places = scale >= 100 ? 0 : scale >= 5 ? 1 : 2;
  const unit = 10 ** places;
  return format(round((round(average * 1e4) * scale * unit) / 1e4) / unit || 0, places);
};

export const ownWord = (widget, own, scale) => {
  const {category} = dataOf(widget);
  if (!own && category === 'bipolar') return ''; // neither
  const value = round(own * scale * 10) / 10;
  const name = own > 0 ? 'like' : 'dislike';
  return word(widget, 'own', category === 'scale' ? format(value) : word(widget, name));
};

// The built-in words are English, regardless of the page's language.
export const votesWord = (widget, n) => {
  const theirs = siteWord(widget, 'votes');
  const votes = theirs || words.votes;
  const form = new Intl.PluralRules(theirs ? language() : 'en').select(n);
  return siteWord(widget, 'votes_' + form) || votes[form] || votes.other || votes;
};
