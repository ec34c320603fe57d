import { asText, type FileStore } from '@modelport/core'
import { createFileStore, namedError, requireConfig } from '@modelport/driver'
import { apiClient, type JsonEndpointConfig } from './api-client.js'
import { configNames, fieldNames } from './config.js'

/**
 * The files of a project, up to 512 MB each. Their purpose is `user_data`, unless `vendor` of the
 * options says another.
 * @see https://developers.openai.com/api/reference/resources/files (as in openai 7.55.0
 * `resources/files`, read 2026-11-27)
 * @throws {LlmError} `invalid-base-url`, `config` — the address or the key is missing or malformed;
 * `unsupported` — an Azure resource.
 */
export function createOpenAIFiles(config: JsonEndpointConfig): FileStore {
  requireConfig(config, 'createOpenAIFiles', configNames, fieldNames)
  const connection = apiClient(config, 'resource')
  if (config.azure)
    throw namedError(connection.name, 'unsupported', 'files of Azure; use the API of the vendor')
  return createFileStore({
    ...connection,
    maxBytes: 512_000_000,
    fields: 'id filename - bytes created_at expires_at',
    form: { purpose: 'user_data' },
    pageQuery: { limit: '10000' },
    nextPage: ({ has_more: more, last_id: last }) =>
      more === true ? { after: asText(last) } : undefined,
  })
}
