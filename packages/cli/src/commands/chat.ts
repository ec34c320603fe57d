import { resolve } from 'node:path'
import { Chat } from '../chat/chat.js'
import { completeLine } from '../chat/complete-line.js'
import { InputHistory } from '../chat/input-history.js'
import type { Cli, CommonOptions } from '../context/cli.js'
import { createLineReader, type LineReader } from '../context/line-reader.js'
import { UsageError } from '../errors/exit-codes.js'
import { loadModels } from '../models/configured-models.js'
import { ChatRecording } from '../recording/chat-recording.js'
import { newSession, savedSession } from '../session/open-session.js'
import { type Session, SessionStore } from '../session/session-store.js'
import { askAbout } from '../tools/mcp-change.js'
import {
  type CallFlags,
  type ToolFlags,
  toCallOptions,
  toTools,
  type ViewFlags,
} from './call-options.js'
import { type BudgetFlags, type LimitFlags, toLedger, toLimits } from './limit-options.js'

/** Options of `modelport chat`. */
export interface ChatOptions
  extends CommonOptions,
    CallFlags,
    ToolFlags,
    ViewFlags,
    LimitFlags,
    BudgetFlags {
  readonly model?: string
  readonly baseUrl?: string
  readonly resume?: string | true
  readonly record?: string
  readonly save: boolean
  readonly history: boolean
  readonly sessions?: string
}

/** Runs `modelport chat`; resolves to the exit code. */
export async function chat(cli: Cli, options: ChatOptions): Promise<number> {
  const {
    allowTools = false,
    showReasoning = false,
    raw = false,
    save,
    sessions,
    record,
    resume,
  } = options
  const limits = toLimits(options)
  const models = await loadModels(cli)
  const store = new SessionStore(resolve(sessions ?? cli.locations.sessions))
  const resumed =
    resume === undefined
      ? undefined
      : await savedSession(store, resume === true ? undefined : resume)
  const model = models.pick(options.model ?? resumed?.model, options.baseUrl)
  const budget = toLedger(options, model)
  if (record !== undefined && budget)
    throw new UsageError(
      '--record cannot be used with a budget: a reply that a budget cut off cannot be repeated',
    )
  const system = options.system ?? resumed?.system
  const begun = resumed ?? newSession(model.name)
  const session = { ...begun, model: model.name, ...(system !== undefined && { system }) }
  let lines: LineReader | undefined
  const { tools, sources } = await toTools(
    cli,
    options,
    askAbout(cli, (question) => lines?.answer(question)),
  )
  try {
    const recording =
      record === undefined ? undefined : await ChatRecording.start(cli, resolve(record), model)
    const history =
      save && options.history && cli.io.stdin.isTTY
        ? await InputHistory.open(cli.locations.history)
        : undefined
    const complete = (line: string): readonly string[] => completeLine(line, models)
    lines = createLineReader(cli.io, { ...(history && { history: history.entries }), complete })
    const talk = new Chat(cli, lines, {
      model,
      models,
      session,
      store: save ? store : undefined,
      history,
      recording,
      tools,
      sources,
      limits,
      options: toCallOptions(options),
      budget,
      allowTools,
      reasoning: showReasoning,
      markdown: !raw,
    })
    // Problems of the model are reported before the first message.
    await talk.use(model)
    greet(cli, session, save)
    const code = await talk.run()
    recording?.report()
    return code
  } finally {
    await Promise.all(sources.map((source) => source.close()))
  }
}

function greet({ json, out, err, io }: Cli, { id, model, messages }: Session, save: boolean): void {
  if (json) {
    out.json({ type: 'session', ...(save && { id }), model, messages: messages.length })
    return
  }
  if (!io.stdin.isTTY) return
  const said = messages.length ? `, ${messages.length} messages so far` : ''
  const kept = save ? ` · saved as ${id}` : ' · not saved'
  err.line(
    err.style(
      'dim',
      `${err.foreign(model)}${said}${kept} · /help · Ctrl-C stops a reply, Ctrl-D ends`,
    ),
  )
}
