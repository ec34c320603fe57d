import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** HTML in a reply is shown as text, an image as its description, a task as a box: nothing of it is parsed, loaded or a form. */
const markdown = new Marked({
  renderer: {
    html: ({ text }) => escape(text),
    image: ({ text }) => escape(text),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

/** The possible parts of a model's Markdown: text, lists, code and tables. No images, forms, styles or scripts. */
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr', 'a'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'align', 'class'],
  ALLOWED_URI_REGEXP: /^https?:/i,
  ADD_URI_SAFE_ATTR: ['align'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  // The class of a code block names its language; any other could look like a part of this page.
  const language = node.tagName === 'CODE' ? /^language-([\w+#.-]{1,20})$/.exec(node.className)?.[1] : undefined
  node.removeAttribute('class')
  if (language !== undefined) node.setAttribute('class', `language-${language}`)
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noreferrer noopener')
})

/** Puts a button that copies, and the name of the language, above each block of code. */
function addCopyButtons(root: HTMLElement): void {
  for (const block of root.querySelectorAll('pre')) {
    const bar = document.createElement('div')
    bar.className = 'code-bar'
    const name = document.createElement('span')
    name.textContent = block.querySelector('code')?.className.replace('language-', '') ?? ''
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = 'Copy'
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.textContent).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'The browser refused; select the text and copy it'),
      )
    })
    bar.append(name, button)
    block.before(bar)
    block.tabIndex = 0
  }
}

/** A finished text of a model, its Markdown drawn. */
export function Markdown({ text }: { readonly text: string }): VNode {
  const element = useRef<HTMLDivElement>(null)
  const html = useMemo(() => DOMPurify.sanitize(markdown.parse(text, { async: false }), allowed), [text])
  useEffect(() => {
    if (element.current) addCopyButtons(element.current)
  }, [html])
  return <div class="markdown" ref={element} dangerouslySetInnerHTML={{ __html: html }} />
}
