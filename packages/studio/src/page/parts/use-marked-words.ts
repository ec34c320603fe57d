import { useEffect, useRef, useState } from 'preact/hooks'
import { diffWords, isAlike } from './text-diff.js'

/** The text of drawn Markdown, and where each of its nodes begins in it. */
function readText(root: Element): {
  readonly text: string
  readonly nodes: readonly (readonly [at: number, Text])[]
} {
  let text = ''
  const nodes: [number, Text][] = []
  for (const block of root.querySelectorAll(':not(.reasoning) > .markdown > div')) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest('.code-bar')) continue
      nodes.push([text.length, node as Text])
      text += (node as Text).data
    }
    text += '\n'
  }
  return { text, nodes }
}

/**
 * Where `root` has words that `first` has not, as they are drawn; undefined if most of them differ.
 */
function differingWords(root: Element, first: Element): Range[] | undefined {
  const { text, nodes } = readText(root)
  const pieces = diffWords(text, readText(first).text)
  if (!isAlike(pieces)) return undefined
  const ranges: Range[] = []
  let from = 0
  for (const piece of pieces) {
    const to = from + piece.text.length
    for (const [at, node] of piece.same ? [] : nodes) {
      const start = Math.max(from - at, 0)
      const end = Math.min(to - at, node.length)
      if (start >= end) continue
      const range = new Range()
      range.setStart(node, start)
      range.setEnd(node, end)
      ranges.push(range)
    }
    from = to
  }
  return ranges
}

/**
 * Marks the words of this column that the first column of the page has not, once both are whole,
 * and again when `drawn` changes. Nothing of the text changes: a browser without the CSS Custom
 * Highlight API shows no marks.
 */
export function useMarkedWords(
  isCompared: boolean,
  drawn: string,
): {
  readonly column: { current: HTMLElement | null }
  /** True if most words differ, so that none is marked. */
  readonly isUnlike: boolean
} {
  const column = useRef<HTMLElement>(null)
  const [isUnlike, setUnlike] = useState(false)
  useEffect(() => {
    const root = column.current
    const first = document.querySelector('.column')
    if (!isCompared || !root || !first || !('highlights' in CSS)) return undefined
    const marks = CSS.highlights.get('differs') ?? new Highlight()
    CSS.highlights.set('differs', marks)
    let ranges: Range[] | undefined
    const mark = (): void => {
      ranges = differingWords(root, first)
      for (const range of ranges ?? []) marks.add(range)
      setUnlike(ranges === undefined)
    }
    // Code is coloured once it is whole, which draws it anew.
    const isColoured = document.querySelector('.column pre code[class]') !== null
    void (isColoured ? import('./highlight.js') : Promise.resolve()).then(mark)
    return () => {
      for (const range of ranges ?? []) marks.delete(range)
    }
  }, [isCompared, drawn])
  return { column, isUnlike }
}
