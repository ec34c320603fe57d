import { resolve } from 'node:path'
import { Chat } from '../chat/chat.js'
import { ChatRecording } from '../recording/chat-recording.js'
import { createLineReader } from '../chat/line-reader.js'
import { type Session, SessionStore } from '../session/session-store.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { loadModels } from '../models/configured-models.js'
import { UsageError } from '../errors/exit-codes.js'
import { loadTools } from '../tools/tool-module.js'
import { type BudgetFlags, type LimitFlags, toLedger, toLimits } from './limit-options.js'

/** Options of `modelport chat`. */
export interface ChatOptions extends CommonOptions, LimitFlags, BudgetFlags {
  readonly model?: string
  readonly baseUrl?: string
  readonly system?: string
  readonly tools?: string
  readonly allowTools?: boolean
  readonly resume?: string | true
  readonly record?: string
  readonly save: boolean
  readonly sessions?: string
  readonly reasoning?: boolean
  readonly markdown: boolean
}

/** Runs `modelport chat`; resolves to the exit code. */
export async function chat(cli: Cli, options: ChatOptions): Promise<number> {
  const { tools: toolFile, allowTools = false, reasoning = false, markdown, save, sessions } = options
  if (allowTools && toolFile === undefined) throw new UsageError('--allow-tools needs --tools')
  const limits = toLimits(options)
  const models = await loadModels(cli)
  const store = new SessionStore(resolve(sessions ?? cli.locations.sessions))
  const resumed = options.resume === undefined ? undefined : await resumedSession(store, options.resume)
  const model = models.pick(options.model ?? resumed?.model, options.baseUrl)
  const budget = toLedger(options, model)
  if (budget && options.record !== undefined)
    throw new UsageError('--record cannot be used with a budget: a reply that a budget cut off cannot be repeated')
  const now = new Date()
  const fresh: Session = {
    id: SessionStore.newId(now),
    model: model.name,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    messages: [],
  }
  const system = options.system ?? resumed?.system
  const session = { ...(resumed ?? fresh), model: model.name, ...(system !== undefined && { system }) }
  const tools = toolFile === undefined ? [] : await loadTools(toolFile)
  const recording =
    options.record === undefined
      ? undefined
      : await ChatRecording.start(cli, resolve(options.record), { model, session, tools, limits })
  const talk = new Chat(cli, createLineReader(cli.io), {
    model,
    models,
    session,
    store: save ? store : undefined,
    recording,
    tools,
    limits,
    budget,
    allowTools,
    reasoning,
    markdown,
  })
  // What is wrong with the model is better known before anything is said.
  await talk.use(model)
  greet(cli, session, save)
  const code = await talk.run()
  recording?.report()
  return code
}

async function resumedSession(store: SessionStore, resume: string | true): Promise<Session> {
  const id = resume === true ? (await store.ids())[0] : resume
  if (id === undefined) throw new UsageError('there is no saved chat to resume')
  return store.load(id)
}

function greet({ json, out, err, io }: Cli, { id, model, messages }: Session, save: boolean): void {
  if (json) {
    out.json({ type: 'session', ...(save && { id }), model, messages: messages.length })
    return
  }
  if (!io.stdin.isTTY) return
  const said = messages.length ? `, ${messages.length} messages so far` : ''
  const kept = save ? ` · saved as ${id}` : ' · not saved'
  err.line(err.style('dim', `${err.foreign(model)}${said}${kept} · /help · Ctrl-C stops a reply, Ctrl-D ends`))
}
