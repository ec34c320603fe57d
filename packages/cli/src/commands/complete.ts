import { resolve } from 'node:path'
import {
  type CallOptions,
  type ChatMessage,
  type Content,
  type FinishReason,
  LlmError,
} from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { newProvider } from '@modelport/factory'
import { compileJsonSchema } from '@modelport/runtime'
import { ToolApproval } from '../chat/tool-approval.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { createLineReader } from '../context/line-reader.js'
import { exitCodes } from '../errors/exit-codes.js'
import { ReplyFormError } from '../errors/reply-form-error.js'
import { toImage } from '../files/image-file.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import { secretsOf } from '../secrets/secrets.js'
import { ask, type ChatReply, type Question } from '../session/ask.js'
import { newSession, savedSession } from '../session/open-session.js'
import { TextView } from '../session/reply-views.js'
import { type Session, SessionStore } from '../session/session-store.js'
import { warnOfCut } from '../session/warn-of-cut.js'
import { withProgress } from '../terminal/progress.js'
import { costOf, formatUsage } from '../terminal/usage-line.js'
import {
  type OneCallFlags,
  type ToolFlags,
  toOneCallOptions,
  toTools,
  type ViewFlags,
} from './call-options.js'
import { type LimitFlags, toLimits } from './limit-options.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport complete`. */
export interface CompleteOptions
  extends CommonOptions,
    OneCallFlags,
    ToolFlags,
    ViewFlags,
    LimitFlags {
  readonly model?: string
  readonly baseUrl?: string
  readonly image?: readonly string[]
  readonly continue?: boolean
  readonly save?: boolean
  readonly sessions?: string
  readonly usage?: boolean
}

/** Runs `modelport complete`; resolves to the exit code. */
export async function complete(
  cli: Cli,
  words: readonly string[],
  options: CompleteOptions,
): Promise<number> {
  const { out, err, json, signal } = cli
  const models = await loadModels(cli)
  const store = new SessionStore(resolve(options.sessions ?? cli.locations.sessions))
  const saved = options.continue ? await savedSession(store) : undefined
  const model = models.pick(options.model ?? saved?.model, options.baseUrl)
  const callOptions = {
    ...(saved?.system !== undefined && { system: saved.system }),
    ...(await toOneCallOptions(options)),
  }
  const content = await toContent(await readPrompt(cli, words), options.image)
  if (saved) tellContinued(cli, saved)
  const reply = await send(cli, model, { content, saved, callOptions, options })
  signal.throwIfAborted()
  if (!json) warnOfCut(cli, reply)
  if (saved || options.save) await keep(cli, store, saved, { model, callOptions, reply })
  if (options.usage && !json) err.line(formatUsage(reply.usage, model.profile))
  if (reply.stopped) throw reply.stopped
  checkForm(callOptions, reply.text, reply.finishReason)
  if (!json) return exitCodes.done
  const { text, finishReason, usage } = reply
  const cost = costOf(usage, model.profile)
  out.json({
    text,
    finishReason,
    model: modelOf(reply) ?? model.config.model,
    usage,
    ...(cost && { cost }),
  })
  return exitCodes.done
}

interface Request {
  readonly content: Content
  readonly saved: Session | undefined
  readonly callOptions: CallOptions
  readonly options: CompleteOptions
}

async function send(
  cli: Cli,
  model: NamedModel,
  { content, saved, callOptions, options }: Request,
): Promise<ChatReply> {
  const { out, err, json, signal, context, io } = cli
  const { allowTools = false, showReasoning = false, raw = false } = options
  const messages: readonly ChatMessage[] = [...(saved?.messages ?? []), { role: 'user', content }]
  const { tools, sources } = await toTools(cli, options)
  const stop = new AbortController()
  // Approvals are read from a terminal only: piped input belongs to the prompt.
  const lines = createLineReader(io)
  try {
    const provider = await newProvider(model.config, context)
    const question = {
      provider,
      messages,
      tools,
      sources,
      authorize: new ToolApproval(cli, lines, allowTools).begin(stop),
      limits: toLimits(options),
      profile: model.profile,
      options: callOptions,
      signal: AbortSignal.any([signal, stop.signal]),
    }
    if (json)
      return await withProgress(err, 'waiting for the reply', () =>
        tools.length + sources.length ? ask(question) : generate(question),
      )
    return await ask({
      ...question,
      view: new TextView({ out, err, reasoning: showReasoning, markdown: !raw }),
    })
  } finally {
    if (io.stdin.isTTY) lines.close()
    await Promise.all(sources.map((source) => source.close()))
  }
}

/** A reply that nobody watches and that cannot call tools needs no stream. */
async function generate({
  provider,
  messages,
  options,
  signal,
}: Omit<Question, 'view'>): Promise<ChatReply> {
  const { text, usage, finishReason, message } = await provider.generate(messages, options, {
    signal,
  })
  return { text, usage, finishReason, messages: [...messages, message], interrupted: false }
}

/** The prompt with its images, which come first: vendors advise it. */
async function toContent(prompt: string, images: readonly string[] = []): Promise<Content> {
  if (!images.length) return prompt
  return [...(await Promise.all(images.map(toImage))), { type: 'text', text: prompt }]
}

function tellContinued({ err, json }: Cli, { id, messages }: Session): void {
  if (json) err.json({ continues: id, messages: messages.length })
  else err.line(err.style('dim', `continues ${id}, ${messages.length} messages so far`))
}

interface Kept {
  readonly model: NamedModel
  readonly callOptions: CallOptions
  readonly reply: ChatReply
}

async function keep(
  cli: Cli,
  store: SessionStore,
  saved: Session | undefined,
  { model, callOptions: { system }, reply: { messages } }: Kept,
): Promise<void> {
  const { err, json } = cli
  const begun = saved ?? newSession(model.name)
  const session = {
    ...begun,
    model: model.name,
    ...(typeof system === 'string' && { system }),
    updatedAt: new Date().toISOString(),
    messages,
  }
  const id = await store.save(session, secretsOf(model, cli))
  if (saved?.id === id) return
  if (json) err.json({ saved: id })
  else
    err.line(
      err.style(
        'dim',
        `saved as ${id}; continue it with --continue, or "modelport chat --resume ${id}"`,
      ),
    )
}

const modelOf = ({ messages }: ChatReply): string | undefined => {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.origin?.model : undefined
}

/** Rejects a reply that was cut, or does not fit the schema that was asked for. */
function checkForm(
  { responseFormat }: CallOptions,
  text: string,
  finishReason: FinishReason | undefined,
): void {
  if (responseFormat?.type !== 'json-schema') return
  if (finishReason === 'length')
    throw new LlmError(
      'truncated',
      'the reply was cut at the token limit, so it does not fit the schema; raise --max-tokens',
    )
  const value = tryParseJson(text)
  if (value === undefined)
    throw new ReplyFormError(
      'the reply is not JSON, so it does not fit the schema; try again, or another model',
    )
  const checked = compileJsonSchema(responseFormat.schema)(value)
  if (!checked.ok) throw new ReplyFormError(`the reply does not fit the schema: ${checked.message}`)
}
