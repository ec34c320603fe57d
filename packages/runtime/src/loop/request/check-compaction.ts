import { checkThreshold } from '../../history/compaction/automatic.js'
import { checkCompaction } from '../../history/compaction/compact.js'
import type { AutoCompaction } from './run-request.js'

/**
 * Checks the settings before a run begins; during the run a mistake would only be an event.
 * @throws {LlmError} `config`
 */
export function checkAutoCompaction({
  threshold,
  onContextLength,
  ...request
}: AutoCompaction): void {
  if (threshold !== undefined) checkThreshold(threshold)
  checkCompaction(request)
  if (typeof onContextLength === 'object') checkCompaction(onContextLength)
}
