import { asText, type FileStore } from '@modelport/core'
import { createEndpointClient, createFileStore, requireConfig } from '@modelport/driver'
import { notIn } from './cloud.js'
import { ownRequest, toConnection } from './connection.js'
import { providerName, toAnthropicError } from './error.js'
import { type AnthropicConfig, configNames, fieldNames, toSettings } from './provider.js'

/**
 * The files of a workspace, up to 500 MB each. The former beta header selects other pages, by
 * `after_id`; both are read.
 * @see https://platform.claude.com/docs/en/build-with-claude/files (as in @anthropic-ai/sdk 1.11.0
 * `resources/files`, read 2026-11-27)
 * @throws {LlmError} `config`, `invalid-base-url` — the configuration names no key, or no usable
 * address; `unsupported` — a cloud.
 */
export function createAnthropicFiles(config: Omit<AnthropicConfig, 'model'>): FileStore {
  requireConfig(config, 'createAnthropicFiles', configNames, fieldNames)
  const connection = toConnection(config)
  if (connection.cloud) throw notIn(connection.cloud, 'files')
  return createFileStore({
    name: providerName,
    client: createEndpointClient(
      providerName,
      toAnthropicError,
      toSettings({ ...config, model: '' }, connection),
    ),
    maxBytes: 500_000_000,
    request: (path) => ownRequest(connection, `/v1${path}`),
    fields: 'id filename mime_type size_bytes created_at expires_at',
    pageQuery: { limit: '1000' },
    nextPage: ({ next_page: page, has_more: more, last_id: last }) => {
      if (asText(page)) return { page: asText(page) }
      return more === true ? { after_id: asText(last) } : undefined
    },
  })
}
