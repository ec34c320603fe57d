// An agent uses the tools of two MCP servers. One of them asks the user. The answer may come at
// once or tomorrow: the run is stored in a file until then.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { textOf } from '@modelport/core'
import { mcpTools } from '@modelport/mcp'
import {
  type Answer,
  checkAnswer,
  infer,
  type PendingQuestion,
  type RunResult,
} from '@modelport/runtime'
import { createOfflineModel } from './model.ts'

const file = 'evening.json'
const openServer = (name: string) =>
  mcpTools({
    name,
    transport: { command: 'node', args: [`${name}.ts`], cwd: import.meta.dirname },
    elicitation: true,
    lock: join(import.meta.dirname, '../modelport.lock'),
    onWarning: ({ message }) => console.log(message),
  })
const sources = [openServer('weather'), openServer('tables')]
const provider = createOfflineModel() // any other provider

/** The user's answer: from the environment, or from a terminal; undefined if it comes later. */
async function readAnswer(question: PendingQuestion['question']): Promise<Answer | undefined> {
  const { from, message, schema } = question
  console.log(`${from} asks: ${message} ${JSON.stringify(schema?.['properties'])}`)
  let said = process.env['PEOPLE']
  if (said === undefined && process.stdin.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    said = await terminal.question('A number, "no", or nothing to answer later: ')
    terminal.close()
  }
  if (!said) return undefined
  const answer: Answer =
    said === 'no' ? { action: 'decline' } : { action: 'accept', content: { people: Number(said) } }
  try {
    return checkAnswer(question, answer)
  } catch (error) {
    console.log((error as Error).message)
    return undefined
  }
}

let result: RunResult = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as RunResult)
  : await infer(provider, { query: 'Book me a table in Rome for tonight.', sources })

while (result.status === 'suspended') {
  const [item] = result.pending
  if (item?.type !== 'question') throw new Error('something else than a question waits')
  writeFileSync(file, JSON.stringify(result))
  const answer = await readAnswer(item.question)
  if (!answer) {
    console.log(`stored in ${file} until there is an answer`)
    break
  }
  const { checkpoint: resume, transcript: messages } = result
  const decisions = [{ type: 'answer', id: item.id, digest: item.digest, ...answer }] as const
  result = await infer(provider, { sources, messages, durable: { resume, decisions } })
}

if (result.status !== 'suspended') {
  for (const { role, content } of result.transcript)
    if (role === 'tool') console.log(textOf(content).replace('\n', ' '))
  console.log(`agent: ${result.text}`)
  rmSync(file, { force: true })
}
for (const source of sources) await source.close()
