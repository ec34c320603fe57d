/** What a model takes; decides what a request may hold. */
export interface ModelTraits {
  /**
   * How a request sets its thinking: it cannot, by a number of tokens, by an adaptive effort
   * (Claude), or by `reasoning_effort` (gpt-oss).
   */
  readonly thinking: 'none' | 'budget' | 'adaptive' | 'effort'
  /** Whether cache points are taken: nowhere, everywhere but among tools, everywhere. */
  readonly cache: 'none' | 'messages' | 'all'
  /** Whether a tool result may have a `status`; else its text says that the tool failed. */
  readonly resultStatus: boolean
  /** Whether `toolChoice` can force a call. */
  readonly forcedTools: boolean
}

const other: ModelTraits = {
  thinking: 'none',
  cache: 'none',
  resultStatus: false,
  forcedTools: false,
}
const nova: ModelTraits = { ...other, cache: 'messages', resultStatus: true, forcedTools: true }
const claude: ModelTraits = { ...other, cache: 'all', resultStatus: true, forcedTools: true }
const budgeted: ModelTraits = { ...claude, thinking: 'budget' }
const adaptive: ModelTraits = { ...claude, thinking: 'adaptive' }

/**
 * Traits by the model's name without its region and version, of 2026-11-27. A row holds for its
 * name and for names that continue it after a `-`. The longest row wins.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11-27):
 * Claude and Nova, Nova without tools
 * @see https://github.com/pydantic/pydantic-ai (`tests/models/cassettes/test_bedrock`, read
 * 2026-11-27): recorded thinking and forced calls
 */
const rows: Readonly<Record<string, ModelTraits>> = {
  'amazon.nova': nova,
  'anthropic.claude': adaptive,
  'anthropic.claude-v2': { ...claude, cache: 'none' },
  'anthropic.claude-instant': { ...claude, cache: 'none' },
  'anthropic.claude-3': claude,
  'anthropic.claude-3-7-sonnet': budgeted,
  'anthropic.claude-sonnet-4': budgeted,
  'anthropic.claude-opus-4': budgeted,
  'anthropic.claude-haiku-4': budgeted,
  'anthropic.claude-sonnet-4-6': adaptive,
  'anthropic.claude-opus-4-6': adaptive,
  'anthropic.claude-opus-4-7': adaptive,
  'anthropic.claude-opus-4-8': adaptive,
  'openai.gpt-oss': { ...other, thinking: 'effort' },
}

/**
 * `vendor.name` of an id or ARN, without the region of a profile (`us.`, `global.`) and without
 * version.
 */
export function modelName(model: unknown): string {
  const id = String(model).replace(/^arn:[^/]*\//, '')
  return /^(?:[a-z-]+[.])?([a-z0-9]+[.][a-z][^:]*)/.exec(id)?.[1] ?? id
}

/**
 * The traits of a model; `overrides` win over the table. An ARN that does not name its model has no
 * row.
 */
export function traitsOf(model: unknown, overrides?: Partial<ModelTraits>): ModelTraits {
  const name = modelName(model)
  const [longest = ''] = Object.keys(rows)
    .filter((row) => name === row || name.startsWith(`${row}-`))
    .sort((a, b) => b.length - a.length)
  return { ...(rows[longest] ?? other), ...overrides }
}
