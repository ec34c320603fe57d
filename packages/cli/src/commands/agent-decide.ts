import type { RequestDecision, requestsOf, Task } from '@modelport/agent'
import { answerQuestion } from '../context/answer-question.js'
import type { Cli } from '../context/cli.js'
import { isYes } from '../context/is-yes.js'
import { createLineReader, type LineReader } from '../context/line-reader.js'
import { UsageError } from '../errors/exit-codes.js'
import { shellWord } from '../terminal/shell-word.js'
import { type KnownOutcome, outcomeFlags } from './call-outcome.js'

type Request = ReturnType<typeof requestsOf>[number]

/** Decides what a task of an agent waits for. */
export interface Decider {
  readonly cli: Cli
  readonly url: string
  /** Approves every call that needs approval: `--yes`. */
  readonly yes: boolean
  /** What became of a call, as the command line says. It is used once. */
  known: (KnownOutcome & { readonly request?: string }) | undefined
}

/**
 * Asks a person at a terminal about each request. Without one, calls are refused unless `--yes`
 * approves them. Nobody answers a question, or says what became of a call, for a person: those stay
 * open, and have no decision.
 */
export async function decide(
  decider: Decider,
  task: Task,
  requests: readonly Request[],
): Promise<RequestDecision[]> {
  const { io } = decider.cli
  const lines = createLineReader(io)
  const named = uncertainOf(decider, requests)
  const decisions: RequestDecision[] = []
  try {
    for (const request of requests) {
      const { requestId, digest } = request
      const said = request.question
        ? await answer(decider.cli, lines, request.question)
        : request.uncertain
          ? await outcomeOf(decider, lines, task, request, named)
          : await approvalOf(decider, lines, request)
      if (said) decisions.push({ requestId, ...said, ...(digest !== undefined && { digest }) })
    }
  } finally {
    // A pipe may still be read elsewhere; only a terminal was opened here.
    if (io.stdin.isTTY) lines.close()
  }
  return decisions
}

type Said = Omit<RequestDecision, 'requestId' | 'digest'> | undefined

/** True where a person can be asked. */
const hasPerson = ({ io, json }: Cli): boolean => io.stdin.isTTY === true && !json

async function answer(
  cli: Cli,
  lines: LineReader,
  question: NonNullable<Request['question']>,
): Promise<Said> {
  if (!hasPerson(cli)) return undefined
  const given = await answerQuestion(cli, lines, question)
  return given.action === 'accept'
    ? { approved: true, content: given.content }
    : { approved: false }
}

async function approvalOf(
  { cli, yes }: Decider,
  lines: LineReader,
  request: Request,
): Promise<Said> {
  const { err, io, json } = cli
  // The agent wrote this text: a person must see that it is a claim.
  if (!json) err.line(`the agent asks to run ${err.foreign(describe(request))}`)
  const approved = yes || (io.stdin.isTTY === true && isYes(await lines.answer('approve? [y/N] ')))
  if (!approved && !io.stdin.isTTY && !json)
    err.line('refused: not a terminal; pass --yes to approve every request')
  return { approved }
}

/**
 * The call that the command line speaks of.
 * @throws {UsageError} it speaks of none, or of several
 */
function uncertainOf({ known }: Decider, requests: readonly Request[]): Request | undefined {
  if (!known) return undefined
  const open = requests.filter(({ uncertain }) => uncertain)
  const [first, second] =
    known.request === undefined ? open : open.filter(({ requestId }) => requestId === known.request)
  if (first && !second) return first
  const ids = open.map(({ requestId }) => shellWord(requestId)).join(', ')
  throw new UsageError(
    ids
      ? `say which call with --request; the outcome of these is unknown: ${ids}`
      : 'the task waits for no call whose outcome is unknown',
  )
}

/** What became of a call: a yes that was given beforehand is not an answer to that. */
async function outcomeOf(
  decider: Decider,
  lines: LineReader,
  task: Task,
  request: Request,
  named: Request | undefined,
): Promise<Said> {
  const { cli, known } = decider
  if (known && request === named) {
    decider.known = undefined
    const { request: _, ...outcome } = known
    return outcome
  }
  const { err, json } = cli
  if (!json)
    err.line(
      `nobody knows whether this call of the agent happened: ${err.foreign(describe(request))}`,
    )
  if (hasPerson(cli)) return askOutcome(cli, lines)
  if (!json)
    for (const line of [
      'left open: find out at its receiver, then say what became of it:',
      ...outcomeCommands(decider.url, task.id, request.requestId).map((command) => `  ${command}`),
    ])
      err.line(err.foreign(line))
  return undefined
}

/**
 * Whole words only: a y would be typed from habit, and an n, which refuses elsewhere, would execute
 * the call here.
 */
async function askOutcome({ err }: Cli, lines: LineReader): Promise<Said> {
  for (;;) {
    const said = await lines.answer(
      'what became of it? happened, did-not-happen (it is executed now) or unknown; Enter leaves it open: ',
    )
    const word = said?.trim().toLowerCase().replaceAll(' ', '-') ?? ''
    if (word === '') return undefined
    if (word === 'did-not-happen' || word === 'unknown') return { outcome: word }
    if (word !== 'happened') {
      err.line('type one of the words: happened, did-not-happen, unknown')
      continue
    }
    const result = (await lines.answer('what did it return, for the model? '))?.trim()
    return { outcome: word, ...(result && { result }) }
  }
}

function describe({ action, path, reason }: Request): string {
  const facts = [
    ...(path?.length ? [`from ${path.join(' → ')}`] : []),
    ...(reason === undefined ? [] : [reason]),
  ]
  return `${JSON.stringify(action ?? {})}${facts.length ? ` (${facts.join('; ')})` : ''}`
}

/** The commands by which a caller says what became of a call. The server chose the ids. */
export const outcomeCommands = (url: string, task: string, request: string): readonly string[] =>
  outcomeFlags.map(
    (flag) =>
      `modelport agent send ${shellWord(url)} --task ${shellWord(task)} --request ${shellWord(request)} ${flag}`,
  )
