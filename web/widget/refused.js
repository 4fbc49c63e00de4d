// Explains why a vote was rejected, and when the visitor may try again. ratingd-widget.js loads this
// file if the response to a vote has status 429.

const words = {
  limited: 'Too many ratings. Try again later.',
  wait_revote: 'You have already rated this. You can change your rating {n}.',
  wait_cooldown: 'You rated a moment ago. Please try again {n}.',
  wait_voter: 'You have reached the daily limit. Please try again {n}.',
  wait_network: 'Too many ratings from your network. Please try again {n}.',
};

// Contains the limits that apply to an IP network, as named in the RateLimit-Policy header. For a limit
// without a text in "words", the message does not say when to try again.
const ofNetworks = ['address', 'new-voters', 'write'];
const nameOf = (policy) => 'wait_' + (ofNetworks.includes(policy) ? 'network' : policy);

const dayOf = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 864e5;

// Returns a time such as "in 5 minutes", "in 1 hour" or "tomorrow".
const inTime = (language, seconds) => {
  const format = new Intl.RelativeTimeFormat(language, {numeric: 'auto'});
  const now = new Date();
  const days = dayOf(new Date(+now + 1000 * seconds)) - dayOf(now);
  if (days > 0 && seconds > 6 * 3600) return format.format(days, 'day');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? format.format(minutes, 'minute') : format.format(Math.ceil(minutes / 60), 'hour');
};

// Returns the message for a rejected vote. server.js adds the say() function to the error thrown by
// ask(). A text in the widget's attributes takes precedence over the words in this file.
export function say(widget, word) {
  const {code, policy, retry_after: seconds} = this;
  const name = nameOf(policy);
  const general = code === 'ratingd_cooldown' ? 'cooldown' : 'limited';
  if (!(name in words) || !(seconds > 0) || widget.hasAttribute('data-label-' + general)) {
    return word(widget, general) || words[general];
  }
  let time;
  try {
    time = inTime(document.documentElement.lang.replaceAll('_', '-') || 'en', seconds);
  } catch {
    time = inTime('en', seconds); // The page's "lang" is not a valid language tag.
  }
  const theirs = word(widget, name, time) || (general === 'limited' && word(widget, general));
  // The words in this file are English, so the time must also be in English.
  return theirs || words[name].replace('{n}', inTime('en', seconds));
}
