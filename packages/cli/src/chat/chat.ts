import {
  addUsage,
  type CallOptions,
  type ChatMessage,
  type Content,
  type FinishReason,
  type ImagePart,
  LlmError,
  type Provider,
  type TokenUsage,
  toUsage,
} from '@modelport/core'
import { newProvider } from '@modelport/factory'
import type { BudgetLedger, GivenLimits, Tool, ToolSource } from '@modelport/runtime'
import { answerQuestion } from '../context/answer-question.js'
import type { Cli } from '../context/cli.js'
import type { LineReader } from '../context/line-reader.js'
import { exitCodes, Interrupted } from '../errors/exit-codes.js'
import { printFailure } from '../errors/failure.js'
import { systemProblem } from '../errors/system-problem.js'
import type { ConfiguredModels, NamedModel } from '../models/configured-models.js'
import type { ChatRecording } from '../recording/chat-recording.js'
import { secretsOf } from '../secrets/secrets.js'
import { ask, type ChatReply } from '../session/ask.js'
import { JsonView, TextView } from '../session/reply-views.js'
import type { Session, SessionStore } from '../session/session-store.js'
import { warnOfCut } from '../session/warn-of-cut.js'
import { costOf, formatUsage } from '../terminal/usage-line.js'
import type { InputHistory } from './input-history.js'
import { runSlashCommand } from './slash-commands.js'
import { ToolApproval } from './tool-approval.js'

/** How a chat is held. */
export interface ChatSettings {
  readonly model: NamedModel
  readonly models: ConfiguredModels
  readonly session: Session
  /** Undefined saves nothing. */
  readonly store: SessionStore | undefined
  /** Undefined keeps no typed text. */
  readonly history: InputHistory | undefined
  /** Undefined records nothing. */
  readonly recording: ChatRecording | undefined
  readonly tools: readonly Tool[]
  /** MCP servers whose tools may be called. */
  readonly sources: readonly ToolSource[]
  readonly options: CallOptions
  /** Limits of the steps that follow each message. */
  readonly limits: GivenLimits
  /** Budget of the whole chat; undefined limits nothing. */
  readonly budget: BudgetLedger | undefined
  /** True runs tools without asking. */
  readonly allowTools: boolean
  readonly reasoning: boolean
  readonly markdown: boolean
}

/** A conversation at the terminal, or over lines of a pipe. */
export class Chat {
  readonly cli: Cli
  readonly settings: ChatSettings
  model: NamedModel
  session: Session
  usage: TokenUsage = toUsage([])
  readonly images: ImagePart[] = []
  readonly #lines: LineReader
  readonly #approval: ToolApproval
  /**
   * Secrets of every model that was used: the conversation with an earlier one is kept with the
   * rest.
   */
  readonly #secrets = new Set<string>()
  /** Providers whose server refused tools: it is not asked again. */
  readonly #withoutTools = new WeakSet<Provider>()
  #provider: Provider | undefined
  #stop: AbortController | undefined

  constructor(cli: Cli, lines: LineReader, settings: ChatSettings) {
    this.cli = cli
    this.#lines = lines
    this.#approval = new ToolApproval(cli, lines, settings.allowTools)
    this.settings = settings
    this.model = settings.model
    this.session = settings.session
  }

