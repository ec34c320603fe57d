import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** HTML in a reply is shown as text, and an image as its description: nothing of it is parsed or loaded. */
const markdown = new Marked({
  renderer: { html: ({ text }) => escape(text), image: ({ text }) => escape(text) },
})

/** What the Markdown of a model may become: text, lists, code and tables. No images, forms, styles or scripts. */
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr', 'a'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href'],
  ALLOWED_URI_REGEXP: /^https?:/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noreferrer noopener')
})

/** A finished text of a model, its Markdown drawn. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const html = useMemo(() => DOMPurify.sanitize(markdown.parse(text, { async: false }), allowed), [text])
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
