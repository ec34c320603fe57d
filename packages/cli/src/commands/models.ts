import { isLlmError } from '@modelport/core'
import { apiHost, listModels, resolveModel } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { toFailureReport } from '../errors/failure.js'
import { loadModels, type NamedModel } from '../models/configured-models.js'
import { withProgress } from '../terminal/progress.js'

/** Options of `modelport models`. */
export interface ModelsOptions extends CommonOptions {
  readonly model?: string
  readonly remote?: boolean
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
  readonly error?: { readonly code: string; readonly message: string }
}

/** Runs `modelport models`; resolves to the exit code. */
export async function models(cli: Cli, options: ModelsOptions): Promise<number> {
  const { out, json } = cli
  const configured = await loadModels(cli)
  const chosen = options.model === undefined ? configured.all() : [configured.pick(options.model)]
  const rows: ModelRow[] = []
  for (const model of chosen)
    rows.push(await toRow(cli, model, configured.roles, options.remote === true))
  if (json) out.json({ models: rows })
  else for (const row of rows) printRow(cli, row, chosen.length > 1)
  // A failure only if no list could be read; each row names its problem.
  return rows.length > 0 && rows.every(({ error }) => error) ? exitCodes.unhealthy : exitCodes.done
}

async function toRow(
  cli: Cli,
  { name, config, purpose }: NamedModel,
  roles: Readonly<Record<string, string>>,
  remote: boolean,
): Promise<ModelRow> {
  const { context, signal, err } = cli
  const { row, config: resolved } = resolveModel(config, context)
  const facts = {
    name,
    provider: row.name,
    model: resolved.model,
    host: apiHost(config, context),
    roles: Object.entries(roles).flatMap(([role, used]) => (used === name ? [role] : [])),
    ...(purpose !== undefined && { purpose }),
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

function printRow(
  { out, err }: Cli,
  { name, provider, model = '', host, roles, purpose, remote, error }: ModelRow,
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
  ]
  out.line(parts.join('  '))
}
