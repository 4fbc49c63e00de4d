// What search engines find in pages whose scripts do not run: reads a list of pages (HTML) as JSON, and prints for
// each of them the nodes that have a rating, and the errors that the validator finds.
import {readFileSync} from 'node:fs';
import Validator from '@adobe/structured-data-validator';
import WebAutoExtractor from '@marbec/web-auto-extractor';

const validator = new Validator();
// The second set of rules for products is that of merchant listings; ratings belong to product snippets.
validator.registeredHandlers.Product.length = 1;

const rated = (node) =>
  node && typeof node === 'object'
    ? [...(node.aggregateRating ? [node] : []), ...Object.values(node).flatMap(rated)]
    : [];

const read = async (page) => {
  const found = new WebAutoExtractor({addLocation: false, embedSource: []}).parse(page);
  const issues = await validator.validate(found);
  return {
    rated: [found.jsonld, found.microdata, found.rdfa].flatMap(rated),
    errors: issues.filter(({severity}) => severity === 'ERROR').map(({issueMessage}) => issueMessage),
  };
};

const pages = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(await Promise.all(pages.map(read))));
