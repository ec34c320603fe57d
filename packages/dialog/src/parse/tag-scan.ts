/** The contents of one tag or fence in a text. */
export interface Found {
  readonly contents: readonly string[]
  /** True when the last one is not closed; its content so far is `open`. */
  readonly isOpen: boolean
  readonly open: string
}

/** The contents of `<name>…</name>`, in one pass. */
export function scanXml(text: string, name: string): Found {
  const opening = `<${name}>`
  const closing = `</${name}>`
  const contents: string[] = []
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at)) {
    const from = at + opening.length
    const end = text.indexOf(closing, from)
    if (end < 0) return { contents, isOpen: true, open: text.slice(from) }
    contents.push(text.slice(from, end))
    at = end + closing.length
  }
  return { contents, isOpen: false, open: '' }
}

/**
 * The contents of every Markdown code fence, by the first word after its opening backticks or
 * tildes, in one pass over the lines.
 */
export function scanFences(text: string): ReadonlyMap<string, Found> {
  const fences = new Map<string, Entry>()
  let fence: { readonly name: string; readonly mark: string; readonly from: number } | undefined
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    const next = end + 1
    const mark = markAt(text, from, end)
    if (!fence && mark) {
      const name =
        text
          .slice(mark.end, Math.min(end, mark.end + 200))
          .trim()
          .split(/\s/, 1)[0] ?? ''
      fence = { name, mark: mark.text, from: Math.min(next, text.length) }
    } else if (
      fence &&
      mark &&
      closes(fence.mark, mark.text) &&
      !text.slice(mark.end, end).trim()
    ) {
      entryOf(fences, fence.name).contents.push(
        text.slice(fence.from, Math.max(fence.from, from - 1)),
      )
      fence = undefined
    }
    from = next
  }
  if (fence)
    Object.assign(entryOf(fences, fence.name), { isOpen: true, open: text.slice(fence.from) })
  return fences
}

type Entry = Found & { readonly contents: string[] }

function entryOf(fences: Map<string, Entry>, name: string): Entry {
  const entry = fences.get(name) ?? { contents: [], isOpen: false, open: '' }
  fences.set(name, entry)
  return entry
}

const closes = (opening: string, mark: string): boolean => mark.startsWith(opening)

/**
 * The run of at least three backticks or tildes that a line starts with, after at most three
 * spaces.
 */
function markAt(
  text: string,
  from: number,
  end: number,
): { readonly text: string; readonly end: number } | undefined {
  let at = from
  while (at < end && at < from + 3 && text[at] === ' ') at++
  const letter = text[at]
  if (letter !== '`' && letter !== '~') return undefined
  let after = at
  while (after < end && text[after] === letter) after++
  return after - at >= 3 ? { text: text.slice(at, after), end: after } : undefined
}
