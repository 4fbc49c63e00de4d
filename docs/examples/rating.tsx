// A rating in React 19 or newer, which shows how many voted. The page loads the widget's script once:
// <script src="/wp-json/ratingd/v1/ratingd-widget.js" defer></script>
// "use client": Next renders the component on its server and hydrates it in the browser.
"use client";

import { useEffect, useRef, useState, type DetailedHTMLProps, type HTMLAttributes } from "react";
import type { RatingAttributes, Updated } from "ratingd-client";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "ratingd-rating": RatingAttributes & DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement>;
    }
  }
}

export function Rating({ product }: { product: number }) {
  const element = useRef<HTMLElement>(null);
  const [total, setTotal] = useState(0);
  useEffect(() => {
    const current = element.current;
    const update = (event: Event) => setTotal((event as CustomEvent<Updated>).detail.stats.scale.total);
    current?.addEventListener("ratingd:updated", update);
    return () => current?.removeEventListener("ratingd:updated", update);
  }, []);
  return (
    <p>
      {/* The last two attributes leave the content of the element to its script, also in pages from a server. */}
      <ratingd-rating
        ref={element}
        object-id={product}
        object-type="product"
        template="simple/stars"
        counts="false"
        dangerouslySetInnerHTML={{ __html: "" }}
        suppressHydrationWarning
      />
      {total} customers rated this
    </p>
  );
}
