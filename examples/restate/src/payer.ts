import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type Tool } from '@modelport/runtime'

/** Stands in for a model: it pays once, then reports. */
export const createOfflineModel = (invoice: string): ReturnType<typeof createMock> =>
  createMock({
    defaultResponse: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? `${invoice} is paid.`
        : { toolCalls: [{ id: 'call_1', name: 'pay', arguments: { invoice } }] },
  })

/**
 * Orders a payment. It declares neither `idempotent` nor `readOnly`, so a call whose outcome is
 * unknown is never repeated without a person.
 */
export const createPayTool = (folder: string): Tool =>
  defineTool({
    name: 'pay',
    description: 'Pays an invoice',
    parameters: {
      type: 'object',
      properties: { invoice: { type: 'string' } },
      required: ['invoice'],
    },
    execute: async ({ invoice }, { run }) => {
      appendFileSync(join(folder, 'bank.txt'), `${invoice}, order ${run.idempotencyKey}\n`)
      // Held while this file is there: the process is killed now.
      while (existsSync(join(folder, 'slow-bank')))
        await new Promise((resolve) => setTimeout(resolve, 50))
      return `${invoice}: ordered`
    },
  })
