import { isLlmError, type ModelPrices } from '@modelport/core'
import { apiHost, listModels, resolveModel } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { loadPriceList } from '../context/price-list.js'
import { exitCodes } from '../errors/exit-codes.js'
import { toFailureReport } from '../errors/failure.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import { withProgress } from '../terminal/progress.js'

/** Options of `modelport models`. */
export interface ModelsOptions extends CommonOptions {
  readonly model?: string
  readonly remote?: boolean
  readonly prices?: boolean
}

interface ModelRow {
  readonly name: string
  readonly provider: string
  readonly model: string | undefined
  readonly host: string
  readonly roles: readonly string[]
  readonly purpose?: string
  /** What the vendor has; only with `--remote`. */
  readonly remote?: readonly string[]
  /** What its tokens cost; only with `--prices`. */
  readonly prices?: PriceRow
  readonly error?: { readonly code: string; readonly message: string }
}

/** Prices with where they are from, or why there are none. */
type PriceRow =
  | { readonly prices: ModelPrices; readonly source: string; readonly date?: string }
  | { readonly reason: string }

/** Runs `modelport models`; resolves to the exit code. */
export async function models(cli: Cli, options: ModelsOptions): Promise<number> {
  const { out, json } = cli
  const configured = await loadModels(cli)
  const chosen = options.model === undefined ? configured.all() : [configured.pick(options.model)]
  const rows: ModelRow[] = []
  for (const model of chosen) rows.push(await toRow(cli, model, configured.roles, options))
  if (json) out.json({ models: rows })
  else for (const row of rows) printRow(cli, row, chosen.length > 1)
  // A failure only if no list could be read; each row names its problem.
  return rows.length > 0 && rows.every(({ error }) => error) ? exitCodes.unhealthy : exitCodes.done
}

async function toRow(
  cli: Cli,
  model: NamedModel,
  roles: Readonly<Record<string, string>>,
  { remote = false, prices = false }: ModelsOptions,
): Promise<ModelRow> {
  const { context, signal, err } = cli
  const { name, config, purpose } = model
  const { row, config: resolved, baseUrl } = resolveModel(config, context)
  const facts = {
    name,
    provider: row.name,
    model: resolved.model,
    host: apiHost(config, context),
    roles: Object.entries(roles).flatMap(([role, used]) => (used === name ? [role] : [])),
    ...(purpose !== undefined && { purpose }),
    ...(prices && { prices: await priceOf(model, row.name, resolved.model, baseUrl?.source) }),
  }
  if (!remote) return facts
  try {
    const list = await withProgress(err, `asking ${name}`, () =>
      listModels(config, context, { signal, deadlineMs: 30_000 }),
    )
    return { ...facts, remote: list.map(({ id }) => id) }
  } catch (error) {
    if (signal.aborted || !isLlmError(error)) throw error
    return { ...facts, error: { code: error.code, message: toFailureReport(error).error.message } }
  }
}

/** The prices of the profile, else those of the list for a model at its vendor's own address. */
async function priceOf(
  { config, profile }: NamedModel,
  vendor: string,
  model = '',
  address: string | undefined,
): Promise<PriceRow> {
  const own = config.profile?.prices
  if (own) return { prices: own, source: 'the profile' }
  if (address !== 'default')
    return { reason: "prices at another address than the vendor's own are not known" }

  const findPrices = await loadPriceList()
  const { prices = profile?.prices, reason, source, date } = findPrices(vendor, model)
  return prices ? { prices, source, date } : { reason: reason ?? 'nobody knows them' }
}

const priceNames = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  cacheWriteHour: 'cache write 1 h',
} as const

/** Prices for a million tokens as a line. */
function describePrices(row: PriceRow): string {
  if ('reason' in row) return `no price: ${row.reason}`
  const { prices, source, date } = row
  const { currency = 'USD', tiers = [] } = prices
  const list = (one: typeof prices | (typeof tiers)[number]): string =>
    Object.entries(priceNames)
      .flatMap(([name, title]) => {
        const price = one[name as keyof typeof priceNames]
        return price === undefined ? [] : [`${title} ${price}`]
      })
      .join(', ')
  const longer = tiers.map((tier) => `above ${tier.above} tokens: ${list(tier)}`)
  const from = [source, date].filter(Boolean).join(', ')
  return [`${currency} for a million tokens: ${list(prices)}`, ...longer, from].join('; ')
}

function printRow(
  { out, err }: Cli,
  { name, provider, model = '', host, roles, purpose, remote, prices, error }: ModelRow,
  several: boolean,
): void {
  if (error) err.line(`${err.style('red', `${name}:`)} ${err.foreign(error.message)}`)
  for (const id of remote ?? []) out.line(out.foreign(several ? `${name}: ${id}` : id))
  if (remote || error) return
  const parts = [
    `${out.style('bold', out.foreign(name))}  ${provider}:${out.foreign(model)}`,
    host || 'no connection',
    ...(roles.length ? [`roles: ${roles.join(', ')}`] : []),
    ...(purpose === undefined ? [] : [out.foreign(purpose)]),
    ...(prices ? [describePrices(prices)] : []),
  ]
  out.line(parts.join('  '))
}
