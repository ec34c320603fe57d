import { type FileStore, isObject } from '@modelport/core'
import {
  createEndpointClient,
  createFileStore,
  namedError,
  requireConfig,
  stringOf,
  withVendor,
} from '@modelport/driver'
import { configNames, fieldNames, type GoogleConfig, toCheckedKey, toEndpoint } from './config.js'
import { toGoogleError } from './error.js'
import { providerName } from './model-state.js'
import { createClient } from './provider.js'

/**
 * The files of a project, up to 2 GB each, for 48 hours. An interrupted upload continues after the
 * last byte that arrived.
 * @see https://ai.google.dev/api/files (read 2026-11-27)
 * @see https://developers.google.com/streetview/publish/resumable-uploads for the protocol (read
 * 2026-11-27)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration does not work; `unsupported`
 * — Vertex AI.
 */
export function createGoogleFiles(config: Omit<GoogleConfig, 'model'>): FileStore {
  requireConfig(config, 'createGoogleFiles', configNames, fieldNames)
  if (config.vertex)
    throw namedError(providerName, 'unsupported', 'files of Vertex AI; use the Gemini API')
  const connection = { ...config, model: '' }
  const { baseUrl, apiVersion } = toEndpoint(connection)
  const headers = { 'x-goog-api-key': toCheckedKey(connection) ?? '' }
  return createFileStore({
    name: providerName,
    client: createEndpointClient(providerName, toGoogleError, createClient(connection).settings),
    maxBytes: 2_000_000_000,
    request: (path) => ({ url: `${baseUrl}/${apiVersion}${path}`, headers }),
    fields: 'uri displayName mimeType sizeBytes createTime expirationTime',
    list: 'files',
    pageQuery: { pageSize: '100' },
    nextPage: ({ nextPageToken: token }) =>
      stringOf(token) ? { pageToken: String(token) } : undefined,
    isPending: isInPreparation,
    locate: ({ name, mediaType }, size, vendor) => {
      const startUrl = `${baseUrl}/upload/${apiVersion}/files`
      let uploadUrl = ''
      return async (post) => {
        let offset = 0
        if (uploadUrl) {
          offset = await receivedBytes(post, uploadUrl, size)
        } else {
          const file = JSON.stringify(withVendor({ file: { display_name: name } }, vendor))
          const response = await post(startUrl, startHeaders(size, mediaType), file)
          uploadUrl = response.get('x-goog-upload-url') ?? ''
        }

        if (!hasOrigin(uploadUrl, startUrl))
          throw namedError(
            providerName,
            'redirect-refused',
            'the server redirects the upload to another host; nothing was sent',
          )
        return {
          url: uploadUrl,
          offset,
          headers: {
            'x-goog-upload-command': 'upload, finalize',
            'x-goog-upload-offset': String(offset),
          },
        }
      }
    },
  })
}

/** @throws {LlmError} `invalid-request` — the vendor could not read the file. */
function isInPreparation({ state, error }: Readonly<Record<string, unknown>>): boolean {
  if (state !== 'FAILED') return state === 'PROCESSING'

  const message = isObject(error) ? stringOf(error['message']) : undefined
  const why = message ?? 'it gives no reason'
  throw namedError(providerName, 'invalid-request', `the vendor cannot read the file: ${why}`)
}

/** The headers of the request that begins an upload. */
const startHeaders = (size: number, mediaType: string): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'x-goog-upload-protocol': 'resumable',
  'x-goog-upload-command': 'start',
  'x-goog-upload-header-content-length': String(size),
  'x-goog-upload-header-content-type': mediaType,
})

/** Asks how much of an interrupted upload arrived. */
async function receivedBytes(
  post: (url: string, headers: Readonly<Record<string, string>>) => Promise<Headers>,
  uploadUrl: string,
  size: number,
): Promise<number> {
  const response = await post(uploadUrl, { 'x-goog-upload-command': 'query' })
  const offset = Number(response.get('x-goog-upload-size-received') ?? NaN)
  const isActive = response.get('x-goog-upload-status') === 'active'
  if (!isActive || !(offset >= 0 && offset <= size))
    throw namedError(providerName, 'protocol', 'the upload cannot be continued')
  return offset
}

const hasOrigin = (url: string, other: string): boolean =>
  URL.canParse(url) && new URL(url).origin === new URL(other).origin
