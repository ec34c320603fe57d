import { textOf } from '@modelport/core'
import { createMock, type MockTurn } from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'
import { z } from 'zod'
import type { StudioModel } from './studio-options.js'

/** Milliseconds between two pieces of a demo reply: fast, but visible. */
const pieceMs = 12

/** Cities that the demo tool knows, in °C. */
const temperatures: Readonly<Record<string, number>> = { oslo: 4, paris: 17, rome: 24, tokyo: 21 }

/** A tool without side effects. */
export const demoTools: readonly Tool[] = [
  defineTool({
    name: 'get_weather',
    description: 'The weather in a city, from a table in this program',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, celsius: temperatures[city.toLowerCase()] ?? 12 }),
  }),
]

function reply(prompt: string, hasTool: boolean): MockTurn {
  const city =
    Object.keys(temperatures).find((name) => prompt.toLowerCase().includes(name)) ?? 'rome'
  if (!hasTool)
    return {
      text: `This is the demo model. You wrote: “${prompt}”.\n\n- It needs no key.\n- It contacts **no host**.`,
    }
  return {
    reasoning:
      'The question is about the weather, and there is a tool for that. I call it instead of guessing.',
    text: 'Let me look that up.',
    toolCalls: [
      {
        name: 'get_weather',
        arguments: { city: city.replace(/^./, (first) => first.toUpperCase()) },
      },
    ],
    usage: { inputTokens: 120, outputTokens: 34 },
  }
}

/**
 * A scripted model: it needs no key and contacts no host, and shows reasoning, a tool call, an
 * approval and a final reply.
 */
export function createDemoModel(): StudioModel {
  return {
    id: 'demo',
    provider: 'mock',
    model: 'demo',
    hosts: [],
    note: 'Its replies are scripted; ask for the weather in a city to see a tool call',
    tools: demoTools,
    profile: { contextWindow: 8192, prices: { input: 1, output: 4 } },
    open: () =>
      createMock({
        model: 'demo',
        delayMs: pieceMs,
        chunkSize: 6,
        defaultResponse: ({ messages, tools }) => {
          const last = messages.at(-1)
          const text = last ? textOf(last.content) : ''
          if (last?.role !== 'tool') return reply(text, tools.length > 0)
          const said = text.startsWith('{')
            ? `The tool says: \`${text}\``
            : `The tool did not run: ${text}`
          return {
            text: `${said}\n\nThat is the whole loop: **reply**, tool call, approval, result, final reply.`,
          }
        },
      }),
  }
}
