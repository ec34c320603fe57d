import { type Capabilities, configError, type ModelProfile } from '@modelport/core'

/**
 * How the model says what it wants. `native`: tool calls of the API. `json`: each reply is one JSON
 * object, for models without tool calls, held to a schema where the server can. `text`: calls as
 * `<tool_call>` blocks in the text, the form most open models were taught; the final reply is plain
 * text.
 */
export type ActionMode = 'native' | 'json' | 'text'

/**
 * Chooses a mode from what is known: JSON if the capabilities or the profile say that the model has
 * no tools, else native. A capability that depends on the model (`by-model`) is unknown, and so
 * means native too.
 * @param unknown the mode for a model of which nothing is known
 * @throws {LlmError} `config` — there is no such mode.
 */
export function resolveMode(
  mode: ActionMode | 'auto' = 'auto',
  capabilities?: Capabilities,
  profile: ModelProfile = {},
  unknown: ActionMode = 'native',
): ActionMode {
  if (!known.includes(mode))
    throw configError(`mode: unknown ${JSON.stringify(mode)}; known: ${known.join(', ')}`)
  if (mode !== 'auto') return mode
  const said = capabilities?.tools.supported
  if (said === false || profile.supportsTools === false) return 'json'
  return said === 'by-model' && profile.supportsTools !== true ? unknown : 'native'
}

const known: readonly string[] = ['auto', 'native', 'json', 'text']
