// Reads and writes the URL hash, which has the form #/view/more/words?parameter=value.

export function parseHash() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...rest] = path.split('/').map(decodeURIComponent);
  return {name, path: rest, params: new URLSearchParams(query)};
}

export const hashFor = (path, params) => {
  const query = new URLSearchParams(Object.entries(params || {}).filter(([, value]) => value)).toString();
  return '#/' + path.map(encodeURIComponent).join('/') + (query ? '?' + query : '');
};
