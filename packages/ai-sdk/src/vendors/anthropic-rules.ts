import { type CallOptions, isObject, type JsonObject } from '@modelport/core'
import { toSnake } from '@modelport/core/text'
import { messagesCalls } from './executed-calls.js'
import { messagesMetadata } from './vendor-metadata.js'
import {
  type Fields,
  idOf,
  ofCall,
  type Rule,
  rulesOf,
  toCache,
  toSnakeDeep,
  type VendorRules,
  vendor,
  type WireTool,
} from './vendor-rules.js'

/** Fields with the names of the betas that the API wants in a header with them. */
const withBetas = (fields: JsonObject, ...betas: readonly string[]): CallOptions =>
  vendor({ ...fields, ...(betas.length && { betas }) })

const listOf = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(isObject)

const call: Readonly<Record<string, Rule<CallOptions>>> = {
  thinking: (value, { maxOutputTokens }) => {
    const { type, budgetTokens = 1024, display, blockBinding } = Object(value) as JsonObject
    const budget = type === 'enabled' ? Number(budgetTokens) : undefined
    const thinking = toSnakeDeep({ type, budgetTokens: budget, display, blockBinding })
    const betas = [
      ...(display === 'updates' ? ['thinking-display-updates-2026-08-18'] : []),
      ...(blockBinding ? ['thinking-binding-controls-2026-08-01'] : []),
    ]
    return {
      ...withBetas({ thinking }, ...betas),
      // What the model thinks counts, and the AI SDK's limit is for the reply.
      ...(budget && maxOutputTokens !== undefined && { maxTokens: maxOutputTokens + budget }),
    }
  },
  effort: (effort) => vendor({ output_config: { effort } }),
  taskBudget: (value) =>
    withBetas({ output_config: { task_budget: value } }, 'task-budgets-2026-03-13'),
  disableParallelToolUse: (value) => ({ parallelToolCalls: value !== true }),
  mcpServers: (value) => withBetas({ mcp_servers: toSnakeDeep(value) }, 'mcp-client-2025-04-04'),
  container: (value) => {
    const { id, skills } = Object(value) as JsonObject
    const list = listOf(skills).map(({ providerReference, skillId, ...skill }) => ({
      ...skill,
      skill_id: skillId ?? idOf(providerReference, 'anthropic'),
    }))
    if (!list.length) return vendor({ container: id })
    return withBetas(
      { container: { ...(id !== undefined && { id }), skills: list } },
      'code-execution-2025-08-25',
      'skills-2025-10-02',
      'files-api-2025-04-14',
    )
  },
  speed: (speed) => withBetas({ speed }, ...(speed === 'fast' ? ['fast-mode-2026-02-01'] : [])),
  fallbacks: (fallbacks) =>
    withBetas(
      { fallbacks },
      fallbacks === 'default'
        ? 'server-side-fallback-2026-07-01'
        : 'server-side-fallback-2026-06-01',
    ),
  anthropicBeta: (value) => vendor({ betas: Array.isArray(value) ? value : [] }),
  safeguards: (value) =>
    withBetas(
      { safeguards: toSnakeDeep(value, ['classifierContext']) },
      'dangerous-tool-use-2026-09-03',
    ),
  compaction: (compaction) => withBetas({ compaction }, 'compact-2026-09-04'),
  contextManagement: (value) => {
    const edits = isObject(value) ? listOf(value['edits']) : []
    return withBetas(
      { context_management: toSnakeDeep(value) },
      'context-management-2025-06-27',
      ...(edits.some(({ type }) => type === 'compact_20260112') ? ['compact-2026-01-12'] : []),
    )
  },
  structuredOutputMode: (mode) =>
    mode === 'jsonTool' ? 'the model is held to the schema of the output' : {},
  sendReasoning: (value) => (value === false ? 'take the reasoning out of the messages' : {}),
  includePings: () => 'a stream of ours has no parts for them',
  toolStreaming: () => 'set `eagerInputStreaming` of each tool',
}

const tool: Readonly<Record<string, Rule<Fields>>> = {
  cacheControl: toCache,
  cache_control: toCache,
  deferLoading: (value) => ({ deferred: value === true }),
  allowedCallers: (value) => ({ vendor: { allowed_callers: value } }),
}

