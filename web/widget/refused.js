// Says why a vote is refused for some time, and when the visitor may try again. ratingd-widget.js loads this file if
// the answer to a vote has status 429.

const words = {
  limited: 'Too many ratings. Try again later.',
  wait_revote: 'You have already rated this. You can change your rating {n}.',
  wait_cooldown: 'You rated a moment ago. Please try again {n}.',
  wait_voter: 'You have rated enough for today. Please try again {n}.',
  wait_network: 'Too many ratings from your network. Please try again {n}.',
};

// The limits are those of RateLimit-Policy. The words for other limits do not depend on the time.
const ofNetworks = ['address', 'new-voters', 'write'];
const nameOf = (policy) => 'wait_' + (ofNetworks.includes(policy) ? 'network' : policy);

const dayOf = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 864e5;

// "in 5 minutes", "in 1 hour", "tomorrow".
const inTime = (language, seconds) => {
  const format = new Intl.RelativeTimeFormat(language, {numeric: 'auto'});
  const now = new Date();
  const days = dayOf(new Date(+now + 1000 * seconds)) - dayOf(now);
  if (days > 0 && seconds > 6 * 3600) return format.format(days, 'day');
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? format.format(minutes, 'minute') : format.format(Math.ceil(minutes / 60), 'hour');
};

// Returns the text for an error of ask(), of which it becomes a method. A text of the widget itself comes first.
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
    time = inTime('en', seconds); // The page's language has no valid tag.
  }
  const theirs = word(widget, name, time) || (general === 'limited' && word(widget, general));
  // Our own words are English, whatever the page's language is.
  return theirs || words[name].replace('{n}', inTime('en', seconds));
}
