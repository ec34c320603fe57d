import { isDeepStrictEqual } from 'node:util'
import {
  type AgentClient,
  AgentError,
  answerOf,
  type ClientEvent,
  createPart,
  isAgentError,
  isInterrupted,
  isTerminal,
  requestsOf,
  type Task,
} from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { type AgentCallOptions, withAgent } from '../agents/agent-client.js'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { shellWord } from '../terminal/shell-word.js'
import { type Decider, decide } from './agent-decide.js'
import { anyOutcome, type OutcomeOptions, toKnownOutcome } from './call-outcome.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport agent send`. */
export interface SendCommandOptions extends AgentCallOptions, OutcomeOptions {
  readonly task?: string
  readonly session?: string
  readonly yes?: boolean
  readonly request?: string
}

/**
 * Sends a message, streams the reply, and asks for each approval until the task is over, needs
 * another message, or waits for somebody to say what became of a call.
 */
export async function sendToAgent(
  cli: Cli,
  url: string,
  words: readonly string[],
  options: SendCommandOptions,
): Promise<number> {
  const known = knownOf(options)
  const prompt = await readPrompt(cli, words, options.task !== undefined)
  const [task, refused] = await withAgent(cli, url, options, (client) =>
    converse(cli, url, client, prompt, options, known),
  )
  const code = report(cli, url, task)
  return refused ? exitCodes.refused : code
}

/** What became of a call, as the options say. @throws {UsageError} of no task, or without it */
function knownOf({ task, request, ...options }: SendCommandOptions): Decider['known'] {
  const known = toKnownOutcome(options)
  if (!known && request === undefined) return undefined
  if (!known) throw new UsageError(`--request needs ${anyOutcome}`)
  if (task === undefined)
    throw new UsageError('an outcome is that of a call of a task: name the task with --task')
  return { ...known, ...(request !== undefined && { request }) }
}

/**
 * Resolves to the task once it is over or needs another message, and whether an approval was
 * refused.
 */
async function converse(
  cli: Cli,
  url: string,
  client: AgentClient,
  prompt: string,
  options: SendCommandOptions,
  known: Decider['known'],
): Promise<[task: Task, refused: boolean]> {
  const { signal } = cli
  const view = new ReplyView(cli, client)
  const cancelTask = async (): Promise<void> => {
    if (view.taskId !== undefined)
      await client.cancel(view.taskId, 'the caller interrupted').catch(() => undefined)
  }
  try {
    const first = given({ taskId: options.task, sessionId: options.session }, 'taskId', 'sessionId')
    let refused = false
    let task =
      prompt.trim() === '' && options.task !== undefined
        ? await view.continueReading(options.task)
        : await view.follow(client.stream(prompt, { ...first, signal }))
    const decider: Decider = { cli, url, yes: options.yes === true, known }
    for (let open = requestsOf(task); open.length; open = requestsOf(task)) {
      const decisions = await decide(decider, task, open)
      if (!decisions.length) break
      const message = decisions.map((decision) => createPart.request(decision))
      try {
        task = await view.follow(client.stream(message, { taskId: task.id, signal }))
        refused ||= decisions.some(({ approved }) => approved === false)
      } catch (error) {
        if (
          !isAgentError(error) ||
          isDeepStrictEqual(requestsOf(await client.get(task.id, { signal })), open)
        )
          throw error
        if (!cli.json) cli.err.line('the request was decided by somebody else meanwhile')
        task = await view.continueReading(task.id)
      }
    }
    return [task, refused]
  } catch (error) {
    // Ctrl-C means that the reply is not wanted: closing the stream alone would leave the task
    // running.
    if (signal.aborted) await cancelTask()
    else if (view.taskId !== undefined && !isAgentError(error) && !cli.json)
      cli.err.line(
        cli.err.foreign(
          `task ${view.taskId} may not be over; continue it: ${nextCommand(url, view.taskId)}`,
        ),
      )
    throw error
  }
}

/** Prints the reply of a task: as it streams at a terminal, when it is finished into a pipe. */
class ReplyView {
  readonly #cli: Cli
  readonly #client: AgentClient
  readonly #filter: (text: string) => string
  #isLineOpen = false
  taskId: string | undefined

  constructor(cli: Cli, client: AgentClient) {
    this.#cli = cli
    this.#client = client
    this.#filter = cli.out.foreignStream()
  }

  /** Reads one stream to its end and resolves to the task as it is then. */
  async follow(events: AsyncIterable<ClientEvent>): Promise<Task> {
    let hasText = false
    let last: Task | undefined
    for await (const event of events) {
      if (event.type === 'task') this.taskId = (last = event.task).id
      if (this.#cli.json) this.#cli.out.json(event)
      else hasText = this.#show(event, hasText)
    }
    const task = last && hasStopped(last) ? last : await this.#latest()
    if (!this.#cli.json) this.#end(task, hasText)
    return task
  }

  /** Reads what happens to a task from now on; resolves at once if it is over or waits. */
  async continueReading(id: string): Promise<Task> {
    this.taskId = id
    const task = await this.#latest()
    if (!hasStopped(task)) return this.follow(this.#client.subscribe(id, this.#cli.signal))
    if (this.#cli.json) this.#cli.out.json({ type: 'task', task })
    else this.#end(task, false)
    return task
  }

  async #latest(): Promise<Task> {
    if (this.taskId === undefined)
      throw new LlmError('protocol', 'the agent sent no task; ask its operator')
    return this.#client.get(this.taskId, { signal: this.#cli.signal })
  }

  #show(event: ClientEvent, hasText: boolean): boolean {
    const { out, err } = this.#cli
    if (event.type === 'progress' && event.message !== undefined)
      err.line(err.style('dim', err.foreign(event.message)))
    // A pipe cannot take back the text of a lost attempt, so it gets the finished reply.
    if (event.type !== 'text-delta' || !out.terminal) return hasText
    if (event.first && hasText) {
      if (this.#isLineOpen) out.line()
      err.line(err.style('dim', 'the reply starts again'))
    }
    out.write(this.#filter(event.text))
    this.#isLineOpen = !event.text.endsWith('\n')
    return true
  }

  /** Ends the line; prints the reply of an agent that did not stream it. */
  #end(task: Task, hasText: boolean): void {
    const { out } = this.#cli
    if (this.#isLineOpen) out.line()
    this.#isLineOpen = false
    const isShown =
      hasText || requestsOf(task).length > 0 || task.state === 'failed' || task.state === 'rejected'
    const answer = isShown ? '' : answerOf(task)
    if (answer) out.line(out.foreign(answer))
  }
}

const hasStopped = ({ state }: Task): boolean => isTerminal(state) || isInterrupted(state)

/** @throws {AgentError} the task failed, was rejected or was cancelled. */
function report({ err, json }: Cli, url: string, task: Task): number {
  const { id, state } = task
  if (state === 'completed') return exitCodes.done
  if (isTerminal(state)) {
    const text = answerOf(task).slice(0, 2_000)
    throw new AgentError(
      state === 'rejected' ? 'forbidden' : 'internal',
      `task ${id} is ${state}${text ? `: ${text}` : ''}`,
    )
  }
  if (!json)
    err.line(err.foreign(`task ${id} is ${state}; continue it: ${nextCommand(url, id)} "…"`))
  return requestsOf(task).some(({ uncertain }) => uncertain) ? exitCodes.undecided : exitCodes.done
}

/** The server chose the id. */
const nextCommand = (url: string, id: string): string =>
  `modelport agent send ${shellWord(url)} --task ${shellWord(id)}`
