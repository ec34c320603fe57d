// The agent: node agent.ts BASE_URL, or the same in a sandbox. Its tool may open any page; what it
// reaches, the sandbox decides.
import process from 'node:process'
import type { ToolCall, ToolDefinition, ToolResult } from '@modelport/core'
import { newProvider } from '@modelport/factory'
import { modelAt } from './model.ts'

const tools: readonly ToolDefinition[] = [
  {
    name: 'open_page',
    description: 'The text of a web page',
    parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  },
]

async function openPage(call: ToolCall): Promise<ToolResult> {
  const { url } = call.arguments
  try {
    const page = await fetch(String(url))
    const text = page.ok ? await page.text() : `${page.status} ${await page.text()}`
    console.log(`  opened ${String(url)}: ${text}`)
    return { callId: call.id, content: text, isError: !page.ok }
  } catch (error) {
    console.log(`  could not open ${String(url)}: ${(error as Error).message}`)
    return { callId: call.id, content: 'this page cannot be reached', isError: true }
  }
}

const provider = await newProvider(modelAt(process.argv[2] ?? 'http://127.0.0.1:8080/v1'))
const reader = await provider.streamWithTools(
  [{ role: 'user', content: 'Summarise my notes.' }],
  tools,
)
const calls: ToolCall[] = []
for await (const event of reader) {
  if (event.type === 'tool-call-complete') calls.push(event.toolCall)
  if (event.type === 'turn-end' && calls.length > 0)
    await reader.sendToolResults(await Promise.all(calls.splice(0).map(openPage)))
}
console.log(reader.fullText())
