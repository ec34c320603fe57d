import DOMPurify from 'dompurify'
import { Marked, type Token } from 'marked'
import { render, type VNode } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { CopyButton } from './copy-button.js'
import { escapeHtml } from './escape-html.js'
import { BlockReader } from './markdown-blocks.js'
import { maths } from './markdown-maths.js'

/**
 * HTML in a reply is shown as text, an image as its description, a task as a box: nothing of it is
 * parsed, loaded or a form.
 */
const markdown = new Marked(maths, {
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    def: ({ raw }) => `<p>${escapeHtml(raw)}</p>`,
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

/**
 * The possible parts of a model's Markdown: text, lists, code and tables. No images, forms, styles
 * or scripts.
 */
const allowed = {
  ALLOWED_TAGS: [
    'p',
    'br',
    'strong',
    'em',
    'del',
    'code',
    'pre',
    'blockquote',
    'ul',
    'ol',
    'li',
    'hr',
    'a',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  ALLOWED_ATTR: ['href', 'align', 'class'],
  ALLOWED_URI_REGEXP: /^https?:/i,
  ADD_URI_SAFE_ATTR: ['align'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  // The class of a code block names its language; any other could look like a part of this page.
  const language =
    node.tagName === 'CODE' ? /^language-([\w+#.-]{1,20})$/.exec(node.className)?.[1] : undefined
  node.removeAttribute('class')
  if (language !== undefined) node.setAttribute('class', `language-${language}`)
  // The marks of a list stand where its text begins: on the right of Arabic and Hebrew.
  if (['UL', 'OL', 'BLOCKQUOTE', 'TABLE'].includes(node.tagName)) node.setAttribute('dir', 'auto')
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noreferrer noopener')
})

/** Characters above which code is not coloured: it would take too long. */
const mostColoured = 20_000

/**
 * Puts the name of the language, and a button that copies, above each block of code; colours it
 * once it is whole.
 */
function finishCode(root: HTMLElement, isFinished: boolean): void {
  for (const block of root.querySelectorAll('pre')) {
    const code = block.querySelector('code')
    const language = code?.className.replace('language-', '') ?? ''
    if (block.previousElementSibling?.className !== 'code-bar')
      block.before(codeBar(block, language))
    block.tabIndex = 0
    if (code && isFinished && language && block.textContent.length < mostColoured)
      void import('./highlight.js').then(({ highlight }) => highlight(code, language))
  }
}

function codeBar(block: HTMLElement, language: string): HTMLElement {
  const bar = document.createElement('div')
  bar.className = 'code-bar'
  const parts = [
    <span key="language">{language}</span>,
    <CopyButton key="copy" text={block.textContent} of="the code" />,
  ]
  render(parts, bar)
  return bar
}

function MarkdownBlock({
  token,
  isFinished,
}: {
  readonly token: Token
  readonly isFinished: boolean
}): VNode {
  const element = useRef<HTMLDivElement>(null)
  const html = useMemo(() => DOMPurify.sanitize(markdown.parser([token]), allowed), [token])
  useEffect(() => {
    if (element.current) finishCode(element.current, isFinished)
  }, [html, isFinished])
  return <div ref={element} dangerouslySetInnerHTML={{ __html: html }} />
}

/**
 * A text of a model, drawn as Markdown while it grows. A block that is finished is drawn once: the
 * same element is given again.
 */
export function Markdown({
  text,
  isOver = true,
}: {
  readonly text: string
  readonly isOver?: boolean
}): VNode {
  const reader = useMemo(() => new BlockReader(), [])
  const drawn = useMemo(() => new Map<Token, VNode>(), [])
  const tokens = useMemo(() => reader.read(text, isOver), [text, isOver])
  const finished = reader.finished
  return (
    <div class="markdown">
      {tokens.map((token, index) => {
        const isFinished = index < finished
        const block = drawn.get(token) ?? (
          <MarkdownBlock key={index} token={token} isFinished={isFinished} />
        )
        if (isFinished) drawn.set(token, block)
        return block
      })}
    </div>
  )
}
