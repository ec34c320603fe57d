import { isDeepStrictEqual } from 'node:util'
import {
  type AgentClient,
  AgentError,
  type ApprovalDecision,
  answerOf,
  approvalsOf,
  type ClientEvent,
  createPart,
  isAgentError,
  isInterrupted,
  isTerminal,
  type Task,
} from '@modelport/agent'
import { LlmError } from '@modelport/core'
import { type AgentCallOptions, withAgent } from '../agents/agent-client.js'
import { answerQuestion } from '../context/answer-question.js'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { isYes } from '../context/is-yes.js'
import { createLineReader } from '../context/line-reader.js'
import { exitCodes } from '../errors/exit-codes.js'
import { shellWord } from '../terminal/shell-word.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport agent send`. */
export interface SendCommandOptions extends AgentCallOptions {
  readonly task?: string
  readonly session?: string
  readonly yes?: boolean
}

/**
 * Sends a message, streams the reply, and asks for each approval until the task is over or needs
 * another message.
 */
export async function sendToAgent(
  cli: Cli,
  url: string,
  words: readonly string[],
  options: SendCommandOptions,
): Promise<number> {
  const prompt = await readPrompt(cli, words, options.task !== undefined)
  const [task, refused] = await withAgent(cli, url, options, (client) =>
    converse(cli, url, client, prompt, options),
  )
  const code = report(cli, url, task)
  return refused ? exitCodes.refused : code
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
    for (let open = approvalsOf(task); open.length; open = approvalsOf(task)) {
      const decisions = await decide(cli, open, options.yes === true)
      if (!decisions.length) break
      const message = decisions.map((decision) => createPart.approval(decision))
      try {
        task = await view.follow(client.stream(message, { taskId: task.id, signal }))
        refused ||= decisions.some(({ approved }) => !approved)
      } catch (error) {
        if (
          !isAgentError(error) ||
          isDeepStrictEqual(approvalsOf(await client.get(task.id, { signal })), open)
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
      hasText ||
      approvalsOf(task).length > 0 ||
      task.state === 'failed' ||
      task.state === 'rejected'
    const answer = isShown ? '' : answerOf(task)
    if (answer) out.line(out.foreign(answer))
  }
}

const hasStopped = ({ state }: Task): boolean => isTerminal(state) || isInterrupted(state)

type Approvals = ReturnType<typeof approvalsOf>

/**
 * Asks a person at a terminal about each request; refuses without a terminal, unless `--yes`
 * approves all.
 */
async function decide(cli: Cli, requests: Approvals, yes: boolean): Promise<ApprovalDecision[]> {
  const { err, io } = cli
  const lines = createLineReader(io)
  const decisions: ApprovalDecision[] = []
  try {
    for (const { requestId, digest, action, path, reason, question } of requests) {
      if (question) {
        // Nobody answers for a person: without a terminal the question stays open.
        if (!io.stdin.isTTY || cli.json) continue
        const answer = await answerQuestion(cli, lines, question)
        const content =
          answer.action === 'accept'
            ? { approved: true, content: answer.content }
            : { approved: false }
        decisions.push({ requestId, ...content, ...(digest !== undefined && { digest }) })
        continue
      }
      const facts = [
        ...(path?.length ? [`from ${path.join(' → ')}`] : []),
        ...(reason === undefined ? [] : [reason]),
      ]
      const what = `${JSON.stringify(action ?? {})}${facts.length ? ` (${facts.join('; ')})` : ''}`
      // The agent wrote this text: a person must see that it is a claim.
      if (!cli.json) err.line(`the agent asks to run ${err.foreign(what)}`)
      const approved =
        yes || (io.stdin.isTTY === true && isYes(await lines.answer('approve? [y/N] ')))
      if (!approved && !io.stdin.isTTY && !cli.json)
        err.line('refused: not a terminal; pass --yes to approve every request')
      decisions.push({ requestId, approved, ...(digest !== undefined && { digest }) })
    }
  } finally {
    // A pipe may still be read elsewhere; only a terminal was opened here.
    if (io.stdin.isTTY) lines.close()
  }
  return decisions
}

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
  return exitCodes.done
}

/** The server chose the id. */
const nextCommand = (url: string, id: string): string =>
  `modelport agent send ${shellWord(url)} --task ${shellWord(id)}`
