import type { Dialog } from './dialog.js'
import { type DialogNode, nodesOf } from './dialog-node.js'
import { describeNode } from './overview.js'

/** A run of messages that the same dialogs share, and what follows it. */
export interface ForkBranch {
  /** Number of the first message; the first of a dialog is 1. */
  readonly from: number
  readonly to: number
  /** The dialogs that end here, by their place in the list. */
  readonly ends: readonly number[]
  /** Where they part. */
  readonly branches: readonly ForkBranch[]
}

/** How dialogs share their past: one branch for each dialog without a shared first message. */
export function forkTree(dialogs: readonly Dialog[]): readonly ForkBranch[] {
  const paths = dialogs.map(({ node }, index) => ({ index, nodes: nodesOf(node) }))
  return branchesOf(paths, 0)
}

/** The tree of forks as text, a line for each branch. */
export function describeForks(dialogs: readonly Dialog[]): string {
  const lines: string[] = []
  const add = (branch: ForkBranch, depth: number, node: DialogNode | undefined): void => {
    const ends = branch.ends.length ? `  <- dialog ${branch.ends.map((end) => end + 1).join(', ')}` : ''
    const range = branch.from === branch.to ? `#${branch.from}` : `#${branch.from}-${branch.to}`
    lines.push(`${'  '.repeat(depth)}${range} ${node ? describeNode(node) : ''}${ends}`)
    for (const inner of branch.branches) add(inner, depth + 1, firstNode(dialogs, inner))
  }
  for (const branch of forkTree(dialogs)) add(branch, 0, firstNode(dialogs, branch))
  return lines.join('\n')
}

interface Path {
  readonly index: number
  readonly nodes: readonly DialogNode[]
}

function branchesOf(paths: readonly Path[], at: number): readonly ForkBranch[] {
  const groups = new Map<DialogNode | undefined, Path[]>()
  for (const path of paths)
    if (path.nodes.length > at) groups.set(path.nodes[at], [...(groups.get(path.nodes[at]) ?? []), path])
  return [...groups.values()].map((group) => {
    let to = at + 1
    while (group.every(({ nodes }) => nodes.length > to && nodes[to] === group[0]?.nodes[to])) to++
    return {
      from: at + 1,
      to,
      ends: group.filter(({ nodes }) => nodes.length === to).map(({ index }) => index),
      branches: branchesOf(group, to),
    }
  })
}

function firstNode(dialogs: readonly Dialog[], branch: ForkBranch): DialogNode | undefined {
  let end: ForkBranch | undefined = branch
  while (end && !end.ends.length) end = end.branches[0]
  const index = end?.ends[0]
  return index === undefined ? undefined : nodesOf(dialogs[index]?.node)[branch.from - 1]
}
