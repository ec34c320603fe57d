import DOMPurify from 'dompurify'
import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = {
  bash,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}
for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language)
core.registerAliases(['js', 'javascript', 'jsx'], { languageName: 'typescript' })

/** Its own instance: the page's hooks take classes away. */
const purify = DOMPurify(window)

/**
 * Colours a piece of code by classes, in place; a language that is not here stays as it is. This
 * file is loaded with the first piece.
 */
export function highlight(element: HTMLElement, language: string): void {
  if (!core.getLanguage(language)) return
  const { value } = core.highlight(element.textContent, { language, ignoreIllegals: true })
  element.innerHTML = purify.sanitize(value, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] })
}
