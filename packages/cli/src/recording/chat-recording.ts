import { type CallOptions, LlmError } from '@modelport/core'
import type { ModelConfig } from '@modelport/factory'
import type { CassetteRecorder } from '@modelport/provider-mock'
import type { GivenLimits, Tool } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { checkPrivateFile, writePrivateFile } from '../files/private-file.js'
import type { NamedModel } from '../models/configured-models.js'
import { withoutSecrets } from '../secrets/without-secrets.js'
import type { ChatReply } from '../session/ask.js'
import type { Session } from '../session/session-store.js'
import type { RecordedAsk } from './recorded-ask.js'
import { toRecorded, toRecordedModel } from './recorded-chat.js'

/** The chat that is recorded, as it begins. */
interface RecordedStart {
  readonly model: NamedModel
  readonly session: Pick<Session, 'system' | 'messages'>
  readonly tools: readonly Tool[]
  readonly limits: GivenLimits
  readonly options: CallOptions
}

/** Keeps a chat, or one question, in a cassette: after each reply the file holds everything so far. */
export class ChatRecording {
  /** The model, with the recorder between it and the network. */
  readonly config: ModelConfig
  readonly #cli: Cli
  readonly #file: string
  readonly #recorder: CassetteRecorder
  readonly #start: Omit<RecordedAsk, 'prompt' | 'followUps' | 'results'>
  readonly #prompts: string[] = []
  readonly #results: RecordedAsk['results'][number][] = []
  #exchanges = 0
  #ended = false

  private constructor(cli: Cli, file: string, { model, session, tools, limits, options }: RecordedStart) {
    const { config, recorder } = toRecorded(model, cli)
    const { system, messages } = session
    this.config = config
    this.#cli = cli
    this.#file = file
    this.#recorder = recorder
    this.#start = {
      model: toRecordedModel(model, cli),
      options: { ...options, ...(system !== undefined && { system }) },
      tools: tools.map(({ definition }) => definition),
      // How tools are asked for, and where a run ends. Tools do not run again, so their time does not count.
      ...given(model.profile ?? {}, 'supportsTools'),
      limits: given(limits, 'maxSteps', 'maxRepeats', 'repeatableTools'),
      ...(messages.length && { history: messages }),
    }
  }

  /**
   * Writes nothing before the first reply, but checks here that the file can be written.
   * @throws {LlmError} `unsupported` — the model opens no connection.
   */
  static async start(cli: Cli, file: string, start: RecordedStart): Promise<ChatRecording> {
    const recording = new ChatRecording(cli, file, start)
    await checkPrivateFile(file)
    return recording
  }

  /** @throws {LlmError} `unsupported` — what a recording could not repeat. */
  static refuse(what: string): never {
    throw new LlmError('unsupported', `${what} is not possible while a chat is recorded; end it, and start another`)
  }

  /** Keeps a reply. A stopped reply cannot be replayed: the recording ends before it. */
  async add(prompt: string, { interrupted, results }: ChatReply, secrets: readonly string[]): Promise<void> {
    if (interrupted) this.end()
    if (this.#ended) return
    this.#prompts.push(prompt)
    this.#results.push(...results)
    const [first = '', ...followUps] = this.#prompts
    const cassette = this.#recorder.cassette()
    const asked = { ...this.#start, prompt: first, results: this.#results, ...(followUps.length && { followUps }) }
    // Other programs read it as a plain cassette.
    const text = JSON.stringify(withoutSecrets({ ...cassette, asked }, secrets), undefined, 2)
    await writePrivateFile(this.#file, `${text}\n`)
    this.#exchanges = cassette.exchanges.length
  }

  /** Ends the recording before a reply that failed or was stopped; what came before stays. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    const { err, json } = this.#cli
    if (!json) err.line(err.style('yellow', 'the recording ends before this reply'))
  }

  /** Says what was kept. */
  report(): void {
    const { out, err, json } = this.#cli
    const [file, count] = [this.#file, this.#exchanges]
    const kept = `recorded ${count} ${count === 1 ? 'exchange' : 'exchanges'} in ${file}; read it before you share it: what was said is in it`
    if (json) out.json({ type: 'recorded', file, exchanges: count })
    else err.line(err.style('dim', count ? kept : 'nothing was recorded'))
  }
}
