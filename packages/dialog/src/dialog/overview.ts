import { textOf } from '@modelport/core'
import type { DialogNode } from './dialog-node.js'

const most = 60

/** A table of messages for people. */
export function toOverview(nodes: readonly DialogNode[]): string {
  const rows = nodes.map((node, index) => {
    const { message, turn } = node
    return [String(index + 1), message.role, turn?.prompt.path ?? '', describeNode(node)]
  })
  const table = [['#', 'role', 'prompt', 'text'], ...rows]
  const widths = [0, 1, 2].map((column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  )
  const lines = table.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  )
  return lines.map((line) => line.trimEnd()).join('\n')
}

/** One line for a message. */
export function describeNode({ message }: Pick<DialogNode, 'message'>): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  const text = [
    textOf(message.content),
    ...calls.map(({ name, argumentsText }) => `${name}(${argumentsText})`),
  ]
    .filter(Boolean)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
  const parts =
    typeof message.content === 'string' ? [] : message.content.filter(({ type }) => type !== 'text')
  const line = [...parts.map(({ type }) => `[${type}]`), text].join(' ')
  return line.length > most ? `${line.slice(0, most - 3)}...` : line
}
