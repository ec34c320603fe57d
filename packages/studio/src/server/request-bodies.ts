import { type ChatMessage, LlmError } from '@modelport/core'
import { optionForms } from '@modelport/core/settings'
import { z } from 'zod'
import type { CallSource, DecideCall, StartRun } from '../protocol/protocol.js'
import { type RunFile, runFile } from './run-file.js'

/** Maximum bytes of one request: a conversation with a few images. */
const maxBodyBytes = 32 * 1024 * 1024

const isMessage = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  ['system', 'user', 'assistant', 'tool'].includes(String(value.role))

const { tools: _tools, signal: _signal, retry: _retry, ...plain } = optionForms
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ name: z.string() }),
])

/**
 * The options of a call that are plain data, each of the form that the library states. The provider
 * checks what a form contains.
 */
const optionShapes = {
  ...Object.fromEntries(
    Object.entries(plain).map(([name, { fits, expected }]) => [
      name,
      z.custom(fits, `must be ${expected}`).nullish(),
    ]),
  ),
  toolChoice: toolChoice.nullish(),
}

const startRun = z.object({
  model: z.string(),
  messages: z.array(z.custom<ChatMessage>(isMessage, 'must be a message with a role')).min(1),
  from: z.object({ runId: z.string(), messages: z.number().int().min(0) }).optional(),
  tools: z.array(z.string()).optional(),
  without: z.array(z.string()).optional(),
  approvals: z.enum(['ask', 'allow']).optional(),
  mode: z.enum(['auto', 'native', 'json', 'text']).optional(),
  options: z.strictObject(optionShapes).optional(),
  budget: z
    .object({
      maxOutputTokens: z.number().int().min(1).optional(),
      maxCost: z.number().positive().optional(),
    })
    .optional(),
  offTheRecord: z.boolean().optional(),
})

const decideCall = z.object({
  callId: z.string(),
  approved: z.boolean().optional(),
  outcome: z.enum(['happened', 'did-not-happen', 'unknown']).optional(),
  result: z.string().optional(),
  reason: z.string().optional(),
  digest: z.string().optional(),
  content: z.record(z.string(), z.json()).optional(),
})
const exchangeToken = z.object({ token: z.string() })
const namedModel = z.object({ model: z.string() })
const namedSource = z.object({ source: z.string() })
const callSource = z.object({
  source: z.string(),
  tool: z.string(),
  args: z.record(z.string(), z.json()),
})

/** Reads a body within a limit. @throws {LlmError} `limit-exceeded` */
export async function readBody(
  body: Request['body'] | undefined,
  mostBytes: number,
): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new LlmError('limit-exceeded', `the request is longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/** Reads a JSON body within its limit. @throws {LlmError} `invalid-request`, `limit-exceeded`. */
async function readJson(request: Request): Promise<unknown> {
  const body = await readBody(request.body, maxBodyBytes)
  try {
    return JSON.parse(await body.text()) as unknown
  } catch {
    throw new LlmError('invalid-request', 'the body must be JSON')
  }
}

async function read<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await readJson(request))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'body'}: ${message}`,
  )
  throw new LlmError('invalid-request', issues.join('; '))
}

/** The body of `POST /api/runs`. The provider checks the messages themselves. */
export const readStartRun = async (request: Request): Promise<StartRun> =>
  (await read(request, startRun)) as StartRun

/** The body of a decision. */
export const readDecision = async (request: Request): Promise<DecideCall> =>
  (await read(request, decideCall)) as DecideCall

/** The one-time token of `POST /api/session`. */
export const readToken = async (request: Request): Promise<string> =>
  (await read(request, exchangeToken)).token

/** The model that a request names. */
export const readModel = async (request: Request): Promise<string> =>
  (await read(request, namedModel)).model

/** The server whose tools are listed. */
export const readSource = async (request: Request): Promise<string> =>
  (await read(request, namedSource)).source

/** The body of a call by hand. */
export const readCallSource = async (request: Request): Promise<CallSource> =>
  read(request, callSource)

/** A file with one run. */
export const readRunFile = async (request: Request): Promise<RunFile> =>
  (await read(request, runFile)) as RunFile

/** A cassette file. */
export const readCassette = (request: Request): Promise<unknown> => readJson(request)
