// Why a change was not made, in words for a notice. (Reads that fail are shown by panel.js.)

import {h} from './dom.js';
import {t} from './words.js';

// An error in words for an owner. The service's own sentences are for programmers, and English.
export const sentence = ({code, message}) =>
  ({
    ratingd_internal: t('Something went wrong in the service. Its log says what.'),
    ratingd_not_found: t('There is nothing here.'),
    ratingd_unavailable: t(
      'The service is busy, or its database does not answer. Try again later, or choose a shorter period.',
    ),
    rest_forbidden: t('Your account may not do this.'),
    not_json: t('Something between the browser and the service answered in its place.'),
  })[code] || message;

// "nothing" comes first if it is true: t('Nothing was saved.')
export function failure(context, error, nothing) {
  if (error.status === undefined) throw error; // a bug, for the console
  if (error.mayBeDone) {
    return [t('No answer came, but it may have been done. Check before you try again.'), ' ', sentence(error)];
  }
  return [nothing && [nothing, ' '], reason(context, error)];
}

function reason(context, error) {
  if (error.status === 401) {
    const login = {href: context.loginPage, target: '_blank', rel: 'noopener'};
    return [
      t('You are logged out. Log in in another window, then try again: nothing on this page is lost.'),
      context.loginPage && [' ', h('a', login, t('Log in'))],
    ];
  }
  const sentences = Object.values(error.params).join(' ');
  return sentences || sentence(error) || t('The service does not answer. Please try again.');
}
