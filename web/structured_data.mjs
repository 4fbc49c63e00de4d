// Finds what search engines find in pages without running scripts. Reads a list of pages (HTML) as JSON. Prints the
// nodes with a rating and the validator's errors for each page.
import {readFileSync} from 'node:fs';
import Validator from '@adobe/structured-data-validator';
import WebAutoExtractor from '@marbec/web-auto-extractor';

const validator = new Validator();
// The second set of rules for products is for merchant listings. Ratings belong to product snippets.
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
