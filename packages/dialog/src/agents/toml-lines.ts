/** The line of a key in a TOML text, or of the nearest table header above it; the first line is 1. Undefined when neither is found. */
export function lineOfTomlKey(text: string, path: readonly string[]): number | undefined {
  let table: readonly string[] = []
  let inString: string | undefined
  let best: { readonly line: number; readonly depth: number } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    if (inString === undefined) {
      const header = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
      const key = /^\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=/.exec(line)?.[1]
      if (header !== undefined) table = partsOf(header)
      const found = header !== undefined ? table : key === undefined ? undefined : [...table, ...partsOf(key)]
      const fits = found?.every((part, at) => part === path[at]) && found.length <= path.length
      if (found && fits && found.length > (best?.depth ?? 0)) best = { line: index + 1, depth: found.length }
    }
    // A line with an odd number of triple quotes begins or ends a text of several lines.
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (inString === undefined) inString = mark
      else if (inString === mark) inString = undefined
    }
  }
  return best?.line
}

const partsOf = (key: string): readonly string[] =>
  [...key.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
