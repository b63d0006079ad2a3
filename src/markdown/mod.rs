//! Markdown as text: front matter, sections, links, slugs, sanitising. No input or output.
