import { appendFileSync } from 'node:fs'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'

/** Stands in for a model: it pays once, then reports. */
export const createOfflineModel = (): ReturnType<typeof createMock> =>
  createMock({
    defaultResponse: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Invoice 17 is paid.'
        : { toolCalls: [{ id: 'call_1', name: 'pay', arguments: { to: 'Rossi', euros: 40 } }] },
  })

/**
 * Orders a payment. It declares neither `idempotent` nor `readOnly`, so a call whose outcome is
 * unknown is never repeated without a person.
 */
export const createPayTool = (bank: string, diesAfterwards: boolean): Tool =>
  defineTool({
    name: 'pay',
    description: 'Pays somebody',
    parameters: {
      type: 'object',
      properties: { to: { type: 'string' }, euros: { type: 'number' } },
      required: ['to', 'euros'],
    },
    execute: async ({ to, euros }, { run }) => {
      const order = `${String(euros)} euros to ${to}, order ${run.idempotencyKey}`
      appendFileSync(bank, `${order}\n`)
      if (diesAfterwards) {
        process.stdout.write('ordered\n')
        await new Promise((resolve) => setTimeout(resolve, 60_000)) // killed here
      }
      return order
    },
  })
