'use strict';

// Says so if nginx does not serve the page's script. This script is in front of it, and listens while
// the event goes down, because errors of loading do not bubble.
const sayThatItIsMissing = ({target}) => {
  if (target.id === 'ratingd-admin-js') document.getElementById('ratingd-admin-missing').hidden = false;
};
window.addEventListener('error', sayThatItIsMissing, true);
