import { isLlmError, isObject, LlmError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { challengeForm, challengeHeader, proofHeader } from '../protocol/program-proof.js'
import { eventStream } from './event-stream.js'
import { type ProgramLine, readLine } from './ingest-forms.js'
import { problem } from './problem.js'
import { newChallenge, proofOf } from './program-proof.js'
import { ProgramRun } from './program-run.js'
import type { Runs } from './runs.js'
import { isSame } from './session-guard.js'

/** Maximum characters of one line. */
const longestLine = 8_000_000

/**
 * Takes what a program reports: one request that stays open, a line of JSON for each event. The
 * response begins once the first line is accepted, and has the problem if one of the later lines is
 * refused.
 */
export async function takeProgram(request: Request, runs: Runs): Promise<Response> {
  const lines = readLines(request)
  const first = await lines.next()
  const { t, name } = readLine(first.value ?? '')
  if (t !== 'hello' || !name)
    return problem(400, 'invalid-request', 'the first line is not {"t":"hello","name":"…"}')
  return eventStream(follow(lines, name, runs))
}

/**
 * As {@link takeProgram}, of a program that asks for a proof first: the response begins at once and
 * proves that this studio knows the token; the first line proves it of the program.
 */
export async function takeProvenProgram(
  request: Request,
  runs: Runs,
  token: string,
): Promise<Response> {
  const asked = request.headers.get(challengeHeader) ?? ''
  if (!challengeForm.test(asked))
    return problem(400, 'invalid-request', `${challengeHeader} is not a random text in hexadecimal`)
  const own = newChallenge()
  const expected = await proofOf(token, 'program', own)
  const response = eventStream(greet(readLines(request), expected, runs))
  response.headers.set(challengeHeader, own)
  response.headers.set(proofHeader, await proofOf(token, 'studio', asked))
  return response
}

async function* greet(
  lines: AsyncGenerator<string, void>,
  expected: string,
  runs: Runs,
): AsyncGenerator<string> {
  yield ': prove that you know the token\n\n'
  try {
    const first = tryParseJson((await lines.next()).value ?? '')
    const proof = isObject(first) ? first['proof'] : undefined
    if (typeof proof !== 'string' || !isSame(proof, expected)) {
      yield toProblem(1, 'permission', 'this does not prove the token of this studio')
      return
    }
    const { t, name } = readLine((await lines.next()).value ?? '')
    if (t === 'hello' && name) yield* follow(lines, name, runs)
    else yield toProblem(2, 'invalid-request', 'this is not {"t":"hello","name":"…"}')
  } catch (error) {
    if (isLlmError(error)) yield toProblem(2, error.code, error.message)
  }
}

/** Reads to the end. What is open then is interrupted: the program has ended, or was cut off. */
async function* follow(
  lines: AsyncGenerator<string>,
  name: string,
  runs: Runs,
): AsyncGenerator<string> {
  const open = new Map<string, ProgramRun>()
  let number = 1
  yield 'data: {"accepted":true}\n\n'
  try {
    for await (const line of lines) {
      number++
      const refused = line && (await take(readLine(line), open, name, runs))
      if (refused) yield toProblem(number, 'internal', refused)
    }
  } catch (error) {
    const { code, message } = isLlmError(error)
      ? error
      : { code: 'internal', message: String(error) }
    // Nobody reads it if the connection broke, which is how a killed program ends.
    yield toProblem(number, code, message)
  } finally {
    for (const run of open.values()) run.interrupt(`${name} ended during this run.`)
  }
}

const toProblem = (line: number, code: string, message: string): string =>
  `data: ${JSON.stringify({ error: { code, message: `line ${line}: ${message}` } })}\n\n`

/** Takes a line. Returns why its run cannot be kept; the other runs of the program continue. */
async function take(
  line: ProgramLine,
  open: Map<string, ProgramRun>,
  name: string,
  runs: Runs,
): Promise<string | undefined> {
  const { t, s } = line
  try {
    open.get(s)?.take(line)
    if (t === 'end' || t === 'error') open.delete(s)
    if (t !== 'start' || open.has(s)) return undefined
    const run = new ProgramRun(line, name)
    if (await runs.adopt(run)) open.set(s, run)
    return undefined
  } catch (error) {
    open.get(s)?.interrupt(`The studio could not take an event of this run: ${String(error)}`)
    open.delete(s)
    return String(error)
  }
}

/** The lines of a body as they arrive. @throws {LlmError} `limit-exceeded` — a line is too long */
async function* readLines({ body }: Request): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    rest += parts.shift() ?? ''
    for (const part of parts) {
      yield rest
      rest = part
    }
    if (rest.length > longestLine)
      throw new LlmError('limit-exceeded', `a line is longer than ${longestLine} characters`)
  }
  if (rest) yield rest
}
