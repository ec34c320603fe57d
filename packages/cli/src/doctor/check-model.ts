import { isLlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import {
  apiHost,
  apiHosts,
  type Diagnosis,
  diagnose,
  hostPort,
  proxyVariables,
  resolveApiKey,
  resolveModel,
  toFileNames,
} from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import type { NamedModel } from '../models/configured-models.js'
import { sandboxOf, toAllowLines } from './allow-lines.js'
import type { CheckState } from './check-state.js'
import { checks } from './checks.js'
import { speaksHttp, speaksTls } from './connection.js'
import { type DoctorReport, type DoctorStep, type StepId, stepIds } from './doctor-step.js'

/** How to check. */
export interface CheckOptions {
  readonly until: StepId
  /** Maximum milliseconds for each step. */
  readonly timeoutMs: number
  onBegin?(step: StepId): void
}

/**
 * Checks a model from its configuration to a reply in a schema: gives what each step found, and at
 * the end all of it. Never throws for a problem of the model.
 */
export async function* checkModel(
  model: NamedModel,
  cli: Cli,
  options: CheckOptions,
): AsyncGenerator<DoctorStep, DoctorReport> {
  const state: CheckState = { model, cli }
  const steps: DoctorStep[] = []
  let failed: StepId | undefined
  const last = stepIds.indexOf(options.until)
  try {
    for (const [index, id] of stepIds.entries()) {
      if (index > last) break
      options.onBegin?.(id)
      const step: DoctorStep =
        failed === undefined
          ? await runStep(id, state, options.timeoutMs)
          : { id, status: 'skipped', notReached: true, detail: `${failed} failed` }
      if (step.status === 'failed') failed = id
      steps.push(step)
      yield step
    }
  } finally {
    state.socket?.destroy()
  }
  return { name: model.name, ...facts(state), ok: failed === undefined, steps }
}

function facts({ model, cli }: CheckState): Pick<DoctorReport, 'provider' | 'model' | 'host'> {
  try {
    const { row, config } = resolveModel(model.config, cli.context)
    return {
      provider: row.name,
      ...(config.model !== undefined && { model: config.model }),
      host: apiHost(model.config, cli.context),
    }
  } catch {
    return {}
  }
}

async function runStep(id: StepId, state: CheckState, timeoutMs: number): Promise<DoctorStep> {
  const { signal } = state.cli
  const startedAt = performance.now()
  const latency = (): number => Math.round(performance.now() - startedAt)
  try {
    const {
      status = 'ok',
      timed = true,
      ...outcome
    } = await checks[id](
      state,
      AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      timeoutMs,
    )
    return {
      id,
      status,
      ...(timed && status !== 'skipped' && { latencyMs: latency() }),
      ...outcome,
    }
  } catch (error) {
    signal.throwIfAborted()
    const latencyMs = latency()
    const other = await otherScheme(id, state, timeoutMs)
    return { id, status: 'failed', latencyMs, ...describeFailure(error, state, other) }
  }
}

/**
 * The other scheme, if the server speaks it: asked with a connection of its own when TLS or a plain
 * request failed.
 */
async function otherScheme(
  id: StepId,
  { api, dialled, cli }: CheckState,
  timeoutMs: number,
): Promise<'http' | 'https' | undefined> {
  if (!api || api !== dialled || !['tls', 'auth'].includes(id)) return undefined
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(Math.min(timeoutMs, 5000))])
  const speaks = api.scheme === 'https' ? speaksHttp : speaksTls
  return (await speaks(api, signal)) ? (api.scheme === 'https' ? 'http' : 'https') : undefined
}

function sendsNoKey({ model, cli }: CheckState): boolean {
  try {
    return resolveApiKey(resolveModel(model.config, cli.context), cli.context) === undefined
  } catch {
    return false
  }
}

/** A failure with its name, its fix, and what a sandbox needs. */
function describeFailure(
  error: unknown,
  state: CheckState,
  other: 'http' | 'https' | undefined,
): Omit<DoctorStep, 'id' | 'status'> {
  const { problem, fix: usual } = diagnose(error)
  const fix = other
    ? `The server speaks ${other}: write ${other}:// in the base URL.`
    : problem === 'auth' && sendsNoKey(state)
      ? 'No key was sent, and the server asks for one: set api_key_env to the name of the variable that holds it.'
      : usual
  const detail = toFileNames(errorText(error))
  // A message of a configuration says itself what to do.
  const advice = [problem === 'config' && isLlmError(error) ? '' : fix, proxyAdvice(problem, state)]
    .filter(Boolean)
    .join(' ')
  const refused =
    problem === 'sandbox' || (problem === 'proxy' && state.dialled?.purpose === 'proxy')
      ? (state.api ?? state.dialled)
      : undefined
  const sandbox = sandboxOf(detail)
  const lines = refused ? toAllowLines(refused) : []
  const known = lines.filter((line) => line.sandbox === sandbox)
  return {
    detail,
    problem,
    ...(advice && { fix: advice }),
    ...(refused && { refusedHost: hostPort(refused), allow: known.length ? known : lines }),
  }
}

/** Inside of some sandboxes a proxy is the only way out. */
function proxyAdvice(problem: Diagnosis['problem'], { model, cli }: CheckState): string {
  if (!['dns', 'refused', 'timeout', 'interrupted', 'sandbox'].includes(problem)) return ''
  const names = proxyVariables(cli.context.environment).filter((name) =>
    /^https?_proxy$/i.test(name),
  )
  const hosts = apiHosts(model.config, cli.context)
  if (
    !names.length ||
    hosts.some(({ purpose }) => purpose === 'proxy') ||
    hosts.every(({ scheme }) => scheme === 'http')
  )
    return ''
  const name = names.find((one) => /https/i.test(one)) ?? names[0] ?? ''
  return `${name} is set, but this model does not use it: add "proxy_env: ${name}" to it.`
}
