// AI SDK: a `WorkflowAgent` in a workflow; the effect of a tool is a step, and an approval waits
// for a hook. https://ai-sdk.dev/docs/agents/workflow-agent and
// https://workflow-sdk.dev/docs/ai/human-in-the-loop
import { WorkflowAgent } from '@ai-sdk/workflow'
import { isStepCount, tool } from 'ai'
import { createHook, getStepMetadata, getWritable } from 'workflow'
import { z } from 'zod'
import { Scripted } from './model.mjs'

async function happen(ledger, job, call) {
  'use step'
  const key = getStepMetadata().stepId
  const response = await fetch(ledger, { method: 'POST', body: JSON.stringify({ job, call, key }) })
  return response.text()
}

/** Works on a job; `toolNames` are its tools, of which `refund` waits for an approval. */
export async function workOn({ job, prompt, model, ledger, toolNames }) {
  'use workflow'
  const toolOf = (name) =>
    tool({
      description: 'Has an effect',
      inputSchema: z.object({ job: z.string() }),
      execute: async () => {
        if (name !== 'refund') return happen(ledger, job, name)
        const { approved } = await createHook({ token: `approval-${job}` })
        return approved ? happen(ledger, job, name) : 'It was refused.'
      },
    })
  const agent = new WorkflowAgent({
    model: new Scripted(model),
    tools: Object.fromEntries(toolNames.map((name) => [name, toolOf(name)])),
  })
  const messages = [{ role: 'user', content: prompt }]
  const { steps } = await agent.stream({
    messages,
    writable: getWritable(),
    stopWhen: isStepCount(500),
  })
  return steps.at(-1).text
}
