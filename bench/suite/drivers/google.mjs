// The official SDK of Google. It has no helper that adds the chunks of a stream up, so the driver
// does what its documentation shows.
import { GoogleGenAI } from '@google/genai'
import { drive } from './drive.mjs'
import { versionOf } from './version.mjs'

const client = { client: '@google/genai', version: versionOf('@google/genai'), wire: 'gemini' }
const lacks = { retry: 'it is turned on by an option of its own' }

/** Runs the suite. */
export const run = (suite) =>
  drive(suite, { ...client, lacks }, async (one, turns) => {
    const ai = new GoogleGenAI({ apiKey: one.key, httpOptions: { baseUrl: one.baseUrl } })
    const functionDeclarations = one.tools.map(({ parameters, ...tool }) => ({
      ...tool,
      parametersJsonSchema: parameters,
    }))
    const contents = one.messages.map(({ content }) => ({
      role: 'user',
      parts: [{ text: content }],
    }))
    for (let i = 0; ; i++) {
      const turn = { text: '', reasoning: '', calls: [] }
      turns.push(turn)
      const config = {
        maxOutputTokens: one.maxTokens,
        ...(one.tools.length && { tools: [{ functionDeclarations }] }),
      }
      const ask = { model: one.model, contents, config }
      const parts = []
      const chunks = one.stream
        ? await ai.models.generateContentStream(ask)
        : [await ai.models.generateContent(ask)]
      for await (const chunk of chunks) {
        const [candidate] = chunk.candidates ?? []
        for (const part of candidate?.content?.parts ?? []) {
          parts.push(part)
          if (part.thought) turn.reasoning += part.text ?? ''
          else turn.text += part.text ?? ''
          const call = part.functionCall
          if (call) turn.calls.push({ id: call.id, name: call.name, arguments: call.args })
        }
        turn.finish = candidate?.finishReason ?? turn.finish
        const usage = chunk.usageMetadata
        if (usage)
          turn.usage = { input: usage.promptTokenCount, output: usage.candidatesTokenCount }
      }
      const results = one.toolResults[i]
      if (!results) return
      const responses = results.map((output, at) => {
        const { id, name } = turn.calls[at] ?? {}
        return { functionResponse: { ...(id && { id }), name, response: { output } } }
      })
      contents.push({ role: 'model', parts }, { role: 'user', parts: responses })
    }
  })
