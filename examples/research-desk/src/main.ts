// A researcher over Chat Completions and an editor over the Messages API answer one question
// together.
import { type CallTrace, createDialogCaller, toolCallsOf } from '@modelport/dialog'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createOpenAICompatible, presets } from '@modelport/provider-openai-compatible'
import { desk } from './desk.ts'

const baseUrl = process.argv[2] ?? 'http://127.0.0.1:8080'
const options = {
  temperature: 0,
  maxTokens: 160,
  vendor: { chat_template_kwargs: { enable_thinking: false } },
}
const agents = {
  researcher: createDialogCaller({
    name: 'researcher',
    provider: createOpenAICompatible({
      preset: presets['llamacpp-server'],
      model: 'tinytool',
      baseUrl: `${baseUrl}/v1`,
    }),
    options,
    mode: 'native',
  }),
  editor: createDialogCaller({
    name: 'editor',
    provider: createAnthropic({ model: 'tinytool', apiKey: 'no-key-needed', baseUrl }),
    options,
    mode: 'native',
  }),
}

const traces: CallTrace[] = []
const system = desk.build(agents)
const report = await system.call('Rome', { onTrace: (trace) => traces.push(trace) })

for (const trace of traces) {
  const states = trace.entries.flatMap((entry) => (entry.type === 'state' ? [entry.to] : []))
  const calls = toolCallsOf(trace).map(
    ({ name, arguments: args }) => `${name}(${JSON.stringify(args)})`,
  )
  console.log(`${trace.agent}: ${[...states, ...calls].join(' ')}`)
  for (const entry of trace.entries)
    if (entry.type === 'parse-error') console.log(`  refused: ${entry.problems.join('; ')}`)
}
console.log(`${report.city}: ${report.degrees} degrees`)
console.log(`editor: ${report.line}`)
console.log(
  `question: ${report.kind ? `${report.kind.label}, ${(report.kind.probability * 100).toFixed(0)} %` : 'no label'}`,
)
