import { vertexUrl } from '@modelport/catalog'
import { asText, configError, type JsonObject, type LlmError, parseBaseUrl } from '@modelport/core'
import { type DriverIo, postJson, RecentSecrets } from '@modelport/driver'
import type { AnthropicConnection, AnthropicVertexConfig, Connection } from './config.js'
import { providerName } from './error.js'
import type { AnthropicRequest } from './request.js'

const vertexError = (message: string): LlmError => configError(`${providerName}: ${message}`)

/**
 * @throws {LlmError} `config`, `invalid-base-url` — the path cannot be made, there is no token, or
 * a setting is not for Vertex AI.
 */
export function toVertexConnection(
  config: AnthropicConnection,
  vertex: AnthropicVertexConfig,
): Connection {
  const { project, location, accessToken } = vertex
  const { authToken, apiKey, cloud, apiVersion } = config
  if (apiKey ?? cloud ?? apiVersion)
    throw vertexError('Vertex AI takes no apiKey, cloud and apiVersion; leave them out')
  if ((accessToken === undefined) === (authToken === undefined))
    throw vertexError('Vertex AI needs one of vertex.accessToken and authToken')
  const url = vertexUrl(location)
  if (url === undefined || !/^[a-z0-9][a-z0-9.:-]*$/.test(asText(project)))
    throw vertexError(
      'vertex needs the id of a project, and a location such as "europe-west1", "us", "eu" or "global"',
    )
  const { href, host } = parseBaseUrl(config.baseUrl ?? url)
  const recent = new RecentSecrets()
  const setting = accessToken ? 'vertex.accessToken' : 'authToken'
  const askAuthToken = typeof authToken === 'function' ? authToken : () => authToken ?? ''
  const ask = accessToken ?? askAuthToken
  return {
    baseUrl: `${href.replace(/\/v1$/, '')}/v1/projects/${project}/locations/${location ?? 'global'}/publishers/anthropic/models`,
    host,
    headers: {},
    secrets: () => recent.all,
    cloud: 'vertex',
    token: () => recent.ask(`${providerName}: ${setting}`, ask),
  }
}

/**
 * Posts a request of the Messages API: the model is in the path, the version in the body. With
 * `countBody` its tokens are counted instead; the model is in that body then.
 * @see https://github.com/anthropics/anthropic-sdk-typescript (`packages/vertex-sdk/src/client.ts`,
 * 0.19.5, read 2026-11-28)
 * @throws {LlmError} `config` — the model's name has other characters than a name.
 */
export async function postToVertex(
  io: DriverIo,
  { baseUrl, token }: Connection,
  { body: { model, ...rest }, betas }: AnthropicRequest,
  countBody?: JsonObject,
): Promise<Response> {
  const name = asText(model)
  if (!/^[\w.@-]+$/.test(name))
    throw vertexError(`${JSON.stringify(model)} is not the name of a model on Vertex AI`)
  const predict = rest['stream'] ? 'streamRawPredict' : 'rawPredict'
  const method = countBody ? 'count-tokens:rawPredict' : `${name}:${predict}`
  const body = { anthropic_version: 'vertex-2023-10-16', ...(countBody ?? rest) }
  const beta = betas.length > 0 && { 'anthropic-beta': betas.join(',') }
  return postJson(io, `${baseUrl}/${method}`, body, {
    authorization: `Bearer ${await token?.()}`,
    ...beta,
  })
}
