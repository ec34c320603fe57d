import { type Api, apis } from '../bodies.ts'
import type { OnText, Row } from '../row.ts'
import type { Task } from '../task.ts'

interface Event {
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[]
  readonly delta?: { readonly text?: string } | string
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly { readonly text?: string }[] }
  }[]
  readonly message?: { readonly content?: string | readonly unknown[] }
}

const anthropicText = ({ delta }: Event): string | undefined =>
  typeof delta === 'object' ? delta.text : undefined
const responsesText = ({ delta }: Event): string | undefined =>
  typeof delta === 'string' ? delta : undefined
const ollamaText = ({ message }: Event): string | undefined =>
  typeof message?.content === 'string' ? message.content : undefined

/** Where an event has its text. */
const texts: Readonly<Record<Api, (event: Event) => string | undefined>> = {
  'openai-chat': ({ choices }) => choices?.[0]?.delta?.content,
  anthropic: anthropicText,
  'openai-responses': responsesText,
  gemini: ({ candidates }) => candidates?.[0]?.content?.parts?.[0]?.text,
  ollama: ollamaText,
}

/** Looked at only where a measurement asks for single deltas. */
function reading(api: Api, onText: OnText | undefined): ((event: unknown) => void) | undefined {
  if (!onText) return undefined
  const text = texts[api]
  return (event) => {
    const found = text(event as Event)
    if (found) onText(found)
  }
}

const bodyOf = ({ messages, tools }: Task): string =>
  JSON.stringify({ model: 'bench', max_tokens: 100, stream: true, messages, tools })
const uses = (): Record<string, string[]> => ({ undici: ['request'] })

/** Floor (b), the reference of all ratios. */
export const floorB: Row = {
  name: 'floor b (reference)',
  kind: 'floor',
  apis,
  uses,
  create: async (api, task) => {
    const { split, whole } = await import('../floor.ts')
    return {
      stream: (baseUrl, onText) => split(`${baseUrl}/x`, bodyOf(task), reading(api, onText)),
      complete: (baseUrl) => whole(`${baseUrl}/x`, bodyOf(task)),
    }
  },
}

/** Floor (a): the transport alone. It cannot say when a delta came. */
export const floorA: Row = {
  name: 'floor a (discard)',
  kind: 'floor',
  apis,
  uses,
  create: async (_api, task) => {
    const { discard } = await import('../floor.ts')
    const read = (baseUrl: string): Promise<number> => discard(`${baseUrl}/x`, bodyOf(task))
    return { stream: read, complete: read }
  },
}
