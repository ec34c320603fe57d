import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  conformance,
  inProcessSkips,
  neutral,
  type WireConversation,
  type WireConversationMessage,
  type WireFormat,
} from '@modelport/conformance'
import { afterAll, describe, test, vi } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { createLlamaCpp } from '../src/index.js'
import { type ScriptedQuestion, scriptedLlama, scripts } from './scripted-llama.js'

// All of the provider runs, from its template to its sampling loop; only the numbers of the model
// are made up.
vi.mock('node-llama-cpp', () => scriptedLlama)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'modelport-scripted-')))
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

/**
 * Prompts of one line a message, so that they can be read again. A model of this kind thinks
 * between <think> and </think>.
 */
const chatTemplate = `{#- <think></think> -#}
{%- for tool in tools or [] -%}{{- 'tool\\t' + (tool.function | tojson) + '\\n' -}}{%- endfor -%}
{%- for m in messages -%}
{{- m.role + '\\t' + (m.name or '') + '\\t' + (m.content | tojson)[1:-1] + '\\n' -}}
{%- for c in m.tool_calls or [] -%}
{{- '<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}\\n</tool_call>\\n' -}}
{%- endfor -%}
{%- endfor -%}`

function read({ prompt, temperature }: ScriptedQuestion): WireConversation {
  const messages: WireConversationMessage[] = []
  const tools: WireConversation['tools'][number][] = []
  const system: string[] = []
  for (const line of prompt.split('\n').filter((one) => one && !one.endsWith('tool_call>'))) {
    const [role = '', name = '', content] = line.split('\t')
    const text = content === undefined ? '' : (JSON.parse(`"${content}"`) as string)
    const last = messages.at(-1)
    if (role === 'system') system.push(text)
    else if (role === 'user') messages.push({ role, text })
    else if (role === 'assistant') messages.push({ role, text, toolCalls: [] })
    else if (role === 'tool' && content === undefined)
      tools.push(JSON.parse(name) as (typeof tools)[number])
    else if (role === 'tool') messages.push({ role, text, callId: '', name })
    else if (last?.role === 'assistant')
      messages.splice(-1, 1, {
        ...last,
        toolCalls: [
          ...last.toolCalls,
          {
            id: '',
            ...(JSON.parse(line) as { readonly name: string; readonly arguments: unknown }),
          },
        ],
      })
  }
  return {
    model: 'scripted',
    stream: true,
    system: system.join('\n'),
    tools,
    messages,
    ...(temperature !== undefined && { temperature }),
  }
}

const format: WireFormat = {
  ...neutral,
  api: 'a model in this process',
  supports: {
    ...neutral.supports,
    toolCallIds: false,
    argumentsText: false,
    contentFilter: false,
    toolResultErrors: false,
    counts: false,
  },
  read: ({ body }) => read(body as ScriptedQuestion),
  violations: () => [],
}

const asked = 'the model is asked when the reply is first read'
const cut =
  'nothing is between the model and its reply that could end before it: it fails, or it is at its end'
const unsent =
  'llama.cpp receives neither the maximum length of a reply nor whether it is streamed: the provider handles both'
const space = "white space between text and a call is the chat template's, not the text's"
let files = 0

conformance(
  { describe, test, everyNthByte: atSize(16, 1) },
  {
    name: 'llamacpp',
    format,
    skip: {
      ...inProcessSkips,
      'a stream without its terminal event rejects truncated after every event': cut,
      'a stream is tried again until its first piece, never after it': cut,
      'close() is idempotent and never rejects, before, during and after': asked,
      'nothing is read ahead beyond one chunk': asked,
      'every method makes its request the same way': unsent,
      "options reach the wire: system, maxTokens, temperature; a call's own win over the defaults":
        unsent,
      "defaults: 'reference' sends 4096 tokens, and temperature 0.7 or none": unsent,
      ...Object.fromEntries(
        ['two turns', 'three turns'].flatMap((name) => [
          [`round trip of a stream: ${name}`, space],
          [`round trip of whole replies: ${name}`, space],
        ]),
      ),
      'fullText() and usage() are valid at any time and final after the end': space,
      'a finish reason that is not known is other, never stop':
        'llama.cpp gives no reason: a model ends its reply, or the provider does',
      'a turn replays its own text, not that of the turns before': space,
      'a conversation continues over several turns': space,
    },
    create: ({ fetch, ...config }) => {
      const modelPath = join(folder, `${++files}.gguf`)
      writeFileSync(modelPath, 'GGUF')
      scripts.set(modelPath, fetch)
      return createLlamaCpp({
        modelPath,
        gpu: false,
        contextSize: 100_000,
        chatTemplate,
        ...config,
      })
    },
  },
)
