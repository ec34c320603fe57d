import { openaiChat, type ScriptTurn, type WireConversation } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { estimateTokens } from '@modelport/core'
import { type Loop, loops } from './trap-loops.ts'

/**
 * `node src/loop-traps.ts`: what a model that gets nowhere costs before somebody stops it, for
 * modelport's loop and two others, each at its defaults. The model is a script behind Chat
 * Completions on this machine; it never gives up by itself.
 */
interface Trap {
  readonly name: string
  /** What the model does at its nth call, from 0 on. */
  readonly turn: (index: number) => Pick<ScriptTurn, 'text' | 'toolCalls'>
}

const search = (query: string, name = 'search'): Pick<ScriptTurn, 'toolCalls'> => ({
  toolCalls: [{ name, arguments: { query } }],
})

const traps: readonly Trap[] = [
  { name: 'the same call for ever', turn: () => search('weather') },
  { name: 'two calls in turns', turn: (index) => search(index % 2 ? 'weather' : 'forecast') },
  { name: 'growing arguments', turn: (index) => search(`weather${' please'.repeat(index)}`) },
  {
    name: 'prose instead of an action',
    turn: () => ({ text: ['I will now look up the weather for you.'] }),
  },
  { name: 'an unknown tool for ever', turn: (index) => search(`weather ${index}`, 'browse') },
  { name: 'a failing tool for ever', turn: (index) => search(`weather ${index}`, 'broken') },
]

/** Maximum calls before a loop counts as one without an end. */
const patience = 60

interface Outcome {
  readonly calls: number
  readonly tokens: number
  readonly executed: number
  readonly end: string
}

async function spring(trap: Trap, loop: Loop): Promise<Outcome> {
  const controller = new AbortController()
  let calls = 0
  let tokens = 0
  const server = await startWireServer({
    formats: [openaiChat],
    reply: (request) => {
      const sent = openaiChat.read(request)
      const turn = inItsForm(trap.turn(calls++), sent)
      if (calls > patience) controller.abort()
      const usage = {
        inputTokens: promptTokens(sent),
        outputTokens: estimateTokens(JSON.stringify(turn)),
      }
      tokens += usage.inputTokens + usage.outputTokens
      const named = turn.toolCalls?.map((call, index) => ({
        ...call,
        id: `call_${calls}_${index}`,
      }))
      return {
        ...turn,
        ...(named && { toolCalls: named }),
        finish: named ? 'tool-calls' : 'stop',
        usage,
      }
    },
  })
  let executed = 0
  const tools = {
    search: () => {
      executed++
      return 'nothing found'
    },
    broken: () => {
      executed++
      throw new Error('out of order')
    },
  }
  const end = await loop
    .run({ baseUrl: `${server.url}/v1`, tools, signal: controller.signal })
    .catch((error: unknown) =>
      controller.signal.aborted
        ? 'never'
        : `throws ${error instanceof Error ? error.name : String(error)}`,
    )
  await server.close()
  return { calls, tokens, executed, end }
}

/**
 * Where no tools go through the API, the model says what it would call as it was told to: as a JSON
 * object.
 */
function inItsForm(
  { text, toolCalls }: Pick<ScriptTurn, 'text' | 'toolCalls'>,
  { tools }: WireConversation,
): Pick<ScriptTurn, 'text' | 'toolCalls'> {
  const [call] = toolCalls ?? []
  if (tools.length || !call) return { ...(text && { text }), ...(toolCalls && { toolCalls }) }
  return { text: [JSON.stringify({ type: 'tool_call', tool: call.name, args: call.arguments })] }
}

const promptTokens = ({ system, messages, tools }: WireConversation): number =>
  estimateTokens(JSON.stringify([system, messages, tools]))

console.log(
  `Calls of the model, tokens and executed tools before each loop stops, at its defaults.\n`,
)
console.log(`| trap | ${loops.map(({ name }) => name).join(' | ')} |`)
console.log(`|---|${loops.map(() => '---').join('|')}|`)
for (const trap of traps) {
  const cells: string[] = []
  for (const loop of loops) {
    const { calls, tokens, executed, end } = await spring(trap, loop)
    cells.push(`${calls} calls, ${tokens} tokens, ${executed} executed: ${end}`)
  }
  console.log(`| ${trap.name} | ${cells.join(' | ')} |`)
}
