import { isLlmError } from '@modelport/core'
import {
  apiHosts,
  diagnose,
  hostPort,
  keyVariables,
  newProvider,
  resolveApiKey,
  resolveModel,
  testConnection,
} from '@modelport/factory'
import { readVariable } from '../context/cli.js'
import type { CheckState, Outcome } from './check-state.js'
import { openSocket, openTls, openTunnel, resolveName } from './connection.js'
import type { StepId } from './doctor-step.js'
import { checkSchema, checkStream, checkTools } from './reply-checks.js'

/** `signal` has the time limit; requests have a clock of their own, whose failure says more. */
type Check = (state: CheckState, signal: AbortSignal, timeoutMs: number) => Promise<Outcome>

const skipped = (detail: string): Outcome => ({ status: 'skipped', detail })

/** What each step does. */
export const checks: Readonly<Record<StepId, Check>> = {
  config: async (state) => {
    const { model, cli } = state
    const resolved = resolveModel(model.config, cli.context)
    const key = resolved.row.offline ? undefined : resolveApiKey(resolved, cli.context)
    // Loads the package, and lets it check its settings.
    await newProvider(model.config, cli.context)
    const hosts = apiHosts({ ...model.config, fallback: undefined }, cli.context)
    const api = hosts.find(({ purpose }) => purpose === 'api')
    const dialled = hosts.find(({ purpose }) => purpose === 'proxy') ?? api
    if (api) state.api = api
    if (dialled) state.dialled = dialled
    const source = model.config.apiKey
      ? 'configuration'
      : keyVariables(resolved, cli.context).find((name) => readVariable(cli, name) !== undefined)
    const named = model.config.apiKeyEnv
    const detail = `${resolved.row.name}:${resolved.config.model ?? ''}${key === undefined ? ', no key' : `, key from ${source ?? 'the environment'}`}`
    if (key !== undefined || named === undefined || resolved.row.offline)
      return { detail, timed: false }
    return {
      status: 'warning',
      detail,
      timed: false,
      fix: `The variable ${named} is not set, so no key is sent: set it, or take api_key_env out.`,
    }
  },

  dns: async ({ dialled }) => {
    if (!dialled) return skipped('opens no connection')
    const addresses = await resolveName(dialled.host)
    return {
      detail: `${dialled.host} is ${addresses.slice(0, 2).join(', ')}${addresses.length > 2 ? ', …' : ''}`,
    }
  },

  tcp: async (state, signal) => {
    const { dialled, api } = state
    if (!dialled || !api) return skipped('opens no connection')
    const socket = await openSocket(dialled, signal)
    state.socket = socket
    if (dialled === api) return { detail: hostPort(dialled) }
    const way = dialled.scheme === 'https' ? await openTls(socket, dialled, signal) : socket
    state.socket = way
    const { proxy } = resolveModel(state.model.config, state.cli.context)
    await openTunnel(
      { socket: way, host: hostPort(dialled), authorization: proxy?.authorization() },
      api,
      signal,
    )
    return { detail: `${hostPort(api)} through the proxy ${hostPort(dialled)}` }
  },

  tls: async (state, signal) => {
    const { api, socket } = state
    if (!api || !socket) return skipped('opens no connection')
    if (api.scheme === 'http') return skipped('plain http')
    const secure = await openTls(socket, api, signal)
    state.socket = secure
    const until = secure.getPeerCertificate().valid_to
    const days = Math.floor((Date.parse(until) - Date.now()) / 86_400_000)
    const detail = `${secure.getProtocol() ?? 'TLS'}, certificate for ${days} more days`
    return days < 7
      ? { status: 'warning', detail, fix: 'The certificate ends soon: renew it.' }
      : { detail }
  },

  auth: async (state, _signal, timeoutMs) => {
    const { model, cli } = state
    const { signal } = cli
    try {
      await testConnection({ ...model.config, fallback: undefined }, undefined, {
        timeoutMs,
        signal,
        context: cli.context,
      })
      return { detail: state.dialled ? 'accepted' : 'none needed' }
    } catch (error) {
      // The server accepted the key, and refused the model or the request.
      if (!isLlmError(error) || !['model', 'request'].includes(diagnose(error).problem)) throw error
      state.refusal = error
      return { detail: 'accepted' }
    }
  },

  model: (state) => {
    if (state.refusal !== undefined)
      return Promise.reject(
        state.refusal instanceof Error ? state.refusal : new Error('the request was refused'),
      )
    return Promise.resolve({
      detail: `${resolveModel(state.model.config, state.cli.context).config.model ?? ''} answers`,
      timed: false,
    })
  },

  stream: checkStream,
  tools: checkTools,
  schema: checkSchema,
}
