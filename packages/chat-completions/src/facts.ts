import { asText, type JsonObject, type ReplyDetails } from '@modelport/core'
import type { Sink } from '@modelport/driver'
import { type CountedSeparately, toCounts, toOtherModels } from './usage.js'
import { asItems, asObject, type WireChoice, type WireReply } from './wire.js'

/** Fields of a usage object that hold times and rates. */
const measured = /_(time|ms|per_second)$/

/**
 * Collects what servers report besides the reply: ids, tier, times, filters, counts. Chunks repeat
 * and complete each other.
 */
export class ReplyFacts {
  readonly #sink: Sink
  readonly #separate: readonly CountedSeparately[]
  #identity: Pick<Partial<WireReply>, 'id' | 'service_tier' | 'provider' | 'system_fingerprint'> =
    {}
  #router: NonNullable<ReplyDetails['router']> = {}
  #usage: unknown
  #unattributed: number | undefined
  #gateway: JsonObject | undefined
  #timings: Record<string, number> = {}
  readonly #filters: { prompt: JsonObject | undefined; reply: JsonObject | undefined } = {
    prompt: undefined,
    reply: undefined,
  }

  constructor(sink: Sink, separate: readonly CountedSeparately[] = []) {
    this.#sink = sink
    this.#separate = separate
  }

  /** True once token counts came. */
  get counted(): boolean {
    return this.#usage !== undefined
  }

  /** Reads one chunk or a whole body. Returns true if it has token counts. */
  read(reply: Partial<WireReply>, choice: Partial<WireChoice> | undefined): boolean {
    const { id, service_tier, provider, system_fingerprint, moderation, prompt_filter_results } =
      reply
    this.#sink.model(asText(reply.model))
    // Every chunk repeats them.
    const identity = this.#identity
    if (
      id !== identity.id ||
      service_tier !== identity.service_tier ||
      provider !== identity.provider ||
      system_fingerprint !== identity.system_fingerprint
    ) {
      this.#identity = { id, service_tier, provider, system_fingerprint }
      this.#sink.details({
        responseId: asText(id) || undefined,
        serviceTier: asText(service_tier) || undefined,
        upstream: asText(provider) || undefined,
        fingerprint: asText(system_fingerprint) || undefined,
      })
    }
    const { timings, latency_checkpoint, time_info, sla_metrics } = reply
    if (timings ?? latency_checkpoint)
      this.#measure({ ...asObject(timings), ...asObject(latency_checkpoint) }, /(?:)/)
    if (time_info ?? sla_metrics)
      this.#measure({ ...asObject(time_info), ...asObject(sla_metrics) }, measured)
    for (const one of asItems(prompt_filter_results))
      this.#filter('prompt', one['content_filter_results'])
    // The field of vLLM and SGLang: the text of `stop` that was found, or the number of a token.
    const stopText = asText(choice?.stop_reason) || asText(choice?.matched_stop)
    if (stopText) this.#sink.details({ stopText })
    if (choice?.native_finish_reason)
      this.#route({ finishReason: asText(choice.native_finish_reason) })
    if (choice?.content_filter_results) this.#filter('reply', choice.content_filter_results)
    if (moderation) this.#moderation(asObject(moderation))
    if (reply.usage_breakdown) {
      const otherModels = toOtherModels(reply.usage_breakdown)
      if (otherModels.length) this.#sink.usage({ otherModels })
    }
    return this.#count(reply.usage ?? asObject(reply.x_groq)['usage'] ?? choice?.usage)
  }

  /**
   * What the Vercel AI Gateway says of its routing. It counts reasoning next to the output for
   * every vendor and leaves it out of the total too; the cost in the same chunk confirms it.
   */
  gateway(metadata: unknown): void {
    const gateway = asObject(metadata)['gateway']
    if (!gateway) return
    this.#gateway = asObject(gateway)
    const { routing, generationId } = this.#gateway
    this.#route({
      ...(asText(generationId) && { generationId: asText(generationId) }),
      report: routing,
    })
    const upstream = asText(asObject(routing)['finalProvider'])
    if (upstream) this.#sink.details({ upstream })
    this.#count(this.#usage)
    const searches = this.#gateway['billableWebSearchCalls']
    if (typeof searches === 'number' && searches > 0)
      this.#sink.usage({ providerToolCounts: { billableWebSearchCalls: searches } })
  }

  #route(router: NonNullable<ReplyDetails['router']>): void {
    const fields = Object.entries(router).filter(([, value]) => value !== undefined && value !== '')
    this.#router = { ...this.#router, ...Object.fromEntries(fields) }
    if (fields.length) this.#sink.details({ router: this.#router })
  }

  /** The reply is over: reports what later chunks could still have changed. */
  end(): void {
    for (const subject of ['prompt', 'reply'] as const) {
      const data = this.#filters[subject]
      if (data) this.#sink.safety({ subject, data })
    }
    if (this.#unattributed)
      this.#sink.warning(
        `the server's total has ${this.#unattributed} tokens that it counts neither as prompt nor as output`,
      )
  }

  #count(usage: unknown): boolean {
    const counts = toCounts(
      usage,
      this.#gateway ? [...this.#separate, 'reasoning'] : this.#separate,
    )
    if (!counts) return false
    this.#usage = usage
    const unattributedTokens = counts.unattributedTokens ?? (this.#unattributed ? 0 : undefined)
    this.#unattributed = unattributedTokens
    this.#sink.usage({ ...counts, unattributedTokens })
    const { service_tier, latency_checkpoint } = asObject(usage)
    if (service_tier) this.#sink.details({ serviceTier: asText(service_tier) || undefined })
    this.#measure(usage, measured)
    if (latency_checkpoint) this.#measure(latency_checkpoint, /(?:)/)
    return true
  }

  #measure(values: unknown, names: RegExp): void {
    const timings = Object.entries(asObject(values)).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && names.test(entry[0]),
    )
    if (!timings.length) return
    this.#timings = { ...this.#timings, ...Object.fromEntries(timings) }
    this.#sink.details({ timings: this.#timings })
  }

  /** Later results replace earlier ones by category; one that filtered something stays. */
  #filter(subject: 'prompt' | 'reply', results: unknown): void {
    const filters = this.#filters[subject]
    const added = Object.entries(asObject(results)).filter(
      ([category]) => asObject(filters?.[category])['filtered'] !== true,
    )
    if (added.length) this.#filters[subject] = { ...filters, ...Object.fromEntries(added) }
  }

  #moderation({ input, output }: Partial<Record<string, unknown>>): void {
    if (input) this.#sink.safety({ subject: 'prompt', data: input })
    if (output) this.#sink.safety({ subject: 'reply', data: output })
  }
}
