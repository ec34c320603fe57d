import { checkConnection, type ConnectionReport, type ConnectionTestOptions } from './connection-test.js'
import type { ModelConfig } from '../config/model-config.js'
import { loadCreators } from '../providers/providers.js'

/**
 * Asks the model for one word: exactly one request, never tried again, at most 15 seconds over everything. An empty answer that
 * ran into the token limit counts: the model can be reached. Fallbacks are not asked.
 * @throws {LlmError} what is wrong; `diagnose` names it and says what to do.
 */
export const testConnection = (
  config: ModelConfig | string,
  apiKey?: string,
  options?: ConnectionTestOptions,
): Promise<ConnectionReport> => checkConnection(loadCreators, config, apiKey, options)
