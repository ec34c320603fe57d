import type { Dialog } from './dialog.js'
import { type DialogNode, nodesOf } from './dialog-node.js'
import { describeNode } from './overview.js'

/** The messages of a dialog, and its number in the list. */
interface Path {
  readonly number: number
  readonly nodes: readonly DialogNode[]
}

/** The tree of forks as text, a line for each run of messages that the same dialogs share. */
export function describeForks(dialogs: readonly Dialog[]): string {
  const paths = dialogs.map(({ node }, index) => ({ number: index + 1, nodes: nodesOf(node) }))
  return branchLines(paths, 0, 0).join('\n')
}

/**
 * The lines of these dialogs from a message on: a run that some of them share, then what follows
 * it, indented.
 */
function branchLines(paths: readonly Path[], at: number, depth: number): readonly string[] {
  const groups = new Map<DialogNode, Path[]>()
  for (const path of paths) {
    const node = path.nodes[at]
    if (node) groups.set(node, [...(groups.get(node) ?? []), path])
  }
  return [...groups].flatMap(([first, group]) => {
    let to = at + 1
    while (group.every(({ nodes }) => nodes.length > to && nodes[to] === group[0]?.nodes[to])) to++
    const ending = group.filter(({ nodes }) => nodes.length === to).map(({ number }) => number)
    const ends = ending.length ? `  <- dialog ${ending.join(', ')}` : ''
    const range = to === at + 1 ? `#${to}` : `#${at + 1}-${to}`
    return [
      `${'  '.repeat(depth)}${range} ${describeNode(first)}${ends}`,
      ...branchLines(group, to, depth + 1),
    ]
  })
}
