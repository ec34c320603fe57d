import { type Capabilities, LlmError, type ModelProfile } from '@modelport/core'

/**
 * How the model says what it wants. `native`: tool calls of the API. `json`: each reply is one JSON object, for models without tool calls, held to a
 * schema where the server can. `text`: calls as `<tool_call>` blocks in the text, the form most open models were taught; the final reply is plain text.
 */
export type ActionMode = 'native' | 'json' | 'text'

/**
 * Chooses a mode from what is known: native where the API and the model can, JSON where they cannot or only might. Without capabilities the profile decides,
 * and without that it is native.
 * @throws {LlmError} `config` — there is no such mode.
 */
export function resolveMode(
  mode: ActionMode | 'auto' = 'auto',
  capabilities?: Capabilities,
  profile: ModelProfile = {},
): ActionMode {
  if (!known.includes(mode))
    throw new LlmError('config', `mode: unknown ${JSON.stringify(mode)}; known: ${known.join(', ')}`)
  if (mode !== 'auto') return mode
  const said = capabilities?.tools.supported
  if (said === false || profile.supportsTools === false) return 'json'
  return said === 'by-model' && profile.supportsTools !== true ? 'json' : 'native'
}

const known: readonly string[] = ['auto', 'native', 'json', 'text']