const part: Readonly<Record<string, Rule<Fields>>> = {
  cacheControl: toCache,
  cache_control: toCache,
  containerUpload: () => ofCall,
}

const systemOnly: ReadonlySet<string> = new Set(['clearAt', 'effort', 'toolChanges'])

/** Anthropic's Messages API. */
export const messagesRules: VendorRules = {
  namespaces: ['anthropic'],
  key: 'anthropic',
  metadata: messagesMetadata,
  executedCalls: messagesCalls,
  supportedUrls: {
    'image/*': [/^https?:\/\/.*$/],
    'application/pdf': [/^https?:\/\/.*$/],
  },
  call: rulesOf(call, (name) => (value) => vendor({ [toSnake(name)]: toSnakeDeep(value) })),
  tool: rulesOf(tool, (name) => (value) => ({ vendor: { [toSnake(name)]: value } })),
  examples: (inputs) => ({ vendor: { input_examples: inputs } }),
  part: rulesOf(part, (name) => (value) => ({ vendor: { [toSnake(name)]: value } })),
  result: (name) => (value) => ({ vendor: { [toSnake(name)]: value } }),
  message: (name) => (systemOnly.has(name) ? () => ofCall : undefined),
  providerTool: toMessagesTool,
  choose: ({ name }) => ({ tool_choice: { type: 'tool', name } }),
  besides: ({ tools = [], providerOptions }) => {
    const isAdvanced = tools.some(
      (one) =>
        one.type === 'function' &&
        (one.inputExamples !== undefined ||
          one.providerOptions?.['anthropic']?.['allowedCallers'] !== undefined),
    )
    const { thinking } = providerOptions?.['anthropic'] ?? {}
    const type = isObject(thinking) ? thinking['type'] : undefined
    const thinks = type === 'enabled' || type === 'adaptive' || type === 'between_tools'
    return {
      ...withBetas({}, ...(isAdvanced ? ['advanced-tool-use-2025-11-20'] : [])),
      // The API refuses them while the model thinks.
      ...(thinks && { temperature: null, topP: null, topK: null }),
    }
  },
}

/** Names of tools in requests and replies, where they are not the start of the type. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^text_editor_(?:20241022|20250124)$/, 'str_replace_editor'],
  [/^text_editor_/, 'str_replace_based_edit_tool'],
  [/^tool_search_regex_/, 'tool_search_tool_regex'],
  [/^tool_search_bm25_/, 'tool_search_tool_bm25'],
]

/** The betas that the API wants with a tool. */
const betas: readonly (readonly [RegExp, string])[] = [
  [/^code_execution_20250522$/, 'code-execution-2025-05-22'],
  [/^code_execution_20250825$/, 'code-execution-2025-08-25'],
  [/^computer_20251124$/, 'computer-use-2025-11-24'],
  [/^(?:computer|text_editor|bash)_20241022$/, 'computer-use-2024-10-22'],
  [
    /^(?:computer_20250124|text_editor_2025(?:0124|0429)|bash_20250124)$/,
    'computer-use-2025-01-24',
  ],
  [/^memory_/, 'context-management-2025-06-27'],
  [/^web_fetch_20250910$/, 'web-fetch-2025-09-10'],
  [/^web_(?:fetch|search)_20260209$/, 'code-execution-web-tools-2026-02-09'],
  [/^advisor_/, 'advisor-tool-2026-03-01'],
]

function toMessagesTool({
  id,
  args,
}: Parameters<VendorRules['providerTool']>[0]): WireTool | undefined {
  if (!id.startsWith('anthropic.')) return undefined
  const given = id.slice('anthropic.'.length)
  const base = given.replace(/_\d{8}$/, '')
  const name = names.find(([pattern]) => pattern.test(given))?.[1] ?? base
  const type = given.replace(/^tool_search_/, 'tool_search_tool_')
  const needed = betas.filter(([pattern]) => pattern.test(given)).map(([, beta]) => beta)
  const isSet = base === 'computer_toolset'
  const fields = { type, ...(!isSet && { name }), ...Object(toSnakeDeep(args)) } as JsonObject
  return {
    tool: fields,
    name: isSet ? 'computer' : name,
    ...(needed.length && { options: vendor({ betas: needed }) }),
  }
}
