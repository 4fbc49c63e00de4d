// Shows a notice that explains why a change failed. The file panel.js shows errors from requests that
// only read data.

import {h} from './dom.js';
import {t} from './words.js';

// "nothing" is an optional text such as t('Nothing was saved.'). The message begins with this text if
// the change was definitely not made.
export function failure(context, error, nothing) {
  if (error.status === undefined) throw error; // show a bug in the console
  if (error.mayBeDone) {
    return [t('The service did not respond, but may have saved your change. Check the result before trying again.'), ' ', error.message];
  }
  return [nothing && [nothing, ' '], reason(context, error)];
}

function reason(context, error) {
  if (error.status === 401) {
    const login = {href: context.loginPage, target: '_blank', rel: 'noopener'};
    return [
      t('You are logged out. Use another window to log in, then try again. Nothing on this page is lost.'),
      context.loginPage && [' ', h('a', login, t('Log in'))],
    ];
  }
  const sentences = Object.values(error.params).join(' ');
  return sentences || error.message || t('The service is not responding. Please try again.');
}
