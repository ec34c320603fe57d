import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * `node src/start.ts [rounds]`: what a fresh process pays for an import, its first request and its
 * first step: its CPU above that of an empty process, which is the floor. Rounds are interleaved.
 * Build first: the packages are measured as they are published.
 */
const rounds = Number(process.argv[2] ?? 9)
const server = fork(new URL('steps.ts', import.meta.url), ['server'])
const [url] = (await once(server, 'message')) as [string]

const provider = `const { createOpenAICompatible } = await import('@modelport/provider-openai-compatible')`
const made = (steps: number): string =>
  `${provider}; const provider = createOpenAICompatible({ model: 'bench', apiKey: 'key-of-the-bench', baseUrl: '${url}/${steps}/v1' })`
const tool = `name: 'weather', description: 'The weather of a city', execute: ({ city }) => city`
const parameters = `{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }`
const body = JSON.stringify({ messages: [{ role: 'user', content: 'How warm?' }] })
const check = (text: string): string =>
  `if (!${text}.startsWith('It is warm')) throw new Error(${text})`

/** Programs, by what they do. */
const programs: Readonly<Record<string, string>> = {
  'an empty process': '',
  'import of the provider': provider,
  'import of provider and runtime': `${provider}; await import('@modelport/runtime')`,
  'import of AI SDK': `await import('ai'); await import('@ai-sdk/openai')`,
  'first request, platform fetch': `const text = await (await fetch('${url}/1/v1/chat/completions', { method: 'POST', body: '${body}' })).text()`,
  'first request, undici': `const { request } = await import('undici')
    await (await request('${url}/1/v1/chat/completions', { method: 'POST', body: '${body}' })).body.text()`,
  'first request, stream': `${made(1)}; let text = ''
    for await (const event of await provider.stream('How warm?')) if (event.type === 'text-delta') text += event.text`,
  'first step, infer': `${made(2)}; const { defineTool, infer } = await import('@modelport/runtime')
    const result = await infer(provider, { query: 'How warm?', tools: [defineTool({ ${tool}, parameters: ${parameters} })] })
    ${check('result.text')}`,
  'first step, AI SDK streamText': `const { jsonSchema, stepCountIs, streamText, tool } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    globalThis.AI_SDK_LOG_WARNINGS = false
    const { name, ...weather } = { ${tool}, inputSchema: jsonSchema(${parameters}) }
    const result = streamText({ model: createOpenAI({ apiKey: 'key-of-the-bench', baseURL: '${url}/2/v1' }).chat('bench'),
      prompt: 'How warm?', tools: { weather: tool(weather) }, stopWhen: stepCountIs(9), maxRetries: 0 })
    const text = await result.text
    ${check('text')}`,
}

/** Milliseconds of CPU that a fresh process with this program uses. */
async function cpuOf(program: string): Promise<number> {
  const report =
    '; const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system), () => process.exit())'
  const child = spawn(process.execPath, ['--input-type=module', '-e', program + report], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(child, 'close')
  if (!text) throw new Error(`the program failed: ${program}`)
  return Number(text) / 1_000
}

const costs: Record<string, number[]> = {}
for (let round = 0; round < rounds; round++)
  for (const [name, program] of round % 2
    ? Object.entries(programs)
    : Object.entries(programs).toReversed())
    (costs[name] ??= []).push(await cpuOf(program))
server.kill()

const at = (name: string, part: number): number =>
  (costs[name] ?? []).toSorted((a, b) => a - b)[Math.floor((rounds - 1) * part)] ?? NaN
const floor = 'an empty process'
console.log('| what | CPU above an empty process | middle half of the rounds |\n|---|--:|--:|')
for (const name of Object.keys(programs)) {
  const above = (at(name, 0.5) - (name === floor ? 0 : at(floor, 0.5))).toFixed(0)
  console.log(
    `| ${name} | ${above} ms | ${at(name, 0.25).toFixed(0)} to ${at(name, 0.75).toFixed(0)} ms |`,
  )
}
if ((at(floor, 0.75) - at(floor, 0.25)) / at(floor, 0.5) > 0.15)
  console.log('\nNo result: the empty process spreads by more than 15 %.')