  /** Reads and answers lines until the user ends the chat; resolves to the exit code. */
  async run(): Promise<number> {
    const { promise: quit, resolve: end } = Promise.withResolvers<number>()
    const interrupt = (): void => {
      if (this.#stop && !this.#stop.signal.aborted) this.#stop.abort(new Interrupted('interrupted'))
      else end(exitCodes.interrupted)
    }
    const forget = this.cli.io.onInterrupt(interrupt)
    try {
      return await Promise.race([this.#loop(interrupt), quit])
    } catch (error) {
      if (error instanceof Interrupted) return exitCodes.interrupted
      throw error
    } finally {
      forget()
      this.#lines.close()
    }
  }

  /** Uses another model from the next message on; the conversation goes with it. */
  async use(model: NamedModel): Promise<Provider> {
    const { recording } = this.settings
    if (recording && model !== this.settings.model)
      throw new LlmError(
        'unsupported',
        'to use another model is not possible while a chat is recorded; end it, and start another',
      )
    const provider = await newProvider(recording?.config ?? model.config, this.cli.context)
    this.#provider = provider
    this.model = model
    for (const secret of secretsOf(model, this.cli)) this.#secrets.add(secret)
    this.session = { ...this.session, model: model.name }
    return provider
  }

  async #loop(interrupt: () => void): Promise<number> {
    const { out, io } = this.cli
    const prompt = io.stdin.isTTY && !this.cli.json ? out.style('cyan', '> ') : ''
    let code: number = exitCodes.done
    for (;;) {
      const line = await this.#lines.read(prompt)
      if (line === undefined) return code
      if (!line.trim()) continue
      const release = this.#lines.hold(interrupt)
      try {
        await this.#remember(line)
        if (line.startsWith('/')) {
          if ((await runSlashCommand(this, line)) === 'exit') return code
          continue
        }
        await this.#say(line)
        code = exitCodes.done
      } catch (error) {
        if (error instanceof Interrupted || this.cli.signal.aborted) throw error
        code = printFailure(error, this.cli.err, this.cli.json)
        // Nobody is there to ask again.
        if (!io.stdin.isTTY) return code
      } finally {
        release()
      }
    }
  }

  /** A history that cannot be written is reported, and the chat continues. */
  async #remember(line: string): Promise<void> {
    const { err } = this.cli
    await this.settings.history?.add(line, [...this.#secrets]).catch((error: unknown) => {
      err.line(
        err.style(
          'yellow',
          `warning: the history was not kept: ${err.foreign(String(systemProblem(error)))}`,
        ),
      )
    })
  }

  async #say(text: string): Promise<void> {
    const { cli, settings } = this
    const { out, err } = cli
    const stop = new AbortController()
    this.#stop = stop
    const startedAt = performance.now()
    try {
      const provider = this.#provider ?? (await this.use(this.model))
      const messages: ChatMessage[] = [
        ...this.session.messages,
        { role: 'user', content: this.#contentOf(text) },
      ]
      const { system } = this.session
      const reply = await ask({
        provider,
        messages,
        tools: settings.tools,
        sources: settings.sources,
        authorize: this.#approval.begin(stop),
        ...(cli.io.stdin.isTTY &&
          !cli.json && { answer: (question) => answerQuestion(cli, this.#lines, question) }),
        limits: settings.limits,
        budget: settings.budget,
        profile: this.#withoutTools.has(provider)
          ? { ...this.model.profile, supportsTools: false }
          : this.model.profile,
        options: { ...settings.options, ...(system !== undefined && { system }) },
        signal: AbortSignal.any([stop.signal, cli.signal]),
        view: cli.json
          ? new JsonView(out)
          : new TextView({ out, err, reasoning: settings.reasoning, markdown: settings.markdown }),
      }).catch((error: unknown) => {
        settings.recording?.end()
        throw error
      })
      cli.signal.throwIfAborted()
      if (reply.hasRefusedTools) this.#withoutTools.add(provider)
      this.#account(reply, performance.now() - startedAt - this.#approval.askedMs)
      await this.#keep(reply)
      if (reply.stopped) throw reply.stopped
      // A budget that has no room for the rest is what cut the reply.
      if (reply.finishReason === 'length')
        settings.budget
          ?.reserveCall({ ...reply.usage, maxOutputTokens: 1, profile: this.model.profile })
          .release()
    } finally {
      this.#stop = undefined
    }
  }

  /** The text with the images that were given for it; they are sent once. */
  #contentOf(text: string): Content {
    const images = this.images.splice(0)
    return images.length ? [...images, { type: 'text', text }] : text
  }

  async #keep(reply: ChatReply): Promise<void> {
    const { messages, usage } = reply
    const { recording } = this.settings
    const secrets = [...this.#secrets]
    this.usage = addUsage(this.usage, usage)
    this.session = { ...this.session, messages, updatedAt: new Date().toISOString() }
    try {
      await this.#save(secrets)
    } finally {
      // If saving the session fails, still write the recording.
      await recording?.add(reply, secrets)
    }
  }

  async #save(secrets: readonly string[]): Promise<void> {
    const {
      cli: { json, out, err },
      session,
      settings: { store },
    } = this
    const id = await store?.save(session, secrets)
    if (id === undefined || id === session.id) return
    this.session = { ...session, id }
    if (json)
      out.json({
        type: 'session',
        id,
        model: session.model,
        messages: session.messages.length,
        instead: session.id,
      })
    else
      err.line(
        err.style(
          'yellow',
          `${session.id} was saved or deleted by another process meanwhile; this chat is saved as ${id} from here on`,
        ),
      )
  }

  #account(reply: ChatReply, milliseconds: number): void {
    const { cli, model } = this
    const { usage, interrupted, stopped, finishReason } = reply
    if (cli.json) {
      if (interrupted) cli.out.json({ type: 'interrupted', usage })
      const cost = costOf(usage, model.profile)
      if (cost) cli.out.json({ type: 'cost', ...cost })
      return
    }
    if (!cli.err.terminal) {
      warnOfCut(cli, reply)
      return
    }
    // The budget refused the call: nothing was sent.
    if (stopped && !reply.text && !usage.reported) return
    const ends: Partial<Record<FinishReason, string>> = {
      length: 'cut at the token limit · ',
      'content-filter': 'refused · ',
    }
    const state =
      interrupted || stopped ? 'stopped · ' : ((finishReason && ends[finishReason]) ?? '')
    cli.err.line(
      cli.err.style(
        'dim',
        `${state}${formatUsage(usage, model.profile)} · ${(milliseconds / 1000).toFixed(1)} s`,
      ),
    )
  }
}
