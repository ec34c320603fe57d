// What people see of their tasks, and which errors nobody may see.
import { type AgentClient, answerOf, isTerminal, type Task } from '@modelport/agent'
import type { SeenLine } from './audit.js'

type Note = (line: Omit<SeenLine, 'at'>) => void

const isTask = (value: unknown): value is Task =>
  typeof value === 'object' && value !== null && 'artifacts' in value && 'state' in value

const lineOf = (task: Task): Omit<SeenLine, 'at'> => ({
  task: task.id,
  state: task.state,
  answer: answerOf(task),
})

function note(value: unknown, onSeen: Note): void {
  if (isTask(value) && isTerminal(value.state)) onSeen(lineOf(value))
}

async function* notingEach(events: AsyncIterable<unknown>, onSeen: Note): AsyncGenerator {
  for await (const event of events) {
    note((event as { readonly task?: unknown }).task, onSeen)
    yield event
  }
}

/** A client that notes each task that is over, as its user sees it. */
export const noting = (client: AgentClient, onSeen: Note): AgentClient =>
  new Proxy(client, {
    get(target, name) {
      const own: unknown = target[name as keyof AgentClient]
      if (typeof own !== 'function') return own
      return (...given: readonly unknown[]): unknown => {
        const result: unknown = (own as (...given: readonly unknown[]) => unknown).apply(
          target,
          given as unknown[],
        )
        if (result instanceof Promise)
          return result.then((value: unknown) => {
            note(value, onSeen)
            return value
          })
        return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
          ? notingEach(result as AsyncIterable<unknown>, onSeen)
          : result
      }
    },
  })

/** True for an error of a program, and of a database that was asked wrongly: no documented one. */
export function isDefect(error: unknown): boolean {
  if (!(error instanceof Error) || /fetch failed|terminated/.test(error.message)) return false
  const text = `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError ||
    /constraint failed|syntax error|no such (?:table|column)/i.test(text)
  )
}
