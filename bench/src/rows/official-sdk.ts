import { apis } from '../bodies.ts'
import type { Row } from '../row.ts'
import { usesOf } from '../row.ts'

const openai = { openai: ['default'] }

/** The vendor's official SDK: its plain stream, and its call without one. */
export const officialSdk: Row = {
  name: 'official SDK',
  kind: 'peer',
  apis,
  uses: usesOf({
    'openai-chat': openai,
    'openai-responses': openai,
    anthropic: { '@anthropic-ai/sdk': ['default'] },
    gemini: { '@google/genai': ['GoogleGenAI'] },
    ollama: { ollama: ['Ollama'] },
  }),
  create: async (api, task) => {
    switch (api) {
      case 'openai-chat':
        return (await import('./official-openai.ts')).chat(task)
      case 'openai-responses':
        return (await import('./official-openai.ts')).responses(task)
      case 'anthropic':
        return (await import('./official-others.ts')).anthropic(task)
      case 'gemini':
        return (await import('./official-others.ts')).gemini(task)
      case 'ollama':
        return (await import('./official-others.ts')).ollama(task)
    }
  },
}
