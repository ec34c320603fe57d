import { LlmError } from '@modelport/core'
import { type ModelConfig, resolveModel } from '@modelport/factory'
import { type CassetteRecorder, recordCassette } from '@modelport/provider-mock'
import type { Cli } from '../context/cli.js'
import { checkPrivateFile, writePrivateFile } from '../files/private-file.js'
import type { NamedModel } from '../models/configured-models.js'
import { withoutSecrets } from '../secrets/without-secrets.js'
import type { ChatReply } from '../session/ask.js'

/** Keeps a chat in a cassette: after each reply the file holds everything so far. */
export class ChatRecording {
  /** The model, with the recorder between it and the network. */
  readonly config: ModelConfig
  readonly #cli: Cli
  readonly #file: string
  readonly #recorder: CassetteRecorder
  #exchanges = 0
  #ended = false

  private constructor(cli: Cli, file: string, model: NamedModel) {
    const { proxy, row } = resolveModel(model.config, cli.context)
    if (row.offline)
      throw new LlmError(
        'unsupported',
        `${row.name}: it opens no connection, so there is nothing to record`,
      )
    if (model.config.package)
      throw new LlmError(
        'unsupported',
        `${row.name}: it cannot be recorded, since a cassette names no code to replay it`,
      )
    this.#cli = cli
    this.#file = file
    this.#recorder = recordCassette(proxy && { proxy: proxy.url() })
    // Fallbacks would be recorded without saying so.
    const { fallback: _, ...config } = model.config
    this.config = { ...config, fetch: this.#recorder.fetch }
  }

  /**
   * Writes nothing before the first reply, but checks here that the file can be written.
   * @throws {LlmError} `unsupported` — the model opens no connection, or has a package of its own.
   */
  static async start(cli: Cli, file: string, model: NamedModel): Promise<ChatRecording> {
    const recording = new ChatRecording(cli, file, model)
    await checkPrivateFile(file)
    return recording
  }

  /** Keeps a reply. A stopped reply cannot be replayed: the recording ends before it. */
  async add({ interrupted }: ChatReply, secrets: readonly string[]): Promise<void> {
    if (interrupted) this.end()
    if (this.#ended) return
    const cassette = this.#recorder.cassette()
    await writePrivateFile(
      this.#file,
      `${JSON.stringify(withoutSecrets(cassette, secrets), undefined, 2)}\n`,
    )
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
    const file = this.#file
    const count = this.#exchanges
    const kept = `recorded ${count} ${count === 1 ? 'exchange' : 'exchanges'} in ${file}; read it before you share it: what was said is in it`
    if (json) out.json({ type: 'recorded', file, exchanges: count })
    else err.line(err.style('dim', count ? kept : 'nothing was recorded'))
  }
}
